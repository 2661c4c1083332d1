"""Checks of the log of decisions: hooks never called, slow or failing plugins, dropped events."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..summary import tallies
from .finding import warning

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from hookcore.log.reading import Log

    from ..inspection import Report
    from .finding import Diagnosis

__all__ = ["SLOW_MS", "check_decisions"]

SLOW_MS = 100.0
"""A plugin is slow when one call in a hundred takes longer than that."""


def check_decisions(
    log: Log, reports: Mapping[str, Report], points: set[str] | None
) -> Iterator[Diagnosis]:
    """Check what the log says of the enabled plugins.

    Args:
        log: the log.
        reports: what each enabled plugin turned out to be.
        points: the points that hosts dispatch; None when no host told.
    """
    dropped = log.drops()
    if dropped:
        yield warning(
            "dropped",
            log.file,
            f"{dropped} decisions were dropped, since they could not be written in time",
            "hookctl log --summary",
        )
    found, _ = tallies(log)
    seen = log.count()
    for name, report in reports.items():
        hooked = {hook["point"] for hook in report.hooks}
        reached = hooked if points is None else hooked & points
        idle = sorted(point for point in reached if (name, point) not in found)
        if idle and seen:
            yield warning(
                "uncalled",
                name,
                f"its hooks at {', '.join(idle)} were never called",
                f"hookctl log --plugin {name}",
            )
    for (name, point), tally in found.items():
        if name not in reports:
            continue
        look = f"hookctl log --plugin {name} --summary"
        if tally.failures:
            said = f"failed {tally.failures} of {tally.calls} times at {point}"
            yield warning("failing", name, said, look)
        slowest = tally.quantile(0.99)
        if slowest is not None and slowest > SLOW_MS:
            said = f"is slow at {point}: one call in a hundred takes over {slowest:.0f} ms"
            yield warning("slow", name, said, f"{look}, and set a timeout")
