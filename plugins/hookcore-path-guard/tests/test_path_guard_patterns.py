from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from hookcore_path_guard import Denial, _patterns
from hookcore_path_guard._patterns import alternatives
from hookcore_path_guard._refusals import Refusal

Judged = Callable[[str], Denial | None]
Place = Any


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("a", ["a"]),
        ("{a,b}", ["a", "b"]),
        ("x{a,b}y{c,d}", ["xayc", "xayd", "xbyc", "xbyd"]),
        ("{a,{b,c}}", ["a", "b", "c"]),
        ("{a}", ["{a}"]),
        ("{a,{b}}", ["a", "{b}"]),
        ("{a", ["{a"]),
        ("f{1..3}", ["f*"]),
        (".{.,x}/s", ["../s", ".x/s"]),
    ],
)
def test_braces_stand_for_their_alternatives(pattern: str, expected: list[str]) -> None:
    assert sorted(alternatives(pattern)) == sorted(expected)


def test_too_many_alternatives_are_refused() -> None:
    with pytest.raises(Refusal) as caught:
        alternatives("{a,b}" * 20)
    assert caught.value.rule == "many"


@pytest.fixture
def glob(place: Place) -> Judged:
    """Judge a pattern for file names in the project."""
    return lambda pattern: place.judge("Glob", {"pattern": pattern})


@pytest.mark.parametrize(
    "pattern", ["*", "**/*.py", "src/*.py", "{src,docs}/*", "[a-z]*.md", "*.[ch]"]
)
def test_a_pattern_inside_is_let_through(glob: Judged, pattern: str) -> None:
    assert glob(pattern) is None


@pytest.mark.parametrize(
    "pattern",
    [
        "../*",
        "src/../../*",
        "/etc/*",
        "*/../../x",
        ".[.]/x",
        "[.][.]/x",
        ".?/x",
        ".*/x",
        "~/*",
        "{a,..}/*",
    ],
)
def test_a_pattern_that_can_lead_out_is_refused(glob: Judged, pattern: str) -> None:
    assert glob(pattern) is not None


def test_what_a_wildcard_matches_now_is_judged(place: Place, glob: Judged) -> None:
    assert glob("*/key.txt") is None
    place.link("proj/out", "../secret")
    assert glob("*/key.txt") is not None


def test_a_link_below_two_stars_is_not_followed(place: Place, glob: Judged) -> None:
    place.link("proj/out", "../secret")
    assert glob("**/*.txt") is None


def test_a_shell_hands_links_to_the_program(place: Place, run: Judged) -> None:
    place.link("proj/l.txt", "../secret/key.txt")
    assert run("cat *.txt") is not None
    assert run("cat *.md") is None
    assert run("rm *.txt") is None


def test_a_wildcard_does_not_match_a_dot_in_the_shell(place: Place, run: Judged) -> None:
    place.link("proj/.out", "../secret")
    assert run("cat */key.txt") is None
    assert run("cat .o*/key.txt") is not None


def test_a_pattern_that_matches_too_many_links_is_refused(
    place: Place, run: Judged, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_patterns, "MAX_MATCHES", 3)
    for number in range(4):
        place.link(f"proj/l{number}", "README.md")
    denial = run("cat l*")
    assert denial is not None
    assert denial.reason.startswith("a pattern matches too much")


def test_a_pattern_over_too_many_files_is_refused(
    place: Place, run: Judged, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_patterns, "MAX_ENTRIES", 1)
    assert run("cat *.md") is not None
