"""Measure hookcore's promises on speed, print a table and say whether they hold.

    python bench/run.py [--json FILE] [--quick]

Exit status 1 says that a ratio missed its limit, or that importing hookcore imports what it
should not. Whether the machine is fast does not matter: all promises are ratios within one run.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import logging
import os
import platform
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

if __package__ in {None, ""}:
    # Run as a script: this folder's modules are found under the folder above it.
    sys.path.append(str(Path(__file__).resolve().parents[1]))

from bench import dispatching, paying, starting, streaming, wrapping
from bench.race import Round, Verdict, judge, race, summary


@dataclass
class Report:
    """All that one run of the benchmark found."""

    verdicts: list[Verdict] = field(default_factory=list)
    timings: dict[str, dict[str, float]] = field(default_factory=dict)
    heavy: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def add(self, verdicts: Sequence[Verdict], rounds: Sequence[Round]) -> None:
        """Add one race."""
        self.verdicts += verdicts
        times = summary(rounds)
        times.pop(dispatching.EMPTY, None)
        self.timings.update(times)

    @property
    def ok(self) -> bool:
        """True when every limit was kept."""
        return not self.heavy and all(verdict.kept is not False for verdict in self.verdicts)

    def as_json(self) -> dict[str, Any]:
        """Return the report as JSON has it."""
        return {
            "ok": self.ok,
            "python": platform.python_version(),
            "machine": f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores",
            "versions": {name: _version(name) for name in ("hookcore", "pluggy", "blinker")},
            "ratios": [
                {
                    "name": verdict.name,
                    "median": verdict.median,
                    "quartiles": list(verdict.quartiles),
                    "best": verdict.best,
                    "sense": verdict.sense or None,
                    "limit": verdict.limit,
                    "ok": verdict.kept,
                }
                for verdict in self.verdicts
            ],
            "timings": self.timings,
            "heavy_imports": self.heavy,
            "notes": self.notes,
        }


def _version(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None


def measure(*, quick: bool) -> Report:
    """Run all races.

    Args:
        quick: a few tiny rounds, to see that everything runs; the times mean nothing then.
    """
    report = Report()
    rounds, burst_s = (2, 0.0005) if quick else (61, 0.002)
    blinker = importlib.util.find_spec("blinker") is not None
    if not blinker:
        report.notes.append("blinker is not installed: its rows are left out")
    times = race(
        dispatching.contestants(blinker=blinker),
        rounds=rounds,
        burst_s=burst_s,
        baseline=dispatching.EMPTY,
    )
    report.add(judge(dispatching.claims(blinker=blinker), times), times)
    times = race(
        paying.contestants(),
        rounds=2 if quick else 15,
        burst_s=burst_s * 2,
        baseline=dispatching.EMPTY,
    )
    report.add(judge(paying.claims(), times), times)
    _measure_wrapping(report, rounds=2 if quick else 15, burst_s=burst_s * 4)
    times = race(streaming.contestants(), rounds=2 if quick else 15, burst_s=burst_s * 4)
    report.add(judge(streaming.claims(), times), times)
    _measure_starting(report, distributions=20 if quick else 500, rounds=1 if quick else 11)
    return report


def _measure_wrapping(report: Report, *, rounds: int, burst_s: float) -> None:
    contestants = wrapping.contestants(report.notes)
    times = race(contestants, rounds=rounds, burst_s=burst_s)
    report.add(judge(wrapping.claims(list(contestants)), times), times)


def _measure_starting(report: Report, *, distributions: int, rounds: int) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        starting.install_distributions(folder, distributions)
        report.heavy = starting.heavy_imports(folder)
        times = race(starting.contestants(folder), rounds=rounds, burst_s=0.0)
        report.add(judge(starting.claims(distributions), times), times)


def table(report: Report) -> str:
    """Return the report as plain text."""
    lines = [f"{'time of one':<32}{'median':>12}{'best':>12}"]
    for name, times in report.timings.items():
        lines.append(f"{name:<32}{_time(times['median_ns']):>12}{_time(times['best_ns']):>12}")
    lines += ["", f"{'ratio':<56}{'median':>8}{'quartiles':>18}{'best':>8}  limit"]
    for verdict in report.verdicts:
        low, high = verdict.quartiles
        lines.append(
            f"{verdict.name:<56}{verdict.median:>8.2f}{f'{low:.2f} - {high:.2f}':>18}"
            f"{verdict.best:>8.2f}  {_limit(verdict)}"
        )
    heavy = f"MISSED: it imports {', '.join(report.heavy)}" if report.heavy else "ok"
    lines += ["", f"hookcore imported without {', '.join(starting.HEAVY)}: {heavy}"]
    return "\n".join([*lines, *report.notes])


def _time(nanoseconds: float) -> str:
    for unit, size in (("ms", 1e6), ("us", 1e3)):
        if nanoseconds >= size:
            return f"{nanoseconds / size:.2f} {unit}"
    return f"{nanoseconds:.1f} ns"


def _limit(verdict: Verdict) -> str:
    if verdict.limit is None:
        return "-"
    return f"{verdict.sense} {verdict.limit:g}  {'ok' if verdict.kept else 'MISSED'}"


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print and write what was asked for; return the exit status."""
    parser = argparse.ArgumentParser(description="Measure hookcore's promises on speed.")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the report as JSON")
    parser.add_argument("--quick", action="store_true", help="tiny rounds: only see that it runs")
    options = parser.parse_args(arguments)
    logging.disable(logging.CRITICAL)
    report = measure(quick=options.quick)
    print(table(report))
    if options.json is not None:
        _write(options.json, json.dumps(report.as_json(), indent=2) + "\n")
    return 0 if report.ok else 1


def _write(path: Path, text: str) -> None:
    unfinished = path.with_name(f"{path.name}.part")
    unfinished.write_text(text, encoding="utf-8")
    unfinished.replace(path)


if __name__ == "__main__":
    sys.exit(main())
