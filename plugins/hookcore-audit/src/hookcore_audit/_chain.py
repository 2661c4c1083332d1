"""The chain on disk: records appended under the lock of the folder, in files that rotate."""

from __future__ import annotations

import contextlib
import logging
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from ._bodies import now
from ._folder import Lock, file_name, make_folder, numbers, open_file
from ._record import GENESIS, Entry, NotARecordError, Record, read_record, seal
from ._report import Anchor
from ._signing import SigningKey

__all__ = ["START", "BrokenLogError", "Chain"]

_log = logging.getLogger("hookcore_audit")
_LOCK_SECONDS: Final = 2.0
_BLOCK: Final = 1 << 16


class BrokenLogError(OSError):
    """Raised when the end of a log cannot be read, so that nothing can follow it."""


START: Final = Anchor(-1, GENESIS)
"""The head of a log without records."""


class Chain:
    """Appends to a log that other processes may append to.

    Where the log ends is remembered, and believed only while the file is as long as it was left.

    Args:
        folder: the log's folder.
        max_bytes: the size beyond which another file is begun.
        keep_files: how many files are kept.
        key: signs heads; None for a log without signatures.
        every: how many records a signature is for.
    """

    def __init__(
        self,
        folder: Path,
        *,
        max_bytes: int,
        keep_files: int,
        key: SigningKey | None = None,
        every: int = 1000,
    ) -> None:
        self._folder = folder
        self._max_bytes = max_bytes
        self._keep_files = keep_files
        self._key = key
        self._every = every
        self._lock = Lock(folder)
        self._file: int | None = None
        self._place = (0, 0)
        self._number = 0
        self._size = -1
        self._head = START
        self._lines: list[bytes] = []
        self._unsigned = False
        self._told = False

    def check(self) -> None:
        """Make the folder, and see that records can be appended to what is in it.

        Raises:
            OSError: they cannot.
        """
        make_folder(self._folder)
        with self._lock.held(_LOCK_SECONDS):
            self._find_end()
            self._write()

    def append(self, entries: Sequence[Entry]) -> Anchor:
        """Append records, all or none.

        Args:
            entries: what they say.

        Returns:
            The last one.

        Raises:
            OSError: nothing was appended.
        """
        return self._append(entries)

    def sign_end(self) -> Anchor:
        """Sign the end of the log, unless it is signed.

        Raises:
            OSError: nothing was appended.
        """
        return self._append((), sign=True)

    def _append(self, entries: Sequence[Entry], *, sign: bool = False) -> Anchor:
        make_folder(self._folder)
        with self._lock.held(_LOCK_SECONDS):
            self._find_end()
            try:
                for entry in entries:
                    self._add(entry)
                if sign and self._unsigned:
                    self._sign()
                self._write()
            except BaseException:
                self._doubt()
                raise
            head = self._head
            if self._size >= self._max_bytes:
                self._try_to_rotate()
            return head

    def sync(self) -> None:
        """Have the disk keep what was appended.

        Raises:
            OSError: it does not.
        """
        if self._file is not None:
            os.fsync(self._file)

    def close(self) -> None:
        """Close the file; the next record opens it again."""
        self._doubt()
        descriptor, self._file = self._file, None
        if descriptor is not None:
            os.close(descriptor)

    def forget(self) -> None:
        """Begin anew in a forked child; what its parent was about to write is not the child's."""
        self._lock.forget()
        self.close()

    # Where the log ends

    def _doubt(self) -> None:
        """Look where the log ends before the next record."""
        self._size, self._lines = -1, []

    def _find_end(self) -> None:
        """Open the last file and find the last record; a line that is not whole is cut off."""
        if self._is_as_it_was():
            return
        known = numbers(self._folder)
        self._open(known[-1] if known else 0)
        cut = self._cut_torn_end()
        last = self._last_of(known)
        self._head = START if last is None else Anchor(last.seq, last.hash)
        self._unsigned = last is not None and last.kind != "checkpoint"
        if last is None:
            self._sign()  # from the beginning it is known how often there is a signature
        if cut:
            self._add(Entry("repair", now(), {"cut_bytes": cut}))

    def _is_as_it_was(self) -> bool:
        if self._file is None or os.fstat(self._file).st_size != self._size:
            return False
        try:
            found = os.lstat(self._path(self._number))
        except FileNotFoundError:
            return False
        following = self._path(self._number + 1)
        return (found.st_ino, found.st_dev) == self._place and not os.path.lexists(following)

    def _path(self, number: int) -> Path:
        return self._folder / file_name(number)

    def _open(self, number: int) -> None:
        self.close()
        self._file = open_file(self._path(number))
        found = os.fstat(self._file)
        self._number, self._size = number, found.st_size
        self._place = found.st_ino, found.st_dev

    def _cut_torn_end(self) -> int:
        """Cut off what a writer that was killed has left; return how many bytes that was."""
        assert self._file is not None  # noqa: S101 - for type checkers
        tail = _last_line(self._file, self._size)
        if not tail or tail.endswith(b"\n"):
            return 0
        os.ftruncate(self._file, self._size - len(tail))
        self._size -= len(tail)
        return len(tail)

    def _last_of(self, known: Sequence[int]) -> Record | None:
        for number in reversed(known):
            path = self._path(number)
            descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
            try:
                line = _last_line(descriptor, os.fstat(descriptor).st_size)
            finally:
                os.close(descriptor)
            if not line:
                continue  # somebody was killed after beginning this file
            try:
                return read_record(line)
            except NotARecordError as error:
                raise BrokenLogError(
                    f"the last line of {path} is no record ({error}), so that nothing can follow "
                    "it: keep the folder as evidence under another name"
                ) from error
        return None

    # Appending

    def _add(self, entry: Entry) -> None:
        seq = self._head.seq + 1
        try:
            sealed = seal(seq, self._head.hash, entry)
        except ValueError as error:  # it would stand in the way of all that come after it
            entry = Entry("unreadable", entry.at, {"error": type(error).__name__})
            sealed = seal(seq, self._head.hash, entry)
        self._lines.append(sealed.line)
        self._head = Anchor(seq, sealed.hash)
        self._unsigned = self._unsigned or entry.kind != "checkpoint"
        if (seq + 1) % self._every == 0 and entry.kind != "checkpoint":
            self._sign()

    def _sign(self) -> None:
        if self._key is None:
            return
        signature = self._key.sign("checkpoint", self._head, self._every)
        body = {"every": self._every, "key": self._key.id, "sig": signature}
        self._add(Entry("checkpoint", now(), body))
        self._unsigned = False

    def _write(self) -> None:
        assert self._file is not None  # noqa: S101 - for type checkers
        data, self._lines = b"".join(self._lines), []
        done = 0
        try:
            while done < len(data):
                done += os.write(self._file, data[done:])
        except BaseException:
            if done:  # a disk that is full in the middle: what cannot be cut is repaired later
                with contextlib.suppress(OSError):
                    os.ftruncate(self._file, self._size)
            self._doubt()
            raise
        self._size += len(data)

    def _try_to_rotate(self) -> None:
        try:
            self._rotate()
        except OSError as error:
            # What was to be appended is there; whoever tried again would append it twice.
            self._doubt()
            if not self._told:
                self._told = True
                _log.warning("the audit log in %s cannot be rotated: %s", self._folder, error)

    def _rotate(self) -> None:
        """Begin another file, and remove the oldest ones; each is told in a record before."""
        self.sync()
        self._open(self._number + 1)
        self._sign()  # so that each file has a signature, also when those before it are gone
        self._write()
        for number in numbers(self._folder)[: -self._keep_files]:
            last = self._last_of([number])
            if last is not None:
                self._add(self._pruned(last))
                self._write()
            self._path(number).unlink()

    def _pruned(self, last: Record) -> Entry:
        body: dict[str, object] = {"seq": last.seq, "head": last.hash}
        if self._key is not None:
            # By itself: anybody who can write here could have one appended that is signed later.
            signature = self._key.sign("pruned", Anchor(last.seq, last.hash))
            body |= {"key": self._key.id, "sig": signature}
        return Entry("pruned", now(), body)


def _last_line(descriptor: int, size: int) -> bytes:
    """Return the last line of a file, with its end if it has one."""
    tail = b""
    while len(tail) < size:
        begin = max(0, size - len(tail) - _BLOCK)
        tail = os.pread(descriptor, size - len(tail) - begin, begin) + tail
        at = tail.rstrip(b"\n").rfind(b"\n") if tail.endswith(b"\n") else tail.rfind(b"\n")
        if at >= 0:
            return tail[at + 1 :]
    return tail
