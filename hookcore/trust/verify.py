"""Installed code compared with the lock file that vouches for it."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from ..discovery import editable_project
from .guarding import ChangedCodeError, guard_imports
from .installed import MISSING, installed_files, recorded_paths
from .locating import locate
from .lockfile import LockEntry, lock_beside, read_lock
from .origins import strange_modules
from .projects import file_digest, trusted

if TYPE_CHECKING:
    from ..config import Config
    from ..discovery import PluginSource

__all__ = [
    "UNCOMPARED",
    "Difference",
    "Voucher",
    "accepting",
    "differences",
    "is_bundled",
    "is_strict",
    "load_verified",
    "refusals",
    "voucher",
]

Kind = Literal[
    "unlocked", "untrusted", "version", "changed", "missing", "added", "shadowed", "editable"
]
UNCOMPARED: frozenset[Kind] = frozenset(("unlocked", "untrusted", "editable"))
"""Differences that say only that nothing was compared."""
_SHOWN = 5
_OWN = frozenset(("system", "bundle", "user"))


@dataclass(frozen=True, slots=True)
class Difference:
    """One way in which installed code is not what the lock file says."""

    plugin: str
    kind: Kind
    text: str
    module: str | None = None
    """The module that would come from elsewhere, where that is the difference."""

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True, slots=True)
class Voucher:
    """The lock file that may vouch for a plugin, and why it does not count if it does not."""

    file: Path | None
    refused: str | None = None


def voucher(config: Config, name: str) -> Voucher:
    """Find the lock file that may vouch for a plugin.

    It lies beside the configuration of the first layer that switched the plugin on, so that no
    later layer, such as a cloned repository, can vouch for what an earlier one relies on.

    Args:
        config: the configuration.
        name: an enabled plugin.

    Returns:
        The file, which need not be there; for what the environment or arguments switched on, the
        user's. None where the configuration itself says what is locked.
    """
    if config.lock is not None:
        return Voucher(None)
    by = config.enablers.get(name)
    if by is not None and by.file is not None:
        return (
            _of_project(config, by.file) if by.layer == "project" else Voucher(lock_beside(by.file))
        )
    own = [file.path for file in config.files if file.layer == "user"]
    return Voucher(lock_beside(own[0])) if own else Voucher(None)


def _of_project(config: Config, file: Path) -> Voucher:
    lock = lock_beside(file)
    # Whoever asks for verification in a file of their own does not leave it to a repository.
    asked = config.verify == "enforce" and config.origin("hooks.verify").layer in _OWN
    if not (asked or config.trust_project == "trusted") or not lock.exists():
        return Voucher(lock)
    known = trusted(file)
    if known is not None and known.lock == file_digest(lock):
        return Voucher(lock)
    return Voucher(lock, f"{lock} does not count until you have trusted it: run 'hookctl trust'")


def is_bundled(config: Config, name: str) -> bool:
    """Tell whether a bundle vouches for a plugin's code, so that no lock is written here.

    Args:
        config: the configuration.
        name: an enabled plugin.
    """
    by = config.enablers.get(name)
    return by is not None and by.layer == "bundle"


def accepting(config: Config, name: str) -> str:
    """Return what accepts a plugin's code as it is installed now, for a sentence.

    Args:
        config: the configuration.
        name: an enabled plugin.
    """
    if is_bundled(config, name):
        return "a bundle with another hookcore.lock"
    return f"'hookctl lock {name}'"


def differences(
    config: Config, source: PluginSource, *, folder: str | None = None
) -> list[Difference]:
    """Compare a plugin's installed code with what vouches for it.

    Of a plugin that is required, or under ``verify = "enforce"``, all modules that it needs are
    looked at, whether they would come from where they are installed.

    Args:
        config: the configuration.
        source: the plugin.
        folder: a folder that a program may be started in, to be looked at as well; then all
            plugins are treated as required ones are.

    Returns:
        All differences; none when a lock file vouches for exactly this code, or when nothing is to
        be verified.

    Raises:
        ConfigError: the lock file is broken.
        StateError: what the user trusts cannot be read.
    """
    if config.verify == "off":
        return []
    found = _shadowed(source)
    if is_strict(config, source.name) or folder is not None:
        told = {difference.module for difference in found}
        found += [
            Difference(source.name, "shadowed", text, module)
            for module, text in strange_modules(source, folder)
            if module not in told
        ]
    project = editable_project(source.location)
    if project is not None and not is_strict(config, source.name):
        text = f"it is installed in editable mode from {project}, so that its code is not compared"
        return [*found, Difference(source.name, "editable", text)]
    by = voucher(config, source.name)
    if by.refused is not None:
        return [*found, Difference(source.name, "untrusted", by.refused)]
    entry = _entry(config, source.name, by)
    if entry is not None:
        return [*found, *_unlike(source, entry)]
    where = f" ({by.file})" if by.file is not None else ""
    return [*found, _unlocked(source, f"no hookcore.lock records its installed files{where}")]


def load_verified(config: Config, source: PluginSource) -> object:
    """Import what a plugin's entry point names; where differences stop the start, locked code only.

    Args:
        config: the configuration.
        source: the plugin, in which no difference was found.

    Returns:
        The class, instance or module.

    Raises:
        ChangedCodeError: a file is not what is locked any more.
        Exception: whatever the plugin's code raises while it is imported.
    """
    by = voucher(config, source.name)
    locked = None
    if config.verify != "off" and is_strict(config, source.name) and by.refused is None:
        locked = _entry(config, source.name, by)
    guard_imports(source, None if locked is None else locked.files)
    loaded = source.load()
    # What was read as data, or is no file of Python's, has been looked at before only.
    changed = [] if locked is None else _unlike(source, locked)
    if changed:
        told = "; ".join(map(str, changed))
        raise ChangedCodeError(f"its files changed while it was imported: {told}")
    return loaded


def _entry(config: Config, name: str, by: Voucher) -> LockEntry | None:
    if config.lock is not None:
        return config.lock.get(name)
    return None if by.file is None else read_lock(by.file).get(name)


def _unlocked(source: PluginSource, text: str) -> Difference:
    return Difference(source.name, "unlocked", text)


def is_strict(config: Config, name: str) -> bool:
    """Return whether differences of a plugin stop the start."""
    return config.verify == "enforce" or config.plugins[name].required


def refusals(config: Config, source: PluginSource, found: list[Difference]) -> list[Difference]:
    """Choose the differences that keep a plugin from being imported.

    Args:
        config: the configuration.
        source: the plugin.
        found: all differences.

    Returns:
        All of them under ``verify = "enforce"``; for a required plugin under ``"warn"`` those from
        code that was locked, or that would come from elsewhere.
    """
    if config.verify == "enforce":
        return found
    if config.plugins[source.name].required:
        return [difference for difference in found if difference.kind not in UNCOMPARED]
    return []


def _unlike(source: PluginSource, entry: LockEntry) -> list[Difference]:
    name = source.name
    if (source.distribution, source.version) != (entry.distribution, entry.version):
        return [
            Difference(
                name,
                "version",
                f"{source.distribution} {source.version} is installed, and "
                f"{entry.distribution} {entry.version} is locked",
            )
        ]
    now = installed_files(source).files
    then = entry.files
    changed = [p for p in sorted(then) if p in now and now[p] not in {then[p], MISSING}]
    missing = [p for p in sorted(then) if now.get(p, MISSING) == MISSING != then[p]]
    added = [p for p in sorted(now) if p not in then]
    listed: list[tuple[Kind, str, list[str]]] = [
        ("changed", "changed since it was locked", changed),
        ("missing", "missing, and locked", missing),
        ("added", "not in the lock file", added),
    ]
    return [
        Difference(name, kind, f"{_few(paths)}: {what}") for kind, what, paths in listed if paths
    ]


def _few(paths: list[str]) -> str:
    more = len(paths) - _SHOWN
    return ", ".join(paths[:_SHOWN]) + (f" and {more} more" if more > 0 else "")


def _shadowed(source: PluginSource) -> list[Difference]:
    """Notice that an import would find other code first, say in the working folder."""
    found = locate(source.value.partition(":")[0].strip())
    if found is None or not Path(source.location).is_dir():
        return []
    if _belongs(str(found.file), source.location):
        return []
    return [
        Difference(
            source.name,
            "shadowed",
            f"the module {found.name} would be imported from {found.file}, which is no file of "
            f"{source.distribution} {source.version} ({source.location}): remove it, or start in "
            "another folder",
            found.name,
        )
    ]


def _belongs(file: str, location: str) -> bool:
    project = editable_project(location)
    if project is not None:
        return Path(file).is_relative_to(project)
    site = Path(os.path.realpath(location)).parent
    paths = recorded_paths(location)
    if paths is None:
        return Path(file).is_relative_to(site)
    return any(os.path.realpath(site / path) == file for path in paths)
