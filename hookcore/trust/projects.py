"""The projects' files that the user has looked at and accepted; kept in the user's own state."""

from __future__ import annotations

import hashlib
import json
import os
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..disk.atomic import alone, replace_file
from ..disk.state import StateError, make_state_folder, state_folder

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

__all__ = [
    "Trusted",
    "file_digest",
    "forget",
    "is_trusted",
    "table_digest",
    "trust",
    "trust_file",
    "trusted",
    "why_untrusted",
]

_NAME = "trust.json"
_VERSION = 1


@dataclass(frozen=True, slots=True)
class Trusted:
    """The digests that a project's configuration and its hookcore.lock had when they were read."""

    config: str
    lock: str | None = None


def table_digest(table: Mapping[str, Any]) -> str:
    """Return the digest of what a configuration says, whatever its layout and comments."""
    return (
        "sha256:"
        + hashlib.sha256(_canonical(table).encode("utf-8", "backslashreplace")).hexdigest()
    )


def _canonical(value: object) -> str:
    if isinstance(value, dict):
        return "{" + ",".join(f"{k!r}:{_canonical(v)}" for k, v in sorted(value.items())) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(_canonical, value)) + "]"
    return repr(value)  # TOML's other values all have a repr that tells them apart


def file_digest(file: Path) -> str | None:
    """Return the digest of a file's bytes; None when it cannot be read."""
    try:
        return "sha256:" + hashlib.sha256(file.read_bytes()).hexdigest()
    except OSError:
        return None


def why_untrusted(file: Path, table: Mapping[str, Any]) -> str | None:
    """Tell why a project's configuration does not count where only trusted ones do.

    Args:
        file: the configuration.
        table: what it says.

    Returns:
        The reason and the remedy; None when it counts.

    Raises:
        StateError: what is trusted cannot be read, or somebody else may have written it.
    """
    if not _is_ours(file):
        return "it belongs to another user: take it over (chown), then run 'hookctl trust'"
    known = trusted(file)
    if known is None:
        return "nobody has trusted it: read it, then run 'hookctl trust'"
    if known.config != table_digest(table):
        return "it has changed since it was trusted: read it, then run 'hookctl trust'"
    return None


def is_trusted(file: Path, table: Mapping[str, Any]) -> bool:
    """Return whether the user has trusted a project's configuration as it is now."""
    return why_untrusted(file, table) is None


def trusted(file: Path) -> Trusted | None:
    """Return what the user has trusted of a project's configuration, at some time.

    Raises:
        StateError: as for :func:`why_untrusted`.
    """
    remembered = trust_file()
    return None if remembered is None else _read(remembered).get(_key(file))


def trust_file() -> Path | None:
    """Return the file that remembers what is trusted; None for a user without a home."""
    folder = state_folder()
    return None if folder is None else folder / _NAME


def trust(file: Path, table: Mapping[str, Any], lock: Path) -> Trusted:
    """Remember that the user trusts a project's configuration and its hookcore.lock.

    Args:
        file: the configuration.
        table: what it says.
        lock: the lock file beside it, which need not be there.

    Returns:
        What is remembered.

    Raises:
        StateError: the file belongs to somebody else, or the state cannot be written.
    """
    if not _is_ours(file):
        raise StateError(f"{file} belongs to another user: take it over (chown), or copy it")
    entry = Trusted(table_digest(table), file_digest(lock))
    _change(lambda known: known.update({_key(file): entry}))
    return entry


def forget(file: Path) -> bool:
    """Stop trusting a project's configuration, and tell whether it was trusted."""
    if trusted(file) is None:
        return False
    _change(lambda known: known.pop(_key(file), None))
    return True


def _key(file: Path) -> str:
    return os.path.realpath(file)


def _is_ours(file: Path) -> bool:
    if not hasattr(os, "geteuid"):
        return True
    try:
        return file.stat().st_uid == os.geteuid()
    except OSError:
        return False


def _change(edit: Callable[[dict[str, Trusted]], object]) -> None:
    target = make_state_folder() / _NAME
    try:
        with alone(target):
            known = _read(target)
            edit(known)
            replace_file(target, _text(known).encode(), private=True)
    except OSError as error:
        raise StateError(
            f"{target} cannot be written ({error.strerror or error}), so nothing can be trusted: "
            "mend its permissions"
        ) from error


def _text(known: Mapping[str, Trusted]) -> str:
    projects = {key: {"config": e.config, "lock": e.lock} for key, e in sorted(known.items())}
    return json.dumps({"version": _VERSION, "projects": projects}, indent=2) + "\n"


def _read(file: Path) -> dict[str, Trusted]:
    try:
        status = file.stat()
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except OSError as error:
        raise StateError(f"{file} cannot be read ({error.strerror or error})") from error
    _refuse_strangers(file, status)
    try:
        return _parsed(json.loads(file.read_text(encoding="utf-8")))
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise StateError(
            f"{file} cannot be understood ({type(error).__name__}: {error}): delete it, and trust "
            "your projects again"
        ) from error


def _parsed(content: Any) -> dict[str, Trusted]:
    if content["version"] != _VERSION:
        raise ValueError("another version of hookcore wrote it")
    return {str(key): Trusted(**entry) for key, entry in content["projects"].items()}


def _refuse_strangers(file: Path, status: os.stat_result) -> None:
    if not stat.S_ISREG(status.st_mode):
        raise StateError(f"{file} is not a regular file: move it away")
    if not hasattr(os, "geteuid"):
        return
    if status.st_uid != os.geteuid() or status.st_mode & 0o022:
        raise StateError(
            f"others may have written {file}: check it, then run chown $USER and chmod 600 on it"
        )
