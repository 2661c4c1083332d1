"""The hosts that installed distributions offer, and whether what they adapt is installed."""

from __future__ import annotations

import contextlib
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .host import GROUP, Host
from .versions import numbers_of

if TYPE_CHECKING:
    from importlib_metadata import EntryPoint

__all__ = ["InstalledHost", "installed_hosts"]


@dataclass(frozen=True)
class InstalledHost:
    """One host that an installed distribution offers."""

    name: str
    distribution: str | None
    version: str | None
    host: Host | None
    problem: str | None = None
    """The reason why there is no host, and what to do."""
    installed: str | None = None
    """The version of the runtime that is installed."""

    @property
    def state(self) -> str:
        """Broken, missing (its runtime), untested (with the installed version), or ready."""
        if self.host is None:
            return "broken"
        if self.installed is None:
            return "missing"
        tested = self.host.tested
        if tested is None:
            return "ready"
        first, after = map(numbers_of, tested)
        return "ready" if first <= numbers_of(self.installed) < after else "untested"


def installed_hosts() -> list[InstalledHost]:
    """Return the hosts sorted by name; of a runtime nothing is imported.

    What an entry point names is imported, and may be broken: then that is told. What it prints goes
    to standard error.
    """
    from importlib_metadata import entry_points

    entries = sorted(
        entry_points(group=GROUP),
        key=lambda entry: (entry.name, "" if entry.dist is None else entry.dist.name),
    )
    return [_read(entry) for entry in entries]


def _read(entry: EntryPoint) -> InstalledHost:
    dist = entry.dist
    name, version = (None, None) if dist is None else (dist.name, dist.version)
    try:
        with contextlib.redirect_stdout(sys.stderr):
            host = entry.load()
    except (Exception, SystemExit) as error:  # noqa: BLE001 - anybody's code may be broken
        why = str(error).strip().partition("\n")[0]
        problem = f"{entry.value} cannot be imported ({type(error).__name__}: {why})"
        return InstalledHost(entry.name, name, version, None, _with_remedy(problem, name))
    if not isinstance(host, Host):
        problem = f"{entry.value} is {type(host).__name__}, and no hookcore.hosting.Host"
        return InstalledHost(entry.name, name, version, None, _with_remedy(problem, name))
    return InstalledHost(entry.name, name, version, host, installed=_version_of(host.runtime))


def _with_remedy(problem: str, distribution: str | None) -> str:
    remedy = "mend it" if distribution is None else f"'pip install --upgrade {distribution}'"
    return f"{problem}: {remedy}"


def _version_of(distribution: str) -> str | None:
    from importlib_metadata import PackageNotFoundError, version

    try:
        return version(distribution)
    except PackageNotFoundError:
        return None
