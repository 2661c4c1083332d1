from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from hookcore_path_guard._refusals import Refusal
from hookcore_path_guard._walk import MAX_LINKS, walk

Place = Any


def refused(path: str, start: str = "/") -> str:
    with pytest.raises(Refusal) as caught:
        walk(path, start)
    return caught.value.rule


def test_dots_and_repeated_slashes_are_dropped(place: Place) -> None:
    assert walk(".//src/./app.py", str(place.project)) == str(place.project / "src/app.py")


def test_an_absolute_path_does_not_begin_in_the_folder(place: Place) -> None:
    assert walk("/", str(place.project)) == "/"


def test_going_up_from_the_top_stays_there() -> None:
    assert walk("/../..") == "/"


def test_going_up_after_a_link_takes_the_parent_of_its_target(place: Place) -> None:
    place.link("proj/out", "../secret/sub")
    assert walk("out/../key.txt", str(place.project)) == str(place.root / "secret/key.txt")


def test_a_link_in_the_last_place_is_followed(place: Place) -> None:
    place.link("proj/l", "src/app.py")
    assert walk("l", str(place.project)) == str(place.project / "src/app.py")


def test_a_link_in_the_last_place_can_be_kept(place: Place) -> None:
    place.link("proj/l", "src")
    assert walk("l", str(place.project), follow=False) == str(place.project / "l")


def test_a_slash_after_a_link_follows_it_in_any_case(place: Place) -> None:
    place.link("proj/l", "src")
    assert walk("l/", str(place.project), follow=False) == str(place.project / "src")


def test_a_dangling_link_leads_to_what_would_be_made(place: Place) -> None:
    place.link("proj/l", "{root}/secret/new")
    assert walk("l", str(place.project)) == str(place.root / "secret/new")


def test_what_does_not_exist_is_taken_as_written(place: Place) -> None:
    assert walk("no/such/file", str(place.project)) == str(place.project / "no/such/file")


@pytest.mark.parametrize("path", ["no/../x", "README.md/../x", "no/deep/../../x"])
def test_going_up_from_what_is_no_folder_is_refused(place: Place, path: str) -> None:
    assert refused(path, str(place.project)) == "lost"


def test_a_circle_of_links_is_refused(place: Place) -> None:
    place.link("proj/a", "b")
    place.link("proj/b", "a")
    assert refused("a/x", str(place.project)) == "links"


@pytest.mark.parametrize(("count", "works"), [(MAX_LINKS, True), (MAX_LINKS + 1, False)])
def test_as_many_links_are_followed_as_the_kernel_follows(
    place: Place, count: int, *, works: bool
) -> None:
    place.link("proj/l0", "README.md")
    for number in range(1, count):
        place.link(f"proj/l{number}", f"l{number - 1}")
    last = f"l{count - 1}"
    if works:
        assert walk(last, str(place.project)) == str(place.project / "README.md")
        assert (place.project / last).read_text() == "hello\n"
    else:
        assert refused(last, str(place.project)) == "links"
        with pytest.raises(OSError, match="symbolic links"):
            (place.project / last).read_text()


def test_a_link_of_another_process_is_refused() -> None:
    if not Path("/proc/self/cwd").is_symlink():
        pytest.skip("this system has no /proc")
    assert refused("/proc/self/cwd/x") == "device"


def test_the_walk_agrees_with_the_kernel(place: Place) -> None:
    place.link("proj/in", "src")
    place.link("proj/up", "..")
    place.link("proj/src/back", "../docs")
    for path in [
        "in/app.py",
        "up/lib/ro.txt",
        "src/back/../README.md",
        "in/back/x.md",
        "up/proj/in",
    ]:
        assert walk(path, str(place.project)) == os.path.realpath(place.project / path)
