"""An installed host, as the command's JSON has it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hookcore.hosting import InstalledHost

__all__ = ["facts_of"]


def facts_of(installed: InstalledHost) -> dict[str, Any]:
    """Return all that is known of a host.

    Args:
        installed: the host.
    """
    host = installed.host
    return {
        "name": installed.name,
        "state": installed.state,
        "distribution": installed.distribution,
        "version": installed.version,
        "runtime": None if host is None else host.runtime,
        "tested": None if host is None or host.tested is None else list(host.tested),
        "installed": installed.installed,
        "problem": installed.problem,
        "points": {}
        if host is None
        else {
            str(point): {mode: list(answers) for mode, answers in support.items()}
            for point, support in host.points.items()
        },
        "without": [] if host is None else [str(point) for point in host.without],
    }
