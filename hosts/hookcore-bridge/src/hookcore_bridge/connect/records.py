"""Records of what ``connect`` changed, so that ``disconnect`` gives each file back exactly.

A record holds the bytes that were taken out, where, and digests of the file before and after. It
lies in the user's state folder, which nobody else may enter.
"""

from __future__ import annotations

import base64
import contextlib
import hashlib
import json
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from hookcore.hosting import StateError, make_state_folder, replace_file, state_folder

__all__ = ["Record", "Switch", "forget", "keep", "make", "recall", "undone"]


@dataclass(frozen=True)
class Switch:
    """A single value that was set, and what it was before."""

    path: tuple[str, ...]
    value: Any
    was: Any = None
    there: bool = False
    """True when there was a value before."""


@dataclass(frozen=True)
class Record:
    """The change of one file."""

    file: str
    client: str
    scope: str
    before: str | None
    """The digest of the file before; None when there was no file."""
    after: str
    at: int
    taken: str
    """The bytes that stood there before, in base64."""
    put: int
    """The number of bytes that stand there now."""
    folders: list[str] = field(default_factory=list)
    switches: list[Switch] = field(default_factory=list)
    mode: int | None = None
    """The file's permissions before; None when there was no file."""


def make(
    file: Path,
    client: str,
    scope: str,
    *,
    before: bytes | None,
    after: bytes,
    folders: list[str],
    switches: list[Switch],
    mode: int | None,
) -> Record:
    """Describe a change.

    Args:
        file: the file.
        client: the client whose file it is.
        scope: whose place it is: ``user``, ``project`` or ``managed``.
        before: the content before; None when there was no file.
        after: the content after.
        folders: the folders that are made for it.
        switches: the single values that are set.
        mode: the file's permissions before; None when there was no file.

    Returns:
        The record.
    """
    old = before or b""
    start = _alike(old, after)
    tail = _alike(old[start:][::-1], after[start:][::-1])
    return Record(
        file=str(file),
        client=client,
        scope=scope,
        before=None if before is None else digest(before),
        after=digest(after),
        at=start,
        taken=base64.b64encode(old[start : len(old) - tail]).decode(),
        put=len(after) - tail - start,
        folders=folders,
        switches=switches,
        mode=mode,
    )


def undone(record: Record, now: bytes | None) -> tuple[bool, bytes | None]:
    """Give back what a file was before the change.

    Args:
        record: the change.
        now: the file's content.

    Returns:
        Whether that is known, and the content, None when there was no file.
    """
    current = None if now is None else digest(now)
    if current == record.before:  # it was never written, or was given back already
        return True, now
    if now is None or current != record.after:
        return False, None
    if record.before is None:
        return True, None
    try:
        taken = base64.b64decode(record.taken)
        old = now[: record.at] + taken + now[record.at + record.put :]
    except (TypeError, ValueError):  # somebody has edited the record
        return False, None
    return digest(old) == record.before, old


def keep(record: Record) -> None:
    """Write a record, closed to everybody else.

    Raises:
        StateError: the user has no home, or the folder cannot be written.
    """
    folder = make_state_folder() / "connect"
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
        data = json.dumps(asdict(record), indent=1).encode()
        replace_file(_place(folder, record.file), data, private=True)
    except OSError as error:
        raise StateError(
            f"{folder} cannot be written: {error.strerror or error}: mend its permissions"
        ) from error


def recall(file: Path) -> Record | None:
    """Return the record of a file, unless there is none or it cannot be read."""
    state = state_folder()
    return None if state is None else _load(_place(state / "connect", str(file)))


def forget(file: Path) -> None:
    """Drop the record of a file."""
    state = state_folder()
    if state is not None:
        with contextlib.suppress(OSError):
            _place(state / "connect", str(file)).unlink()


def digest(data: bytes) -> str:
    """Return the SHA-256 of a content."""
    return hashlib.sha256(data).hexdigest()


def _alike(one: bytes, other: bytes) -> int:
    """Return how many bytes both begin with."""
    low, high = 0, min(len(one), len(other))
    while low < high:  # comparing halves is quicker than comparing bytes
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def _place(folder: Path, file: str) -> Path:
    return folder / f"{hashlib.sha256(file.encode()).hexdigest()[:32]}.json"


def _load(path: Path) -> Record | None:
    try:
        told = json.loads(path.read_bytes())
        switches = [Switch(**{**one, "path": tuple(one["path"])}) for one in told.pop("switches")]
        return Record(**told, switches=switches)
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        return None  # without it, what is ours is found by how it looks
