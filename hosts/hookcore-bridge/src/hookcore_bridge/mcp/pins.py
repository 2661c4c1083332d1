"""Pins: what a server's tools were like when they were first seen, or accepted by a person.

A server may describe a tool harmlessly, and in another way once it is trusted. The description is
what a model obeys, so a changed one is withheld, and the tool with it, until somebody accepts it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timezone
from pathlib import Path
from typing import Any, Final

from hookcore import HookcoreError
from hookcore.hosting import alone, make_state_folder, replace_file, state_folder

__all__ = ["Pin", "Pins", "PinsError", "Record", "all_records", "identity"]

_FOLDER: Final = "mcp-pins"
_MOST_TOOLS: Final = 5_000
_VERSION: Final = 1
_TABLES: Final = ("pinned", "changed")


class PinsError(HookcoreError):
    """The pins cannot be read or written."""


@dataclass(frozen=True, slots=True)
class Pin:
    """A tool as it was.

    Args:
        digest: the SHA-256 of the canonical JSON of the entry.
        entry: what the server said of it.
        seen: when it was first seen so.
    """

    digest: str
    entry: dict[str, Any]
    seen: str

    @classmethod
    def of(cls, entry: dict[str, Any]) -> Pin:
        """Return the pin of a tool as it is now."""
        text = json.dumps(entry, sort_keys=True, separators=(",", ":")).encode("ascii")
        now = datetime.now(timezone.utc).isoformat(timespec="seconds")
        return cls(hashlib.sha256(text).hexdigest(), entry, now)


@dataclass(slots=True)
class Record:
    """All that is kept of a server.

    Args:
        id: the beginning of the digest of the server's command or address.
        label: by which a person knows it; nothing of its arguments, which may hold a key.
        pinned: its tools by name, as they may be used.
        changed: its tools by name, as they are withheld.
    """

    id: str
    label: str
    pinned: dict[str, Pin] = field(default_factory=dict)
    changed: dict[str, Pin] = field(default_factory=dict)


def identity(server: Sequence[str]) -> str:
    """Return the id of a server, by its command or its address.

    What names a file here counts as the whole path, since the same word is another file elsewhere.

    Args:
        server: the program and its arguments; or the address alone.
    """
    words = [str(Path(word).absolute()) if _is_file(word) else word for word in server]
    return hashlib.sha256(json.dumps(words).encode("ascii")).hexdigest()[:16]


def _is_file(word: str) -> bool:
    try:
        return bool(word) and Path(word).exists()
    except (OSError, ValueError):
        return False


class Pins:
    """The pins of one server, in a file that all its proxies share.

    Args:
        server_id: see :func:`identity`.
        label: by which a person knows the server.

    Raises:
        PinsError: they cannot be read.
        StateError: there is no folder for them.
    """

    def __init__(self, server_id: str, label: str) -> None:
        folder = make_state_folder() / _FOLDER
        try:
            folder.mkdir(mode=0o700, exist_ok=True)
        except OSError as error:
            raise _unusable(folder, error) from error
        self._file = folder / f"{server_id}.json"
        self._id, self._label = server_id, label
        self._withheld = frozenset(self._read().changed)

    def take(self, tools: Sequence[dict[str, Any]]) -> tuple[frozenset[str], frozenset[str]]:
        """Hold a server's tools against their pins, and pin those that are new.

        Args:
            tools: entries of a list, each with a name.

        Returns:
            The names that are withheld, and those of them that were not withheld before.

        Raises:
            PinsError: the pins cannot be read or written.
        """
        before = self._withheld
        with self._changing() as record:
            record.label = self._label
            seen: dict[str, Pin] = {}
            for entry in tools:
                name, pin = entry["name"], Pin.of(entry)
                known = record.pinned.setdefault(name, pin)
                if pin.digest != known.digest:
                    seen[name] = pin
                elif name not in seen:
                    record.changed.pop(name, None)
            for name, pin in seen.items():
                if name not in record.changed or record.changed[name].digest != pin.digest:
                    record.changed[name] = pin
            if len(record.pinned) > _MOST_TOOLS:
                raise PinsError(f"the server has named more than {_MOST_TOOLS} tools")
            self._withheld = frozenset(record.changed)
        return self._withheld, self._withheld - before

    def withholds(self, name: str) -> bool:
        """Return whether a tool has changed and nobody has accepted it.

        Raises:
            PinsError: the pins cannot be read.
        """
        if name in self._withheld:  # it may have been accepted meanwhile
            self._withheld = frozenset(self._read().changed)
        return name in self._withheld

    def accept(self, names: Sequence[str] | None = None) -> dict[str, tuple[Pin, Pin]]:
        """Let changed tools be used as they are now.

        Args:
            names: which; all when None.

        Returns:
            The pins before and after, by name.
        """
        accepted: dict[str, tuple[Pin, Pin]] = {}
        with self._changing() as record:
            for name in list(record.changed) if names is None else names:
                pin = record.changed.pop(name)
                accepted[name] = record.pinned[name], pin
                record.pinned[name] = pin
        return accepted

    def forget(self) -> None:
        """Forget all pins: what the server says next is pinned anew."""
        with alone(self._file):
            self._file.unlink(missing_ok=True)

    @contextmanager
    def _changing(self) -> Iterator[Record]:
        try:
            with alone(self._file):
                record = self._read()
                before = _written(record)
                yield record
                if _written(record) != before:
                    replace_file(self._file, _written(record), private=True)
        except OSError as error:
            raise _unusable(self._file, error) from error

    def _read(self) -> Record:
        found = _read(self._file)
        return Record(self._id, self._label) if found is None else found


def all_records() -> list[Record]:
    """Return what is kept of all servers, by label.

    Raises:
        PinsError: a file cannot be read.
    """
    state = state_folder()
    files = [] if state is None else sorted((state / _FOLDER).glob("*.json"))
    records = [record for record in map(_read, files) if record is not None]
    return sorted(records, key=lambda record: (record.label, record.id))


def _read(file: Path) -> Record | None:
    try:
        return _record(file.stem, json.loads(file.read_bytes()))
    except FileNotFoundError:
        return None
    except OSError as error:
        raise _unusable(file, error) from error
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise PinsError(
            f"the pins in {file} cannot be read ({type(error).__name__}): look at it, then remove "
            "it to have the server's tools pinned anew"
        ) from error


def _record(server_id: str, data: Any) -> Record:
    if data["version"] != _VERSION:
        raise ValueError("another version of hookcore-bridge wrote it")
    tables = ({name: Pin(**pin) for name, pin in data[key].items()} for key in _TABLES)
    record = Record(server_id, data["label"], *tables)
    if not record.changed.keys() <= record.pinned.keys():
        raise ValueError("a tool has changed that was never pinned")
    return record


def _written(record: Record) -> bytes:
    def table(pins: dict[str, Pin]) -> dict[str, Any]:
        return {
            name: {"digest": pin.digest, "entry": pin.entry, "seen": pin.seen}
            for name, pin in pins.items()
        }

    value = {
        "version": _VERSION,
        "label": record.label,
        "pinned": table(record.pinned),
        "changed": table(record.changed),
    }
    return json.dumps(value, indent=1).encode("ascii")


def _unusable(path: Path, error: OSError) -> PinsError:
    problem = error.strerror or type(error).__name__
    return PinsError(f"the pins in {path} cannot be used ({problem}): mend its permissions")
