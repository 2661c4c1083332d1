"""Measuring what a plugin's import costs, in a process of its own."""

from __future__ import annotations

import re
import subprocess
import sys
from dataclasses import dataclass

__all__ = ["ImportTime", "import_time"]

_LINE = re.compile(r"import time:\s+(\d+) \|\s+(\d+) \|\s+(\S+)")
_MARK = "hookctl: what follows is the plugin's"
# Whoever loads plugins has imported hookcore, and pydantic for its configuration, before.
_CHILD = (
    "import sys, importlib; sys.path[:] = sys.argv.pop(1).split('\\n'); "
    "import hookcore.loading.plugins, hookcore.config.schema, hookcore.testing; "
    f"print({_MARK!r}, file=sys.stderr, flush=True); importlib.import_module(sys.argv[1])"
)
_SECONDS = 60
_MOST = 5


@dataclass(frozen=True, slots=True)
class ImportTime:
    """The time that an import takes, and what most of it goes to."""

    milliseconds: float
    heaviest: list[tuple[str, float]]
    """Outermost packages with their milliseconds, the heaviest first."""


def import_time(module: str) -> ImportTime | None:
    """Import a module beside hookcore, and measure.

    Args:
        module: its name.

    Returns:
        The times; None when it cannot be imported, or takes longer than a minute.
    """
    command = [sys.executable, "-X", "importtime", "-c", _CHILD, "\n".join(sys.path), module]
    try:
        done = subprocess.run(  # noqa: S603 - our own lines
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            timeout=_SECONDS,
            check=True,
            encoding="utf-8",
            errors="replace",
        )
    except (subprocess.SubprocessError, OSError):
        return None
    by_package: dict[str, float] = {}
    for line in done.stderr.partition(_MARK)[2].splitlines():
        found = _LINE.match(line)
        if found is not None:
            package = found[3].partition(".")[0]
            by_package[package] = by_package.get(package, 0.0) + int(found[1]) / 1000
    heaviest = sorted(by_package.items(), key=lambda item: -item[1])
    return ImportTime(sum(by_package.values()), heaviest[:_MOST])
