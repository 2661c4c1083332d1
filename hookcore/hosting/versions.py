"""The check that an adapter's runtime is installed, in a version that it can govern."""

from __future__ import annotations

import re

from ..errors import HookcoreError
from .host import Host

__all__ = ["RuntimeVersionError", "numbers_of", "require_runtime"]


class RuntimeVersionError(HookcoreError, ImportError):
    """An adapter's runtime is not installed, or in a version that the adapter does not govern."""


def require_runtime(host: Host, *, accept_untested: bool = False, accept_newer: bool = True) -> str:
    """Return the version of an adapter's runtime that is installed.

    Args:
        host: the adapter's declaration: its runtime and the tested versions.
        accept_untested: whether any version will do, at the program's own risk.
        accept_newer: whether those after the tested ones will do. An adapter that stands on public
            seams accepts them; one that needs private ones must not.

    Raises:
        RuntimeVersionError: it is not installed, too old, or not tested.
    """
    from importlib_metadata import PackageNotFoundError, version

    try:
        installed = version(host.runtime)
    except PackageNotFoundError as error:
        raise RuntimeVersionError(
            f"the adapter {host.name} is for {host.runtime}, which is not installed: "
            f"'pip install {host.runtime}{_range(host)}'"
        ) from error
    if accept_untested or host.tested is None:
        return installed
    first, after = map(numbers_of, host.tested)
    found = numbers_of(installed)
    if found < first or (found >= after and not accept_newer):
        raise RuntimeVersionError(
            f"the adapter {host.name} was tested with {host.runtime}{_range(host)}, and "
            f"{installed} is installed: install one of those, a newer adapter, or accept the risk "
            "with accept_untested=True"
        )
    return installed


def _range(host: Host) -> str:
    return "" if host.tested is None else f">={host.tested[0]},<{host.tested[1]}"


def numbers_of(version: str) -> tuple[int, ...]:
    """Return a version's release numbers, which is as exact as a range of tested ones is."""
    release = re.match(r"(?:\d+!)?(\d+(?:\.\d+)*)", version)
    return tuple(map(int, release[1].split("."))) if release else ()
