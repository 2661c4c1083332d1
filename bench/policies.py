"""Measure what a large tool policy costs, beside one search of RE2 for all of its rules.

    python bench/policies.py

It needs hookcore-tool-policy. Exit status 1 says that a limit was missed; each is
several times what a machine of today takes.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from time import perf_counter
from typing import Final, NamedTuple

from hookcore import NamePatterns, RegexSet
from hookcore_tool_policy import ToolPolicy, ToolPolicySettings, ToolRule

RULES: Final = 1000
GLOBS: Final = 5000
ARGUMENTS: Final = {"command": "ls -la /home/user/projects && git status"}


class Row(NamedTuple):
    """One measured thing."""

    what: str
    seconds: float
    limit: float | None = None


def median(run: Callable[[int], object], times: int = 300) -> float:
    """Return the seconds of the middle one of many calls, each of which is given its number."""
    found = []
    for number in range(times):
        start = perf_counter()
        run(number)
        found.append(perf_counter() - start)
    return sorted(found)[len(found) // 2]


def rows() -> list[Row]:
    """Measure all."""
    globs = ToolPolicy(ToolPolicySettings(deny=[f"tool_{n}_*_by_{n}" for n in range(RULES)]))
    by_arguments = ToolPolicy(
        ToolPolicySettings(
            rules=[
                ToolRule(effect="deny", tools=["*"], arguments={"command": f"^forbidden {n}$"})
                for n in range(RULES)
            ]
        )
    )
    by_arguments.judge("shell", ARGUMENTS)
    together = RegexSet([f"^forbidden {n}$" for n in range(RULES)], dot_matches_newline=True)
    command = ARGUMENTS["command"].encode()
    return [
        Row("floor: one RE2 set of 1,000", median(lambda _: together.matching(command))),
        Row("1,000 globs, a new name", median(lambda n: globs.judge(f"read_file_{n}", {})), 1e-4),
        Row("1,000 globs, a known name", median(lambda _: globs.judge("read_file", {}))),
        Row(
            "1,000 globs, a new odd name", median(lambda n: globs.judge(f"Read-File{n}", {})), 2e-4
        ),
        Row(
            "1,000 rules that all apply",
            median(lambda _: by_arguments.judge("shell", ARGUMENTS)),
            2e-4,
        ),
        Row("5,000 globs made into a policy", median(_build, 3), 1.0),
        Row("one glob, a name of 100,000", median(_long, 3), 1.0),
    ]


def _build(number: int) -> ToolPolicy:
    return ToolPolicy(ToolPolicySettings(deny=[f"t{number}_{n}_*_by_{n}" for n in range(GLOBS)]))


def _long(number: int) -> bool:
    return NamePatterns([f"{number}*" + "*a" * 40 + "b"]).matches("a" * 100_000)


def main() -> int:
    """Print the rows; return 1 when a limit was missed."""
    measured = rows()
    for what, seconds, limit in measured:
        said = "" if limit is None else f"  limit {limit * 1e6:12,.1f}"
        print(f"{what:34}{seconds * 1e6:14,.1f} us{said}")
    return int(any(limit is not None and seconds > limit for _, seconds, limit in measured))


if __name__ == "__main__":
    sys.exit(main())
