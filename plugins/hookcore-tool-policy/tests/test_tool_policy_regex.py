"""The core's RE2 wrapper, with RE2 there: a failed search never looks like one that found nothing."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import hookcore.regex
from hookcore import Regex, RegexError, RegexSet, to_utf8

EXPRESSIONS = st.lists(
    st.sampled_from(["a", "^a", "b$", "a.b", "(?i)AB", "", "[^a]", "a{2}"]), max_size=6
)
TEXTS = st.text(alphabet="abAB\né", max_size=6)


@settings(deadline=None)
@given(EXPRESSIONS, TEXTS, st.sampled_from([True, False]))
def test_a_set_finds_what_each_finds_by_itself(patterns: list[str], text: str, dot: Any) -> None:
    data = text.encode()
    alone = [
        place
        for place, pattern in enumerate(patterns)
        if Regex(pattern, dot_matches_newline=dot).found_in(data)
    ]
    assert RegexSet(patterns, dot_matches_newline=dot).matching(data) == alone


@pytest.mark.parametrize("memory", [1 << 14, 1 << 15, 1 << 16, 1 << 17])
def test_a_set_that_runs_out_of_memory_still_finds_all(
    monkeypatch: pytest.MonkeyPatch, memory: int
) -> None:
    monkeypatch.setattr(hookcore.regex, "_MAX_MEM", memory)
    patterns = RegexSet([f"a.{{9}}b{n}" for n in range(50)])
    monkeypatch.undo()
    for _ in range(2):
        assert patterns.matching(b"xa123456789b7") == [7]


class Silent:
    """A set of RE2's whose automaton has no memory left: it finds nothing, and says nothing."""

    def Match(self, data: bytes) -> None:  # noqa: N802 - RE2's name
        return None


def test_a_search_that_failed_in_silence_is_done_again_one_by_one() -> None:
    patterns = RegexSet(["a", "b"])
    silent: Any = Silent()
    patterns._set = silent
    assert patterns.matching(b"xb") == [1]


@pytest.mark.parametrize(
    ("pattern", "why"),
    [("(", "missing )"), ("(?=a)", "no look-around"), ("\ud800", "lone surrogate")],
)
def test_what_does_not_compile_is_explained(pattern: str, why: str) -> None:
    for make in (lambda: Regex(pattern), lambda: RegexSet(["a", pattern])):
        with pytest.raises(RegexError, match=re.escape(why)):
            make()


def test_bytes_are_searched_as_bytes() -> None:
    assert Regex(b"\xff.").found_in(b"a\xff\xfe")
    assert Regex(b"(a)(b)", capture=True).groups == 2
    assert [match.span() for match in Regex("é").all("aéé".encode())] == [(1, 3), (3, 5)]
    assert Regex("a+").is_whole(b"aaa")
    assert not Regex("a+").is_whole(b"aab")
    assert Regex("a").first(b"xa", 1).start() == 1
    assert Regex("a").at(b"xa", 0) is None


def test_a_text_that_is_not_valid_is_none() -> None:
    assert to_utf8("\ud800") is None
    assert to_utf8("é") == "é".encode()
