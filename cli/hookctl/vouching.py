"""The companions of a change of a configuration: its lock file, and the user's trust in it."""

from __future__ import annotations

import contextlib
import os
from functools import partial
from typing import TYPE_CHECKING

from hookcore.config import read_config
from hookcore.config.files import read_table
from hookcore.discovery import discover
from hookcore.disk.state import StateError, make_state_folder

from .failure import BrokenError
from .output import note

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from hookcore.config import Config
    from hookcore.discovery import PluginSource
    from hookcore.trust.lockfile import LockEntry

__all__ = ["check_vouched", "is_known", "lock", "matters", "one_at_a_time", "remember"]


@contextlib.contextmanager
def one_at_a_time() -> Iterator[None]:
    """Let the user's other commands wait that change a configuration, its lock and its trust."""
    with contextlib.ExitStack() as stack:
        with contextlib.suppress(ImportError, OSError, StateError):
            import fcntl

            path = make_state_folder() / "changing"
            descriptor = os.open(path, os.O_CREAT | os.O_RDWR, 0o600)
            stack.callback(os.close, descriptor)
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield


def matters(config: Config) -> bool:
    """Tell whether anything depends on the user's trust in a project."""
    by = config.origin("hooks.verify").layer
    return config.trust_project == "trusted" or (
        config.verify == "enforce" and by in {"system", "bundle", "user"}
    )


def is_known(file: Path) -> bool:
    """Tell whether a change to a project's configuration leaves it as trusted as it was.

    Args:
        file: the configuration.

    Returns:
        Whether it is yet to be made, or has been trusted with its lock file as they are now.
    """
    from hookcore.trust.lockfile import lock_beside
    from hookcore.trust.projects import file_digest, is_trusted, trusted

    beside = lock_beside(file)
    if not file.exists():
        return not beside.exists()
    try:
        entry = trusted(file)
        same = entry is not None and entry.lock == file_digest(beside)
        return same and is_trusted(file, read_table(file) or {})
    except StateError:
        return False


def remember(file: Path) -> None:
    """Trust a project's configuration and its lock file, after we have written them.

    Args:
        file: the configuration.

    Raises:
        BrokenError: it cannot be remembered, and something depends on it.
    """
    from hookcore.trust.lockfile import lock_beside
    from hookcore.trust.projects import trust

    try:
        trust(file, read_table(file) or {}, lock_beside(file))
    except StateError as error:
        if matters(read_config()):
            raise BrokenError(f"{file} is written, and does not count: {error}") from error


def lock(file: Path, names: list[str]) -> None:
    """Add plugins that a configuration has just switched on to the lock file beside it.

    Args:
        file: the configuration.
        names: the plugins. Code that is locked already is not locked anew: nobody asked for that.

    Raises:
        ConfigError: the lock file cannot be read or written.
    """
    if not names:
        return
    from hookcore.trust.lockfile import change_lock, lock_beside
    from hookcore.trust.verify import voucher

    config, catalog, beside = read_config(), discover(), lock_beside(file)
    sources = [
        catalog[name] for name in names if name in catalog and voucher(config, name).file == beside
    ]
    if sources:
        change_lock(beside, partial(_added, sources))


def check_vouched(config: Config, source: PluginSource) -> None:
    """Check that a command may import a plugin.

    Args:
        config: the configuration.
        source: the plugin.

    Raises:
        BrokenError: ``hooks.verify`` is ``"enforce"``, and its code is not what is locked.
    """
    if config.verify != "enforce":
        return
    from hookcore.trust.verify import accepting, differences, refusals

    refused = refusals(config, source, differences(config, source))
    if refused:
        why = "; ".join(map(str, refused))
        raise BrokenError(
            f'{source.name} is not imported under hooks.verify = "enforce": {why}: '
            f"{accepting(config, source.name)} accepts it"
        )


def _added(sources: Sequence[PluginSource], entries: dict[str, LockEntry]) -> dict[str, LockEntry]:
    from hookcore.trust.lockfile import entry_of

    for source in sources:
        now = entry_of(source)
        if entries.setdefault(source.name, now) != now:
            note(
                f"{source.name}: the installed code is not what is locked: 'hookctl doctor' "
                f"explains it, and 'hookctl lock {source.name}' accepts it"
            )
    return entries
