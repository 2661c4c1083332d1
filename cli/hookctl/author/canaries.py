"""Running the cases of plugins that have just been switched on, in a process of its own."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING, Any

from ..output import note
from .subjects import installed

if TYPE_CHECKING:
    from collections.abc import Iterable

    from hookcore.discovery import PluginSource

__all__ = ["tell_failing"]

# The child finds exactly what this process finds: `python -m` would add the working folder.
_CHILD = (
    "import sys; sys.path[:] = sys.argv.pop(1).split('\\n'); from hookctl.main import main; main()"
)
_SECONDS = 60


def tell_failing(sources: Iterable[PluginSource]) -> None:
    """Run the cases of each plugin that ships some, and tell what is not as it should be.

    Args:
        sources: the plugins.
    """
    for source in sources:
        if installed(source).cases() is not None:
            problem = _problem(source.name)
            if problem is not None:
                note(f"{source.name} is enabled, and {problem}: 'hookctl test {source.name}'")


def _problem(name: str) -> str | None:
    try:
        done = subprocess.run(  # noqa: S603 - our own module
            [sys.executable, "-c", _CHILD, "\n".join(sys.path), "test", "--json", "--", name],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return f"its own cases take longer than {_SECONDS} seconds"
    try:
        told: dict[str, Any] = json.loads(done.stdout)
    except ValueError:
        last = done.stderr.decode("utf-8", "replace").strip().rpartition("\n")[2]
        return f"its own cases cannot be run ({last.removeprefix('Error: ')})"
    bad = [one for one in told["results"] if one["problem"] is not None]
    if not bad:
        return None
    first = f"{bad[0]['case']}: {bad[0]['problem']}"
    return f"{len(bad)} of its own {told['cases']} cases fail ({first})"
