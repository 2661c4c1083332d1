"""Text that nobody can be made to wait for: work grows with a command's length, and no faster."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hookcore_shell_guard import _grammar, segments
from hookcore_shell_guard._braces import has_braces, is_pattern

# The whole meaning in one expression each, which may take a power of the length.
BRACES = re.compile(r"(?<![\\$])\{.*(?:,|\.\.).*\}", re.DOTALL)
PATTERN = re.compile(r"(?<!\\)(?:\\\\)*[*?]|(?<!\\)\[.*\]", re.DOTALL)
WORDS = st.text("a\\$${}[],.*?", max_size=12)


@given(WORDS)
def test_braces_are_found_where_one_expression_finds_them(raw: str) -> None:
    assert has_braces(raw) == bool(BRACES.search(raw))


@given(WORDS)
def test_patterns_are_found_where_one_expression_finds_them(raw: str) -> None:
    assert is_pattern(raw) == bool(PATTERN.search(raw))


@contextmanager
def calls() -> Iterator[list[int]]:
    """Count the calls of functions in a block."""
    count = [0]

    def note(_frame: Any, event: str, _argument: Any) -> None:
        count[0] += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        yield count
    finally:
        sys.setprofile(before)


def work(command: str) -> int:
    with calls() as count:
        segments(command)
    return count[0]


@pytest.mark.parametrize(
    "part",
    [
        "find . -exec ", "find . -exec rm {} \\; ", "find . -name -exec ", "fd -x ", "env ",
        "sh -c ", "xargs ", "/../?{a,b", "a[", "{a,", "$(", "`", "(", "{ ", "if true; then ",
        "<(", "cat <<A\n", "x=$x$x; ", "cd a; ", "\\\n", "sh -c '", "eval ", "ssh h ",
    ],
)  # fmt: skip
def test_twice_the_text_takes_twice_the_work(part: str) -> None:
    count = 1_000 // len(part)  # twice, and four times: quotes close each other
    segments(part)  # what is looked up once
    assert work(part * 4 * count) < 3 * work(part * 2 * count) + 2_000


@pytest.mark.parametrize("part", ["a?", "a@", "f() { ", "a | "])
def test_what_the_grammar_is_slow_at_is_refused_before_it_is_tried(part: str) -> None:
    found = segments(part * (20_000 // len(part)))
    assert (found[-1].unreadable, found[-1].opaque) == (True, "it has too many words")


def test_what_takes_the_grammar_too_long_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_grammar, "GRACE", -1)
    found = segments("ls; " * 1_000)
    assert (found[-1].unreadable, found[-1].opaque) == (True, "it takes too long to read")
    monkeypatch.undo()
    assert segments("ls; " * 300)[-1].program == "ls"


def test_a_long_address_is_read() -> None:
    address = "https://example.com/?" + "&".join(f"field{n}=some@value?" for n in range(60))
    assert [segment.program for segment in segments(f"curl '{address}' -o x{address[:40]}")] == [
        "curl"
    ]


# The commands of find(1)


def programs(command: str) -> list[str | None]:
    return [segment.program for segment in segments(command)]


@pytest.mark.parametrize(
    ("command", "found"),
    [
        ("find . -exec ls {} \\; -exec rm {} +", ["find", "ls", "rm"]),
        ("find . -name -exec -exec rm x \\;", ["find", "rm"]),
        ("find . -fprintf -exec -exec -exec rm x \\;", ["find", "rm"]),
        ("find . -newermt -exec -exec rm x \\;", ["find", "rm"]),
        ("find . -exec find . -exec rm x \\;", ["find", "find", "rm"]),
        ("find . -exec echo -exec rm x \\;", ["find", "echo"]),
    ],
)
def test_each_command_of_find_is_read_up_to_its_end(command: str, found: list[str | None]) -> None:
    assert programs(command) == found


@pytest.mark.parametrize(
    "command", ["find . $X -exec -exec rm x \\;", "find . $X -exec -print -exec rm x \\;"]
)
def test_what_may_be_the_operand_of_something_unknown_is_opaque(command: str) -> None:
    assert segments(command)[0].opaque == "its command is not understood"
