"""The machine's folder of bundles: revisions, the link to the one in force, and what was seen."""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Final

from ._archive import CONTENT, Archive
from ._envelope import Envelope
from ._files import STAGED, locked, put, sync, write
from ._news import News
from ._refused import RefusedError
from ._roots import Roots, read_roots

__all__ = ["Folder", "Seen"]

_CURRENT: Final = "current"
_STATE: Final = "state.json"
_ROOTS: Final = "roots.json"
_NEWS: Final = "timestamp.json"
_MANIFEST: Final = "manifest.json"
_HISTORY: Final = "history.jsonl"
_REVISION: Final = "rev-"
_MOST_BYTES: Final = 64 << 20


@dataclass
class Seen:
    """The memory of a machine beside the signed files; times are seconds."""

    highest: int = 0
    """The highest revision that was in force here."""
    digest: str = ""
    """The SHA-256 of its archive."""
    timestamp: int = 0
    """The time of the newest timestamp."""
    time: int = 0
    """The latest time that was ever seen."""
    checked: int = 0
    """The time of the last right answer of the server."""
    error: str | None = None
    """The reason why the last pull took nothing."""
    break_glass: dict[str, Any] | None = field(default=None)
    """The revision that somebody went back to by hand, when, and who."""


class Folder:
    """Reads and changes the folder; whoever changes it holds :meth:`alone`.

    Args:
        path: the folder.
    """

    def __init__(self, path: Path) -> None:
        self.path = path

    @contextlib.contextmanager
    def alone(self) -> Iterator[None]:
        """Keep other processes from changing the folder, and clear up after killed ones.

        Raises:
            RefusedError: the folder cannot be made or locked.
        """
        with contextlib.ExitStack() as stack:
            try:
                self.path.mkdir(parents=True, exist_ok=True)
                stack.enter_context(locked(self.path / ".lock"))
            except OSError as error:
                raise _disk(error, self.path) from error
            for left in self.path.glob(f"{STAGED}*"):
                if left.is_dir() and not left.is_symlink():
                    shutil.rmtree(left, ignore_errors=True)
                else:
                    left.unlink(missing_ok=True)
            yield

    # What is remembered

    def seen(self) -> Seen | None:
        """Return what is remembered; None when nothing is, or it cannot be read any more."""
        try:
            table = json.loads((self.path / _STATE).read_bytes())
            seen = Seen(**table)
            whole = (seen.highest, seen.timestamp, seen.time, seen.checked)
            return seen if all(type(each) is int for each in whole) else None
        except (OSError, ValueError, TypeError):
            return None

    def remember(self, seen: Seen) -> None:
        """Write what is to be remembered."""
        self._put(_STATE, json.dumps(asdict(seen), indent=1).encode() + b"\n")

    def stored_roots(self) -> list[Envelope]:
        """Return the roots that were accepted here; none are believed for that."""
        data = self._read(_ROOTS)
        return [] if data is None else read_roots(data)

    def put_roots(self, roots: Roots) -> None:
        """Keep the roots."""
        self._put(_ROOTS, roots.as_json())

    # Revisions

    def current(self) -> Path | None:
        """Return the folder of the revision in force; None when there is none."""
        try:
            name = os.readlink(self.path / _CURRENT)  # noqa: PTH115 - the text of the link
        except OSError:
            return None
        # What lies elsewhere is nothing that was put in force here.
        return self.path / name if name.startswith(_REVISION) and os.sep not in name else None

    def stamp(self, *more: Path) -> tuple[object, ...]:
        """Return what tells whether what is in force has changed, to be compared.

        Args:
            more: files beside those of the revision in force.
        """
        current = self.current()
        found: list[object] = [current]
        inside = [] if current is None else sorted(current.glob("*"))
        for file in (*more, *inside):
            with contextlib.suppress(OSError):
                status = file.stat()
                found.append((str(file), status.st_ino, status.st_size, status.st_ctime_ns))
        return tuple(found)

    def revisions(self) -> list[Path]:
        """Return the folders of all revisions that are kept, the oldest first."""
        found = [each for each in self.path.glob(f"{_REVISION}*") if each.is_dir()]
        return sorted(found, key=lambda each: (each.stat().st_mtime_ns, each.name))

    def content(self, revision: Path) -> Archive:
        """Read a revision that is kept.

        Raises:
            RefusedError: it is not there any more, or not readable.
        """
        try:
            envelope = Envelope.from_json(_bytes(revision / _MANIFEST), "manifest")
            files = {
                name: _bytes(revision / name) for name in CONTENT if (revision / name).exists()
            }
        except OSError as error:
            raise _disk(error, revision) from error
        return Archive(envelope, (), files)

    def news(self, revision: Path) -> News:
        """Return the newest timestamp that came for a revision.

        Raises:
            RefusedError: it is not there, or not readable.
        """
        try:
            return News.unpack(_bytes(revision / _NEWS))
        except OSError as error:
            raise _disk(error, revision) from error

    def put_news(self, revision: Path, news: News) -> None:
        """Keep a newer timestamp for a revision."""
        self._put(f"{revision.name}/{_NEWS}", news.pack())

    @contextlib.contextmanager
    def staged(self, archive: Archive, news: News) -> Iterator[Path]:
        """Write a revision beside the others; it is gone at the end if it was not activated.

        What it takes to verify it lies in the same folder, so that it changes at once with it.
        """
        try:
            folder = Path(tempfile.mkdtemp(prefix=STAGED, dir=self.path))
        except OSError as error:
            raise _disk(error, self.path) from error
        try:
            self._fill(folder, archive, news)
            yield folder
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    def _fill(self, folder: Path, archive: Archive, news: News) -> None:
        content: Mapping[str, bytes] = {
            **archive.files,
            _MANIFEST: archive.envelope.as_json(),
            _NEWS: news.pack(),
        }
        try:
            folder.chmod(0o755)
            for name, data in content.items():
                write(folder / name, data)
            sync(folder)
        except OSError as error:
            raise _disk(error, folder) from error

    def activate(self, staged: Path, revision: int) -> None:
        """Put a staged revision in force at once: readers find the old one or the new one."""
        folder = self.path / f"{_REVISION}{revision:08d}-{secrets.token_hex(4)}"
        link = self.path / f"{STAGED}{secrets.token_hex(4)}"
        try:
            staged.rename(folder)
            link.symlink_to(folder.name)
            link.replace(self.path / _CURRENT)
            sync(self.path)
        except OSError as error:
            raise _disk(error, self.path) from error

    def prune(self, keep: int) -> None:
        """Remove the oldest revisions, never the one in force."""
        current = self.current()
        others = [each for each in self.revisions() if each != current]
        for old in others[: max(0, len(others) - (keep - 1))]:
            shutil.rmtree(old, ignore_errors=True)

    def note(self, **event: Any) -> None:
        """Add a line to the history of what was in force here."""
        try:
            with (self.path / _HISTORY).open("a", encoding="utf-8") as file:
                file.write(json.dumps(event) + "\n")
        except OSError as error:
            raise _disk(error, self.path / _HISTORY) from error

    def _read(self, name: str) -> bytes | None:
        try:
            return _bytes(self.path / name)
        except FileNotFoundError:
            return None
        except OSError as error:
            raise _disk(error, self.path / name) from error

    def _put(self, name: str, data: bytes) -> None:
        try:
            put(self.path / name, data)
        except OSError as error:
            raise _disk(error, self.path) from error


def _bytes(file: Path) -> bytes:
    with file.open("rb") as opened:
        return opened.read(_MOST_BYTES)


def _disk(error: OSError, where: Path) -> RefusedError:
    return RefusedError("disk", f"{error.strerror or error}: {error.filename or where}")
