"""The gap between the check and the use: stated, measured, and closed by hosts that open files."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from hookcore.hosting import open_place, resolve_beneath

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
