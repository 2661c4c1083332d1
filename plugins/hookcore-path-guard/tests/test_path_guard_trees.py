from __future__ import annotations

from typing import Any

import pytest

from hookcore_path_guard import _trees

Place = Any

FOLLOWING = [
    "grep -R x .",
    "grep --dereference-recursive x src",
    "rg -L x",
    "rg --follow x src",
    "find -L . -name x",
    "find . -follow",
    "cp -rL src copy",
    "cp -LR . copy",
    "rsync -aL src/ copy/",
    "tar chf a.tar src",
    "tar -c -h -f a.tar src",
    "tar --dereference -cf a.tar src",
    "zip -r a.zip src",
    "tree -l",
    "ls -LR src",
    "diff -r src docs",
    "du -L .",
]
KEEPING = [
    "grep -r x .",
    "rg x src",
    "find . -name x",
    "cp -r src copy",
    "cp -a . ../proj/copy",
    "rsync -a src/ copy/",
    "tar cf a.tar src",
    "zip -ry a.zip src",
    "tree",
    "ls -R src",
    "ls -L README.md",
    "du .",
]


@pytest.mark.parametrize("command", [*FOLLOWING, *KEEPING])
def test_without_links_out_a_folder_may_be_gone_through(place: Place, command: str) -> None:
    place.link("proj/src/in", "../docs")
    assert place.run(command) is None


@pytest.mark.parametrize("command", FOLLOWING)
def test_a_program_that_follows_links_may_not_find_one_that_leads_out(
    place: Place, command: str
) -> None:
    place.link("proj/src/out", "../../secret")
    assert place.run(command) is not None


@pytest.mark.parametrize("command", KEEPING)
def test_a_program_that_keeps_links_may_find_one(place: Place, command: str) -> None:
    place.link("proj/src/out", "../../secret")
    assert place.run(command) is None


def test_links_below_what_a_link_leads_to_are_seen(place: Place) -> None:
    place.link("proj/src/in", "../docs")
    place.link("proj/docs/out", "{root}/secret")
    assert place.run("grep -R x src") is not None


def test_a_circle_of_folders_has_an_end(place: Place) -> None:
    place.link("proj/src/back", "..")
    assert place.run("grep -R x .") is None


def test_a_folder_with_too_much_in_it_is_refused(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_trees, "MAX_ENTRIES", 1)
    denial = place.run("grep -R x .")
    assert denial is not None
    assert denial.reason.startswith("a pattern matches too much")
