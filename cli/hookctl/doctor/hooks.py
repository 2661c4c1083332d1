"""Checks of what enabled plugins turn out to do when they are loaded, in a process of their own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hookcore import NamePatterns

from .code import or_disable
from .finding import error, warning

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from hookcore.config import Config

    from ..inspection import Report
    from .finding import Diagnosis

__all__ = ["SLOW_SECONDS", "check_hooks", "check_patterns", "check_points", "unmatched"]

SLOW_SECONDS = 1.0
"""A plugin is slow to load when it takes longer than that."""


def check_hooks(config: Config, reports: Mapping[str, Report]) -> Iterator[Diagnosis]:
    """Check for plugins that do not load, and for gates that let pass when they fail.

    Args:
        config: the configuration.
        reports: what each enabled plugin turned out to be.
    """
    for name, report in reports.items():
        if report.error is not None:
            fix = f"correct or reinstall it{or_disable(config, name)}"
            yield error("broken", name, f"it cannot be loaded: {report.error}", fix)
        for text in report.warnings:
            yield warning("warned", name, f"it warns: {text}", f"hookctl info {name}")
        if report.seconds > SLOW_SECONDS:
            said = f"loading it takes {report.seconds:.1f} s, which each start waits for"
            yield warning("slow-import", name, said, f"python -X importtime -c 'import {name}'")
        for hook in report.hooks:
            if hook["gate"] and hook["on_error"] == "allow":
                yield warning(
                    "fail-open",
                    name,
                    f"its gate {hook['hook']} at {hook['point']} lets pass when it fails",
                    f'set plugins.{name}.on_error = "deny" in {_where(config, name)}',
                )


def check_patterns(
    config: Config, reports: Mapping[str, Report], tools: Sequence[str]
) -> Iterator[Diagnosis]:
    """Check for patterns that match no tool that was ever seen: a misspelt one protects nothing.

    Args:
        config: the configuration.
        reports: what each enabled plugin turned out to be.
        tools: the names of the tools in the log.
    """
    if not tools:
        return
    for name, report in reports.items():
        for pattern in dict.fromkeys(_patterns(report)):
            problem = unmatched(pattern, tools)
            if problem is not None:
                yield warning(
                    "pattern",
                    name,
                    problem,
                    f"compare it with 'hookctl log', and correct it in {_where(config, name)}",
                )


def unmatched(pattern: str, tools: Sequence[str]) -> str | None:
    """Say that a pattern matches no tool; one pattern at a time, to name it."""
    try:
        patterns = NamePatterns([pattern])
    except ValueError as error:
        return str(error)
    if any(map(patterns.matches, tools)):
        return None
    return f"its pattern {pattern!r} matches none of the {len(tools)} tools in the log"


def _patterns(report: Report) -> Iterator[str]:
    for hook in report.hooks:
        yield from hook["tools"] or ()
    yield from report.tool_patterns


def check_points(reports: Mapping[str, Report], points: set[str]) -> Iterator[Diagnosis]:
    """Check for hooks at points that no known host dispatches.

    Args:
        reports: what each enabled plugin turned out to be.
        points: the points that hosts declared, and those that were seen.
    """
    for name, report in reports.items():
        unreached = sorted({hook["point"] for hook in report.hooks} - points)
        if unreached:
            yield warning(
                "undispatched",
                name,
                f"no host that was seen here dispatches {', '.join(unreached)}, where it hooks",
                f"hookctl info {name} --load, and check that your host calls declare()",
            )


def _where(config: Config, name: str) -> Any:
    return config.origin(("plugins", name))
