"""Names and globs: one dialect, every spelling, and never more than linear time."""

from __future__ import annotations

import random
import re
from fnmatch import fnmatchcase
from time import process_time
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from hookcore import (
    HookManager,
    HookOptionsDict,
    NamePatterns,
    RegistrationError,
    check_name_pattern,
    hookimpl,
    sanitize_tool_name,
)
from hookcore.config.layer import Layer
from hookcore.config.schema import validate
from hookcore.errors import ConfigError
from hookcore.naming.names import name_forms

NAMES = st.text(alphabet="abAB_.é0-", max_size=8)
PATTERNS = st.lists(
    st.sampled_from(["a", "b", "A", "_", "-", ".", "*", "?", "[ab]", "[!a]", "[A-Z]"]),
    min_size=1,
    max_size=6,
).map("".join)
WORDS = st.lists(st.from_regex(r"[a-z]{2}[a-z0-9]{0,4}", fullmatch=True), min_size=1, max_size=4)


def matches(pattern: str, name: str, **how: bool) -> bool:
    return NamePatterns([pattern]).matches(name, **how)


def wide(text: str) -> str:
    return "".join(chr(ord(c) + 0xFEE0) if c.isascii() and c.isalnum() else c for c in text)


@st.composite
def spelled(draw: st.DrawFn, words: list[str]) -> str:
    """One way in which a host or a model may write a name of these words."""
    joint = draw(st.sampled_from(["_", "-", " ", ".", "__", "/", "camel"]))
    if joint == "camel":
        name = words[0] + "".join(word.capitalize() for word in words[1:])
        name = draw(st.sampled_from([name, name[0].upper() + name[1:]]))
    else:
        recase: Any = draw(st.sampled_from([str.lower, str.upper, str.capitalize, _mixed]))
        name = joint.join(map(recase, words))
    finish = draw(st.sampled_from(["plain", "wide", "accents", "unseen", "padded"]))
    if finish == "wide":
        return wide(name)
    if finish == "accents":
        return "".join(c + "\u0301" if c.isalpha() else c for c in name)
    if finish == "unseen":
        return "\u200b".join(name)
    return f"  {name}\n" if finish == "padded" else name


def _mixed(word: str) -> str:
    return "".join(c.upper() if place % 2 else c for place, c in enumerate(word))


@st.composite
def globbed(draw: st.DrawFn, words: list[str]) -> str:
    """A pattern that is made from one spelling, by wildcards in the place of letters."""
    name = draw(spelled(words)).strip()
    kind = draw(st.sampled_from(["exact", "start", "end", "middle", "any", "class"]))
    at = draw(st.integers(0, len(name)))
    letters = [place for place, c in enumerate(name) if c.isascii() and c.isalnum()]
    if kind == "start":
        return name[: max(at, 1)] + "*"
    if kind == "end":
        return "*" + name[min(at, len(name) - 1) :]
    if kind == "middle":
        return name[:at] + "*" + name[draw(st.integers(at, len(name))) :]
    if kind in ("any", "class") and letters and all(c.isascii() for c in name):
        place = draw(st.sampled_from(letters))
        wild = "?" if kind == "any" else f"[{name[place]}0-9]"
        return name[:place] + wild + name[place + 1 :]
    return name


@st.composite
def same_names(draw: st.DrawFn) -> tuple[str, str, str]:
    """Return a pattern that matches a name, the name, and another spelling of it."""
    words = draw(WORDS)
    return draw(globbed(words)), "_".join(words), draw(spelled(words))


@settings(max_examples=10 * settings().max_examples)
@given(same_names())
def test_what_matches_one_spelling_of_a_name_matches_all(case: tuple[str, str, str]) -> None:
    pattern, plain, spelling = case
    try:
        patterns = NamePatterns([pattern])
    except ValueError:
        return  # all that was left of the name cannot be seen
    assert patterns.matches(plain)
    assert patterns.matches(spelling)


@settings(max_examples=5 * settings().max_examples)
@given(PATTERNS, NAMES)
def test_as_written_globs_mean_what_they_mean_elsewhere(pattern: str, name: str) -> None:
    assert matches(pattern, name, as_written=True) == fnmatchcase(name, pattern)


@settings(max_examples=5 * settings().max_examples)
@given(PATTERNS, NAMES)
def test_what_matches_as_written_matches_in_any_spelling(pattern: str, name: str) -> None:
    assert matches(pattern, name) or not matches(pattern, name, as_written=True)


@settings(max_examples=5 * settings().max_examples)
@given(st.lists(PATTERNS, max_size=5), NAMES)
def test_many_patterns_match_as_each_does_by_itself(patterns: list[str], name: str) -> None:
    together = NamePatterns(patterns)
    for how in (True, False):
        alone = [i for i, pattern in enumerate(patterns) if matches(pattern, name, as_written=how)]
        assert together.matching(name, as_written=how) == alone
        assert together.matches(name, as_written=how) == bool(alone)


@settings(max_examples=10 * settings().max_examples)
@given(st.lists(PATTERNS, min_size=1, max_size=3), PATTERNS, NAMES)
@example(["aB"], "a_b", "ab")
@example(["a_b"], "aB", "ab")
def test_a_pattern_that_covers_another_matches_all_that_it_matches(
    several: list[str], narrow: str, name: str
) -> None:
    patterns = NamePatterns(several)
    for how in (True, False):
        if matches(narrow, name, as_written=how):
            covering = patterns.covering(narrow, as_written=how)
            assert set(covering) <= set(patterns.matching(name, as_written=how))


@pytest.mark.parametrize(
    ("pattern", "narrow"),
    [("*", "?"), ("a*", "ab*"), ("*b*", "*ab"), ("*?", "?*"), ("**", "*"), ("[a-c]", "b"),
     ("[!a]", "b"), ("?", "[ab]"), ("a*c*e", "abcde"), ("Delete*", "delete_file"),
     ("delete_*", "Delete File*")],
)  # fmt: skip
def test_plain_coverings_are_recognised(pattern: str, narrow: str) -> None:
    assert NamePatterns([pattern]).covering(narrow) == [0]


@pytest.mark.parametrize(("pattern", "narrow"), [("?", "*"), ("ab*", "a*"), ("a", "[ab]")])
def test_what_is_not_covered_is_not_called_covered(pattern: str, narrow: str) -> None:
    assert NamePatterns([pattern]).covering(narrow) == []


@pytest.mark.parametrize(
    ("pattern", "name"),
    [
        ("mcp__github__*", "mcp-github-merge"),
        ("mcp__github__*", "mcp_github_merge"),
        ("mcp__GitHub__*", "mcp__github__merge"),
        ("delete_file", "DeLeTe_FiLe"),
        ("delete_file", "DELETE_F\u0130LE"),
        ("delete_file", "delete_f\u0131le"),
        ("delete_file", "delete_\u3164file"),
        ("delete_file", "delete_fil\u212f"),
        ("delete_file", "delete_file \u0434"),
        ("Delete *", "delete_file"),
        ("*File", "delete_file"),
        ("deleteF*", "delete_file"),
        ("getHTTPS*", "get_http_server"),
        ("delete?ile", "delete_file"),
        ("delete[A-Z]ile", "delete_file"),
        ("[A-Z]*", "delete_file"),
        ("d[!x]lete*", "DELETE"),
        ("s3_upload", "S3Upload"),
        ("get_v2_item", "getV2Item"),
        ("удалить_*", "УДАЛИТЬ ФАЙЛ"),
        ("удалить_файл", "удалитьФайл"),
        ("straße", "STRASSE"),
        ("délète*", "delete_file"),
        ("_*", "-private"),
        ("foo*", " foo"),
        ("Senior *", "senior researcher"),
    ],
)
def test_a_name_is_matched_in_this_spelling(pattern: str, name: str) -> None:
    assert matches(pattern, name)
    assert not matches(pattern, name, as_written=True)


@pytest.mark.parametrize(
    ("pattern", "name"),
    [("rm", "R M"), ("get_*", "getaway"), ("*_file", "profile"), ("delete_*", "undelete_file"),
     ("_*", "private"), ("删除", "查询"), ("删除_*", "x_file"), ("delete_?", "delete_ab")],
)  # fmt: skip
def test_another_name_is_not_matched(pattern: str, name: str) -> None:
    assert not matches(pattern, name)


@pytest.mark.parametrize("spelling", ["Delete File", "DELETE_FILE", "delete_file\u200b"])
def test_as_written_nothing_but_the_written_name_is_matched(spelling: str) -> None:
    patterns = NamePatterns(["delete_file", "delete_f*e"])
    assert patterns.matching(spelling, as_written=True) == []
    assert patterns.matching(spelling) == [0, 1]


def test_a_long_name_is_matched_whole_and_cut() -> None:
    name = "Very Long Tool Name " * 4 + "Delete"
    assert matches("*_delete", name)
    assert matches(name, sanitize_tool_name(name))
    assert matches(sanitize_tool_name(name), name)


@pytest.mark.parametrize(
    ("pattern", "why"),
    [
        ("", "it is empty"),
        ("[a", '"[" is not closed'),
        ("[z-a]", '"[z-a]" runs backwards'),
        ("[!\0-\U0010ffff]", "leaves no character"),
        ("\u200b*", "holds nothing that can be seen"),
        ("a" * 257 + "*", "longer than 256 characters"),
    ],
)
def test_a_pattern_that_can_match_nothing_is_told(pattern: str, why: str) -> None:
    with pytest.raises(ValueError, match=re.escape(why)):
        check_name_pattern(pattern, longest=256)


def test_a_long_pattern_for_short_names_is_none_that_matches_nothing() -> None:
    check_name_pattern("[abcdef]" * 60 + "*" * 60, longest=256)


def test_a_malformed_pattern_is_named() -> None:
    with pytest.raises(ValueError, match=r"the pattern '\[a' matches no name"):
        NamePatterns(["x", "[a"])


@pytest.mark.parametrize("option", ["tools", "agents"])
def test_a_filter_that_can_match_nothing_is_an_error_at_registration(
    option: str,
) -> None:
    options: HookOptionsDict = {"tools": ["[a"]} if option == "tools" else {"agents": ["[a"]}

    class Plugin:
        @hookimpl(**options)
        def pre_tool_call(self, ctx: Any) -> None: ...

    with pytest.raises(RegistrationError, match=rf"{option}= has the pattern '\[a'"):
        HookManager().register(Plugin())


@pytest.mark.parametrize("option", ["tools", "agents"])
def test_an_operators_filter_that_can_match_nothing_is_an_error_of_the_file(option: str) -> None:
    with pytest.raises(
        ConfigError, match=rf'plugins.x.{option}.* must be a name or glob \("\[" is'
    ):
        validate(Layer("user", {"plugins": {"x": {option: ["[a"]}}}))


def seconds(patterns: NamePatterns, name: str) -> float:
    start = process_time()
    patterns.matches(name)
    return process_time() - start


@pytest.mark.parametrize(
    "pattern", ["*a" * 40 + "b", "a*" * 40 + "b", "*?a" * 20 + "[!a]", "*" * 200 + "b", "a?" * 40]
)
def test_the_time_is_linear_in_the_name(pattern: str) -> None:
    patterns = NamePatterns([pattern])
    short = min(seconds(patterns, "a" * 4_000) for _ in range(5))
    assert min(seconds(patterns, "a" * 40_000) for _ in range(3)) < 40 * short + 0.01


def test_what_is_remembered_about_characters_is_bounded() -> None:
    patterns = NamePatterns(["a*"])
    for code in range(0x4E00, 0x4E00 + 3000):
        patterns.matches("a" + chr(code))
    assert patterns._loose is not None
    assert len(patterns._loose._masks) <= 1024


def test_no_name_and_no_pattern_breaks_the_matching() -> None:
    source = random.Random(7)
    signs = "aB_-*?[]!^\\ \0\n\u200b\u0301\u0130\ud800\U0001f600ﬁß\ufeff9"
    for _ in range(3000):
        pattern, name = ("".join(source.choices(signs, k=source.randint(0, 9))) for _ in "pn")
        assert name_forms(name)[0] == name
        try:
            patterns = NamePatterns([pattern])
        except ValueError:
            continue
        assert patterns.matches(name) or not patterns.matches(name, as_written=True)
        patterns.covering(pattern)
