"""The checks of ``hookctl doctor``."""

from __future__ import annotations

import os
from collections.abc import Iterator

from hookcore import HookcoreError
from hookcore.bundles import bundle_table
from hookctl.doctor import Diagnosis, error, note, warning

__all__ = ["check"]

_ROOT = 0


def check() -> Iterator[Diagnosis]:
    """Check the bundle in force, if the system's file asks for one.

    Yields:
        The findings.
    """
    try:
        if bundle_table() is None:
            return
    except HookcoreError:
        return  # a broken file is told by others

    from .told import BrokenError, machine

    try:
        here = machine()
    except BrokenError as problem:
        yield error("bundle", "bundle", problem.message, "correct the system's file")
        return
    status = here.status()
    if status.state == "fresh":
        if status.seen.error is not None:
            why = f"revision {status.revision} stays: {status.seen.error}"
            yield warning("bundle", "bundle", why, "hookctl bundle pull --once")
    else:
        settings = here.settings
        denies = {"stale": settings.when_stale, "expired": settings.when_expired}
        tell = error if denies.get(status.state, "deny") == "deny" else warning
        why = f"{status.state}: {status.why}"
        if status.seen.error is not None:
            why += f"; the last pull took nothing: {status.seen.error}"
        yield tell("bundle", "bundle", why, "hookctl bundle pull --once")
    folder = here.folder.path
    if folder.is_dir() and os.geteuid() != _ROOT and os.access(folder, os.W_OK):
        yield note(
            "bundle-writable",
            folder,
            "this user may change the bundle in force, and so may all that it runs",
            f"pull as another user than the agents', and: chmod go-w {folder}",
        )
