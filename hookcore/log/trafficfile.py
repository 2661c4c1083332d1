"""The file of recorded traffic: whole lines, its owner's alone, no larger than allowed."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path

from ..disk.atomic import alone
from ..waiting.background import Background

__all__ = ["TrafficFile"]

_BATCH = 200
_GATHER_SECONDS = 0.05


class TrafficFile(Background[Callable[[], str]]):
    """A bounded queue of lines, and the thread that makes and appends them.

    Args:
        file: the file; older ones stand beside it, with ``.1``, ``.2`` and so on behind the name.
        max_bytes: the size at which a new file is begun.
        max_files: how many there are at most, the one that is written included.
        bound: how many lines may wait.
    """

    def __init__(self, file: Path, *, max_bytes: int, max_files: int, bound: int = 10_000) -> None:
        self.file = file
        super().__init__(
            "hookcore recorder",
            lambda: _Appending(file, max_bytes, max_files),
            failing=f"traffic cannot be recorded in {file}",
            bound=bound,
            batch=_BATCH,
            gather=_GATHER_SECONDS,
        )


class _Appending:
    """The work of the thread."""

    def __init__(self, file: Path, max_bytes: int, max_files: int) -> None:
        self._file = file
        self._max_bytes = max_bytes
        self._max_files = max_files

    def work(self, items: Sequence[Callable[[], str]], dropped: int) -> float | None:
        text = "".join(f"{make()}\n" for make in items)
        if dropped:
            text += f'{{"hookcore_record": 1, "dropped": {dropped}}}\n'
        with alone(self._file):  # the processes that a program starts may write it, too
            self._append(text.encode("ascii"))
        return None

    def _append(self, data: bytes) -> None:
        if self._size() + len(data) > self._max_bytes:
            self._begin_another()
        descriptor = os.open(
            self._file, os.O_WRONLY | os.O_CREAT | os.O_APPEND | getattr(os, "O_NOFOLLOW", 0), 0o600
        )
        try:
            # What a crash has cut is ended, so that it spoils no other line.
            if _ends_within_a_line(self._file):
                data = b"\n" + data
            before = os.fstat(descriptor).st_size
            written = os.write(descriptor, data)
            if written < len(data):  # the disk is full
                os.ftruncate(descriptor, before)
                raise OSError(f"only {written} of {len(data)} bytes could be written")
        finally:
            os.close(descriptor)

    def _size(self) -> int:
        try:
            return self._file.stat().st_size
        except FileNotFoundError:
            return 0

    def _begin_another(self) -> None:
        if not self._size():
            return
        names = [self._file, *(_numbered(self._file, at) for at in range(1, self._max_files))]
        for older, newer in zip(reversed(names), reversed(names[:-1]), strict=False):
            if newer.exists():
                newer.replace(older)
        if len(names) == 1:
            self._file.unlink()

    def close(self) -> None:
        """Nothing is held between two batches."""


def _numbered(file: Path, number: int) -> Path:
    return file.with_name(f"{file.name}.{number}")


def _ends_within_a_line(file: Path) -> bool:
    with file.open("rb") as stream:
        if stream.seek(0, os.SEEK_END) == 0:
            return False
        stream.seek(-1, os.SEEK_END)
        return stream.read(1) != b"\n"
