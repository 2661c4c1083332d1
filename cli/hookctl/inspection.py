"""Importing enabled plugins in a process of their own, to learn what only an import can tell."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from hookcore.config import read_config

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

__all__ = ["Report", "inspect"]

_SECONDS = 60.0
# The child finds exactly what this process finds: `python -m` would add the working folder.
_CHILD = (
    "import sys; sys.path[:] = sys.argv.pop(1).split('\\n'); "
    "from hookctl.inspected import main; main()"
)


@dataclass(frozen=True, slots=True)
class Report:
    """The findings about one plugin, or why it cannot be loaded."""

    points: list[str] | None = None
    priority: int | None = None
    on_error: str | None = None
    error: str | None = None
    hooks: list[dict[str, Any]] = field(default_factory=list)
    """Each hook's ``point, hook, gate, on_error, mode, tools``."""
    tool_patterns: list[str] = field(default_factory=list)
    """The patterns for tools in the plugin's own settings, as far as it tells them."""
    rule_names: list[str] = field(default_factory=list)
    """The names of the rules that may be monitored one by one."""
    seconds: float = 0.0
    """Seconds that it took to load."""
    warnings: list[str] = field(default_factory=list)
    """Warnings that the plugin wrote to Python's log while it was loaded."""
    settings_schema: dict[str, Any] | None = None
    """The JSON Schema of its settings, if it has a model of them."""

    def facts(self) -> dict[str, Any]:
        """Return what belongs into the plugin's row."""
        return {"points": self.points, "priority": self.priority, "on_error": self.on_error}


def inspect(names: Sequence[str], *, seconds: float = _SECONDS) -> Mapping[str, Report]:
    """Import plugins, and survive whatever they do.

    Args:
        names: enabled plugins.
        seconds: how long one process may take.

    Returns:
        A report for each name. A plugin that ends or blocks the process is reported as such, and
        the others are tried without it.

    Raises:
        ConfigError: the configuration is wrong, so that no manager would start.
    """
    read_config()
    reports: dict[str, Report] = {}
    while waiting := [name for name in names if name not in reports]:
        output, end = _run(waiting, seconds)
        reports.update(_answers(output.splitlines()))
        culprit = next((name for name in waiting if name not in reports), None)
        if culprit is not None:
            reports[culprit] = Report(error=end)
    return reports


def _run(names: Sequence[str], seconds: float) -> tuple[bytes, str]:
    """Run the child process; return what it wrote, and in words how it ended."""
    try:
        done = subprocess.run(  # noqa: S603 - our own module
            [sys.executable, "-c", _CHILD, "\n".join(sys.path), *names],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            timeout=seconds,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        return error.stdout or b"", f"importing it took longer than {seconds:g} seconds"
    return done.stdout, f"the process ended while importing it (exit code {done.returncode})"


def _answers(lines: Iterable[bytes]) -> Iterator[tuple[str, Report]]:
    for line in lines:
        try:
            answer = json.loads(line)
        except ValueError:
            return  # the process ended in the middle of a line
        yield answer.pop("name"), Report(**answer)
