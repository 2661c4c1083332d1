"""The configuration that a replay is compared with: another file, or a revision of one."""

from __future__ import annotations

import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from hookcore import ConfigError
from hookcore.config.files import FILE_NAME, PYPROJECT
from hookcore.trust.lockfile import lock_beside

from ..failure import UsageError
from .configuration import configured_by

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from .configuration import Configuration

__all__ = ["other_configuration"]

_NAMES = (FILE_NAME, PYPROJECT)


def other_configuration(
    given: str,
    tables: Mapping[str, Mapping[str, Any]],
    *,
    monitor: bool = False,
    forced: str | None = None,
) -> Configuration:
    """Read a configuration in which another file stands in the place of the project's.

    Args:
        given: a file, or ``REV:FILE`` for one in a revision of a git checkout.
        tables: the tables of plugins that the command line speaks of.
        monitor: whether all plugins only watch.
        forced: the format to read all inputs as, or None to recognise it.

    Returns:
        The configuration.

    Raises:
        UsageError: there is no such file or revision, or it does not count.
        ConfigError: the configuration is wrong.
    """
    name, files = _read(given)
    with TemporaryDirectory(prefix="hookctl-against-") as folder:
        for file, data in files.items():
            Path(folder, file).write_bytes(data)
        try:
            found = configured_by(tables, folder, monitor=monitor, forced=forced)
        except ConfigError as error:
            text = str(error).replace(str(Path(folder, name)), given)
            raise UsageError(f"--against: {text}") from error
        for place in found.config.files:
            if place.path.parent == Path(folder) and place.ignored:
                raise UsageError(f"--against: {given} does not count: {place.ignored}")
    return found


def _read(given: str) -> tuple[str, dict[str, bytes]]:
    """Return the name under which a file is read, and it and the lock beside it by their names."""
    path = Path(given)
    revision, colon, inside = given.partition(":")
    if path.is_file() or not colon:
        try:
            data = path.read_bytes()
        except OSError as error:
            raise UsageError(f"--against: {given}: {error.strerror or error}") from error
        lock = lock_beside(path)
        beside = lock.read_bytes() if lock.is_file() else None
    else:
        data = _shown(given, revision, inside)
        beside = _there(revision, lock_beside(Path(inside)).as_posix())
    name = path.name if path.name in _NAMES else _NAMES[0]
    if colon and not path.is_file():
        name = Path(inside).name if Path(inside).name in _NAMES else _NAMES[0]
    return name, {name: data, **({} if beside is None else {lock_beside(Path(name)).name: beside})}


def _shown(given: str, revision: str, file: str) -> bytes:
    data = _there(revision, file)
    if data is None:
        raise UsageError(
            f"--against: {given} is neither a file nor a file of a revision here: give FILE, or "
            "REV:FILE in a git checkout, such as HEAD:hookcore.toml"
        )
    return data


def _there(revision: str, file: str) -> bytes | None:
    if revision.startswith("-"):
        return None
    try:
        done = subprocess.run(  # noqa: S603 - a revision and a path, and no shell
            ["git", "show", f"{revision}:./{file}"],  # noqa: S607 - whichever git the user has
            check=False,
            capture_output=True,
        )
    except OSError:
        return None
    return done.stdout if done.returncode == 0 else None
