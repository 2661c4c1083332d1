"""Checks of other distributions, from the entry-point group ``hookctl.checks``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..further import entries, origin
from .finding import Diagnosis, error

if TYPE_CHECKING:
    from collections.abc import Iterator

    from importlib_metadata import EntryPoint

__all__ = ["GROUP", "check_further"]

GROUP = "hookctl.checks"


def check_further() -> Iterator[Diagnosis]:
    """Run the checks that other distributions bring along.

    Each entry point is a function without arguments that returns an iterable of
    :class:`Diagnosis`. One that fails is a finding itself, and keeps no other from running.
    """
    for entry in sorted(entries(GROUP), key=lambda entry: (entry.name, origin(entry))):
        try:
            found = list(entry.load()())
        except Exception as problem:  # noqa: BLE001 - it is somebody else's code
            yield _failed(entry, f"it fails: {type(problem).__name__}: {problem}")
            continue
        strange = [type(item).__name__ for item in found if not isinstance(item, Diagnosis)]
        if strange:
            yield _failed(entry, f"it finds {strange[0]}, which is no Diagnosis")
        yield from (item for item in found if isinstance(item, Diagnosis))


def _failed(entry: EntryPoint, message: str) -> Diagnosis:
    dist = entry.dist.name if entry.dist is not None else "its distribution"
    return error(
        "check",
        entry.name,
        f"the check {entry.value} ({origin(entry)}) is broken: {message}",
        f"pip install --upgrade --force-reinstall {dist}",
    )
