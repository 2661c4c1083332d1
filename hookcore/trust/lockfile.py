"""``hookcore.lock``: the installed code that somebody has accepted, in a canonical form."""

from __future__ import annotations

import json
import os
import re
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..disk.atomic import alone, replace_file
from ..errors import ConfigError
from .installed import installed_files, listed_digest

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from ..discovery import PluginSource

__all__ = [
    "LOCK_NAME",
    "LockEntry",
    "change_lock",
    "entry_of",
    "lock_beside",
    "lock_text",
    "read_lock",
]

LOCK_NAME = "hookcore.lock"
_VERSION = 1
_MAX_BYTES = 32 * 1024 * 1024
_HEAD = (
    "# The installed code of plugins that may be loaded. Written by 'hookctl lock'; keep it\n"
    "# beside the configuration that enables them.\n"
    f"version = {_VERSION}\n"
)


@dataclass(frozen=True, slots=True)
class LockEntry:
    """One plugin's distribution as it was when it was locked."""

    distribution: str
    version: str
    files: Mapping[str, str] = field(default_factory=dict)

    @property
    def digest(self) -> str:
        """One digest of all files."""
        return listed_digest(self.files)


def entry_of(source: PluginSource) -> LockEntry:
    """Return what a lock file is to say of a plugin as it is installed now."""
    return LockEntry(source.distribution, source.version, installed_files(source).files)


def lock_beside(config: Path) -> Path:
    """Return the lock file that belongs to a configuration file."""
    return config.with_name(LOCK_NAME)


def lock_text(entries: Mapping[str, LockEntry]) -> str:
    """Write a lock file: always the same text for the same entries, one line per file."""
    parts = [_HEAD]
    for name, entry in sorted(entries.items()):
        parts.append(
            f"\n[plugins.{_key(name)}]\n"
            f"distribution = {_quoted(entry.distribution)}\n"
            f"version = {_quoted(entry.version)}\n"
            f"digest = {_quoted(entry.digest)}\n"
            f"\n[plugins.{_key(name)}.files]\n"
        )
        parts += [f"{_quoted(path)} = {_quoted(at)}\n" for path, at in sorted(entry.files.items())]
    return "".join(parts)


def _key(text: str) -> str:
    return text if re.fullmatch(r"[A-Za-z0-9_-]+", text) else _quoted(text)


def _quoted(text: str) -> str:
    # JSON's strings are TOML's basic strings, but for DEL and lone surrogates.
    clean = text.encode("utf-8", "backslashreplace").decode("utf-8")
    return json.dumps(clean, ensure_ascii=False).replace("\x7f", "\\u007f")


def read_lock(file: Path) -> dict[str, LockEntry]:
    """Read a lock file.

    Args:
        file: its path; a file that is not there is an empty one.

    Returns:
        The entries, by plugin.

    Raises:
        ConfigError: it cannot be read, or is not what ``hookctl lock`` writes.
    """
    try:
        if not file.exists():
            return {}
        if not file.is_file() or file.stat().st_size > _MAX_BYTES:
            raise ConfigError(f"{file} is no lock file: move it away", file=file)
        document = tomllib.loads(file.read_bytes().decode("utf-8"))
        if document["version"] != _VERSION:
            raise _broken(file, f"its version is {document['version']!r}, not {_VERSION}")
        return {name: _entry(file, name, e) for name, e in document.get("plugins", {}).items()}
    except OSError as error:
        raise ConfigError(
            f"{file} cannot be read ({error.strerror or error}): mend its permissions, or move it "
            "away",
            file=file,
        ) from error
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise _broken(file, f"{type(error).__name__}: {error}") from error


def _entry(file: Path, name: str, table: dict[str, Any]) -> LockEntry:
    entry = LockEntry(table["distribution"], table["version"], table["files"])
    texts = (entry.distribution, entry.version, *entry.files, *entry.files.values())
    if not all(isinstance(text, str) for text in texts):
        raise _broken(file, f"plugin {name} has values that are not texts")
    if entry.digest != table["digest"]:
        raise _broken(file, f"the digest of plugin {name} is not that of its files")
    return entry


def _broken(file: Path, why: str) -> ConfigError:
    return ConfigError(
        f"{file} is not what hookctl writes ({why}): restore it, or delete it and run "
        "'hookctl lock'",
        file=file,
    )


def change_lock(
    file: Path, edit: Callable[[dict[str, LockEntry]], Mapping[str, LockEntry]]
) -> bool:
    """Change a lock file, alone and at once.

    Args:
        file: its path; it is made when it is not there and something is to be in it.
        edit: gets the entries and returns the new ones.

    Returns:
        Whether the file was written.

    Raises:
        ConfigError: it cannot be read or written.
    """
    target = Path(os.path.realpath(file))
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with alone(target):
            before = target.read_bytes() if target.exists() else b""
            after = edit(read_lock(target))
            text = lock_text(after).encode() if after or before else b""
            if text == before:
                return False
            replace_file(target, text)
    except OSError as error:
        raise ConfigError(
            f"{file} cannot be written ({error.strerror or error}): mend its permissions, or run "
            "this as somebody who may write it",
            file=file,
        ) from error
    return True
