"""The gap between the check and the use: stated, measured, and closed by opening what was checked."""

from __future__ import annotations

import os
import stat
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from hookcore_path_guard import opening
from hookcore_path_guard._walk import walk
from hookcore_path_guard.opening import (
    ChangedError,
    OutsideError,
    open_place,
    open_verified,
    resolve_beneath,
)

Place = Any


def text_of(descriptor: int) -> str:
    with os.fdopen(descriptor) as file:
        return file.read()


@pytest.fixture
def swapped(place: Place) -> Callable[[], None]:
    """Make a folder and a secret of the same shape; the call puts a link to one for the other."""
    inside, outside = place.project / "d", place.root / "secret"
    inside.mkdir()
    (inside / "key.txt").write_text("plain\n", "utf-8")

    def swap() -> None:
        inside.rename(place.project / "d-away")
        inside.symlink_to(outside)

    return swap


def test_a_path_that_was_let_through_can_lead_out_a_moment_later(
    place: Place, swapped: Callable[[], None]
) -> None:
    path = place.project / "d" / "key.txt"
    assert place.judge("Read", {"file_path": str(path)}) is None
    swapped()
    assert path.read_text() == "SECRET-KEY\n"
    assert place.judge("Read", {"file_path": str(path)}) is not None


def test_handing_on_the_resolved_path_does_not_close_the_gap(
    place: Place, swapped: Callable[[], None]
) -> None:
    path = resolve_beneath("d/key.txt", [str(place.project)])
    swapped()
    assert Path(path).read_text() == "SECRET-KEY\n"


def test_opening_what_was_checked_closes_the_gap(place: Place, swapped: Callable[[], None]) -> None:
    checked = resolve_beneath("d/key.txt", [str(place.project)])
    swapped()
    with pytest.raises(ChangedError, match="changed after it was checked"):
        open_place(checked)


def test_a_swap_in_the_middle_of_opening_is_seen(
    place: Place, swapped: Callable[[], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    def walked(path: str, *rest: str) -> str:
        result = walk(path, *rest)
        if path == "d/key.txt":
            swapped()
        return result

    monkeypatch.setattr(opening, "walk", walked)
    with pytest.raises(ChangedError):
        open_verified("d/key.txt", roots=[str(place.project)])


@contextmanager
def swapping(place: Place) -> Iterator[None]:
    """Swap a folder for a link to the secret, and back, as fast as a thread can."""
    folder, away, link = (place.project / name for name in ("d", "away", "link"))
    folder.mkdir()
    (folder / "key.txt").write_text("plain\n", "utf-8")
    link.symlink_to(place.root / "secret")
    over = threading.Event()

    def swap() -> None:
        while not over.is_set():
            folder.rename(away)
            link.rename(folder)
            folder.rename(link)
            away.rename(folder)

    thread = threading.Thread(target=swap)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


TRIES = 3_000


def race(place: Place, read: Callable[[str], str]) -> tuple[int, int]:
    """Count how often a path was found inside, and how often the secret was read then."""
    roots, inside, leaked = [str(place.project)], 0, 0
    with swapping(place):
        for _ in range(TRIES):
            with suppress(OSError):
                place_now = resolve_beneath("d/key.txt", roots)
                inside += 1
                leaked += read(place_now).startswith("SECRET")
    return inside, leaked


def test_nothing_leaks_through_a_verified_descriptor_while_a_thread_swaps(
    place: Place, record_property: Callable[[str, object], None]
) -> None:
    inside, leaked = race(place, lambda checked: text_of(open_place(checked)))
    record_property("checked inside", inside)
    assert inside > 0
    assert leaked == 0


def test_how_much_leaks_without_it_is_measured(
    place: Place, record_property: Callable[[str, object], None]
) -> None:
    inside, leaked = race(place, lambda _: Path("d/key.txt").read_text("utf-8"))
    record_property("checked inside", inside)
    record_property("leaked", leaked)
    assert 0 <= leaked <= inside


def test_a_file_inside_is_opened(place: Place) -> None:
    place.link("proj/l", "src/app.py")
    assert text_of(open_verified("l", roots=[str(place.project)])) == "a\n"


def test_a_file_is_made_with_the_rights_that_were_asked_for(place: Place) -> None:
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL
    descriptor = open_verified("src/n", flags, roots=[str(place.project)], mode=0o600)
    os.write(descriptor, b"x")
    os.close(descriptor)
    made = place.project / "src/n"
    assert made.read_text() == "x"
    assert stat.S_IMODE(made.stat().st_mode) == 0o600


def test_a_folder_can_be_opened(place: Place) -> None:
    descriptor = open_verified(".", os.O_RDONLY | os.O_DIRECTORY, roots=[str(place.project)])
    assert sorted(os.listdir(descriptor)) == ["README.md", "docs", "src"]  # noqa: PTH208 - a descriptor
    os.close(descriptor)


def test_a_descriptor_is_not_inherited(place: Place) -> None:
    descriptor = open_verified("README.md", roots=[str(place.project)])
    assert not os.get_inheritable(descriptor)
    os.close(descriptor)


@pytest.mark.parametrize(
    "path", ["../secret/key.txt", "/etc/passwd", "out/key.txt", "", "a\0b", "no/../x"]
)
def test_what_leads_out_or_nowhere_is_not_opened(place: Place, path: str) -> None:
    place.link("proj/out", "../secret")
    with pytest.raises(OutsideError):
        open_verified(path, roots=[str(place.project)])


def test_a_missing_file_is_no_matter_of_the_guard(place: Place) -> None:
    with pytest.raises(FileNotFoundError):
        open_verified("nothing/here", roots=[str(place.project)])


def test_a_relative_path_begins_in_the_given_folder(place: Place) -> None:
    found = resolve_beneath("app.py", [str(place.project)], cwd=str(place.project / "src"))
    assert found == str(place.project / "src/app.py")


def test_no_descriptor_is_left_open(place: Place) -> None:
    if not Path("/proc/self/fd").is_dir():
        pytest.skip("this system has no /proc")
    before = len(list(Path("/proc/self/fd").iterdir()))
    for path in ("README.md", "nothing/x", "src/app.py/x"):
        with suppress(OSError):
            os.close(open_verified(path, roots=[str(place.project)]))
    assert len(list(Path("/proc/self/fd").iterdir())) == before
