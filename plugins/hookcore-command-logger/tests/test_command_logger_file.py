"""The file: moved, removed, replaced by something else, full, and whose it is."""

from __future__ import annotations

import errno
import os
import shutil
import stat
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from hookcore_command_logger._file import LineFile, PlaceError

posix = pytest.mark.skipif(sys.platform == "win32", reason="Windows lets nobody move an open file")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    folder = tmp_path / "logs"
    folder.mkdir()
    return folder / "commands.jsonl"


@pytest.fixture
def file(path: Path) -> Iterator[LineFile]:
    made = LineFile(path, 1_000_000, 2)
    made.append("one")
    yield made
    made.close()


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@posix
def test_lines_follow_the_name_when_the_file_is_moved(file: LineFile, path: Path) -> None:
    moved = path.rename(path.with_suffix(".1"))
    file.append("two")
    assert (moved.read_text(), path.read_text()) == ("one\n", "two\n")
    assert mode(path) == 0o600


@posix
def test_a_file_that_somebody_put_in_its_place_is_continued_and_closed_to_others(
    file: LineFile, path: Path
) -> None:
    path.rename(path.with_suffix(".1"))
    path.touch(mode=0o644)
    path.chmod(0o644)
    file.append("two")
    assert path.read_text() == "two\n"
    assert mode(path) == 0o600


@posix
def test_a_file_that_was_removed_is_made_anew(file: LineFile, path: Path) -> None:
    path.unlink()
    file.append("two")
    assert path.read_text() == "two\n"


@posix
def test_a_file_that_was_emptied_in_place_is_continued(file: LineFile, path: Path) -> None:
    os.truncate(path, 0)
    file.append("two")
    assert path.read_text() == "two\n"


@posix
def test_a_folder_that_was_removed_is_an_error_until_it_is_back(file: LineFile, path: Path) -> None:
    shutil.rmtree(path.parent)
    for _ in range(2):
        with pytest.raises(FileNotFoundError):
            file.append("two")
    path.parent.mkdir()
    file.append("three")
    assert path.read_text() == "three\n"


def in_the_way(path: Path, what: str) -> None:
    other = path.with_name("other")
    other.touch()
    if what == "link":
        path.symlink_to(other)
    elif what == "broken link":
        path.symlink_to(path.with_name("nowhere"))
    elif what == "second name":
        path.hardlink_to(other)
    elif what == "pipe":
        os.mkfifo(path)
    else:
        path.symlink_to("/dev/null")


KINDS = ("link", "broken link", "second name", "pipe", "device")


@posix
@pytest.mark.parametrize("what", KINDS)
def test_what_is_no_plain_file_is_refused_at_the_start(path: Path, what: str) -> None:
    in_the_way(path, what)
    with pytest.raises(PlaceError, match="remove it, or set another file"):
        LineFile(path, 1_000_000, 2)


@posix
@pytest.mark.parametrize("what", KINDS)
def test_what_is_no_plain_file_is_refused_while_it_runs(
    file: LineFile, path: Path, what: str
) -> None:
    path.unlink()
    in_the_way(path, what)
    with pytest.raises(PlaceError):
        file.append("two")
    path.unlink()
    file.append("three")
    assert path.read_text() == "three\n"


@posix
def test_a_file_of_another_user_is_refused(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path.touch()
    owner = path.stat().st_uid
    monkeypatch.setattr(os, "geteuid", lambda: owner + 1)
    with pytest.raises(PlaceError, match="belongs to another user"):
        LineFile(path, 1_000_000, 2)


def test_half_a_line_is_taken_back(
    file: LineFile, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write, calls = os.write, []

    def full(descriptor: int, data: bytes) -> int:
        calls.append(data)
        if len(calls) == 2:
            raise OSError(errno.ENOSPC, "full")
        return write(descriptor, data[:2])

    monkeypatch.setattr(os, "write", full)
    with pytest.raises(OSError, match="full"):
        file.append("two")
    monkeypatch.undo()
    file.append("three")
    assert path.read_text() == "one\nthree\n"


@posix
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_child_goes_on_though_its_parent_was_writing(file: LineFile, path: Path) -> None:
    lock: Any = file._lock
    with lock:
        child = os.fork()
        if child == 0:
            file.append("child")
            os._exit(0)
    assert os.waitpid(child, 0)[1] == 0
    file.append("parent")
    assert path.read_text() == "one\nchild\nparent\n"


def test_a_line_that_is_longer_than_the_bound_has_a_file_of_its_own(path: Path) -> None:
    file = LineFile(path, 10, 2)
    for line in ("a", "x" * 50, "b"):
        file.append(line)
    file.close()
    kept = [path.with_name(f"{path.name}{end}") for end in (".2", ".1", "")]
    assert [each.read_text() for each in kept] == ["a\n", f"{'x' * 50}\n", "b\n"]
