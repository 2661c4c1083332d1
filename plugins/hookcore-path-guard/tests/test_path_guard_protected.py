from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from hookcore_path_guard import Denial
from hookcore_path_guard._protected import Protected, folded

Judged = Callable[[str], Denial | None]
Place = Any

SPELLINGS = [
    ".git",
    ".GIT",
    ".Git",
    ".git.",
    ".git ",
    ".git . .",
    ".g\u200cit",
    "\ufeff.git",
    ".git::$INDEX_ALLOCATION",
    "GIT~1",
    "git~2",
]


@pytest.mark.parametrize("name", SPELLINGS)
def test_every_spelling_of_a_protected_name_is_protected(write: Judged, name: str) -> None:
    assert write(f"{name}/config") is not None
    assert write(f"vendor/{name}") is not None


@pytest.mark.parametrize(
    "name", [".gitignore", ".github", "git", ".git-x", "x.git", "git~", "git~x"]
)
def test_other_names_are_not_protected(write: Judged, name: str) -> None:
    assert write(f"{name}/config") is None


def test_forms_of_unicode_are_one_name() -> None:
    assert Protected(["caf\u00e9"]).holds(["cafe\u0301"])
    assert folded("STRASSE") == folded("stra\u00dfe")


def test_what_is_protected_may_be_read(read: Judged) -> None:
    assert read(".git/config") is None


def test_a_name_in_a_folder_is_protected_there_only() -> None:
    protected = Protected([".github/workflows"])
    assert protected.holds(["a", ".github", "Workflows", "ci.yml"])
    assert not protected.holds([".github", "CODEOWNERS"])
    assert not protected.holds(["workflows", "ci.yml"])


@pytest.mark.parametrize(
    "command", ["rm -rf .git", "rm -rf .", "mv src ../proj/x; rm -r .", "mv .git g"]
)
def test_what_is_protected_does_not_go_with_its_folder(place: Place, command: str) -> None:
    (place.project / ".git").mkdir()
    denial = place.run(command)
    assert denial is not None
    assert denial.reason.startswith("protected")


def test_a_folder_without_anything_protected_may_go(place: Place) -> None:
    assert place.run("rm -rf src") is None


def test_a_wildcard_does_not_reach_what_is_protected(place: Place) -> None:
    (place.project / ".git").mkdir()
    assert place.run("rm -rf .g*") is not None
    assert place.run("rm -rf *") is None


def test_a_root_below_a_protected_name_is_what_the_operator_wanted(place: Place) -> None:
    plans = place.project / ".claude" / "plans"
    plans.mkdir(parents=True)
    guard = place.guard(write=[str(place.project), str(plans)])
    assert guard.judge("Write", {"file_path": str(plans / "a.md")}) is None
    assert guard.judge("Write", {"file_path": str(plans.parent / "a.md")}) is not None
