"""Measure hookcore's promises on speed, print a table and say whether they hold.

    python bench/run.py [--json FILE] [--svg FILE] [--page FILE] [--only PART] [--quick]

Exit status 1 says that a limit was missed, or that importing hookcore imports what it should not.
Nearly all promises are ratios within one run; a few are times, which a slow machine misses.
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
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

if __package__ in {None, ""}:
    # Run as a script: this folder's modules are found under the folder above it.
    sys.path.append(str(Path(__file__).resolve().parents[1]))

from bench import (
    dispatching,
    growth,
    large,
    paying,
    peering,
    replaying,
    sharing,
    starting,
    streaming,
    wrapping,
)
from bench.chart import chart
from bench.page import filled_in, number
from bench.race import Burst, Claim, Round, Verdict, judge, race, summary

PEERS = ("pluggy", "blinker")


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
        if rounds:
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
            "versions": {name: _version(name) for name in ("hookcore", *PEERS)},
            "peers": list(peering.pins().values()),
            "ratios": [
                {
                    "name": verdict.name,
                    "median": verdict.median,
                    "quartiles": list(verdict.quartiles),
                    "best": verdict.best,
                    "unit": verdict.unit or None,
                    "judged_by": "best" if verdict.by_best else "median",
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


class Bench:
    """One run of the benchmark: the parts that are wanted, one after the other.

    Args:
        quick: a few tiny rounds, to see that everything runs; the times mean nothing then.
    """

    def __init__(self, *, quick: bool) -> None:
        self._quick = quick
        self._burst_s = 0.0005 if quick else 0.002
        self.report = Report()

    def parts(self) -> dict[str, Callable[[], None]]:
        """Return the parts by name, in order."""
        return {
            "dispatching": self.dispatching,
            "paying": self.paying,
            "wrapping": self.wrapping,
            "sharing": self.sharing,
            "streaming": self.streaming,
            "large": self.large,
            "starting": self.starting,
            "growth": self.growth,
            "replaying": self.replaying,
            "peers": self.peers,
        }

    def dispatching(self) -> None:
        """Measure plain paths beside a bare loop, pluggy and blinker."""
        blinker = importlib.util.find_spec("blinker") is not None
        if not blinker:
            self.report.notes.append("blinker is not installed: its rows are left out")
        times = race(
            dispatching.contestants(blinker=blinker),
            rounds=2 if self._quick else 61,
            burst_s=self._burst_s,
            baseline=dispatching.EMPTY,
        )
        self.report.add(judge(dispatching.claims(blinker=blinker), times), times)

    def paying(self) -> None:
        """Measure what costs more on purpose."""
        self._race(paying.contestants(), paying.claims(), 15, 2, baseline=dispatching.EMPTY)

    def wrapping(self) -> None:
        """Measure wraps and policies."""
        contestants = wrapping.contestants(self.report.notes)
        self._race(contestants, wrapping.claims(list(contestants)), 15, 4)

    def sharing(self) -> None:
        """Measure policies that keep state, in memory and in stores that processes share."""
        notes = self.report.notes
        with (
            tempfile.TemporaryDirectory() as name,
            sharing.contestants(Path(name), notes) as contestants,
        ):
            self._race(contestants, sharing.claims(list(contestants)), 15, 4)

    def streaming(self) -> None:
        """Measure streams."""
        self._race(streaming.contestants(), streaming.claims(), 11, 5)

    def large(self) -> None:
        """Measure large payloads."""
        self._race(large.contestants(), large.claims(), 7, 5)

    def starting(self) -> None:
        """Measure imports, loading and `hookctl list`."""
        distributions, plugins = (20, 20) if self._quick else (500, 400)
        with tempfile.TemporaryDirectory() as name:
            folder, enabled = Path(name, "many"), Path(name, "enabled")
            folder.mkdir()
            enabled.mkdir()
            starting.install_distributions(folder, distributions)
            starting.install_plugins(enabled, plugins)
            self.report.heavy = starting.heavy_imports(folder)
            claims = starting.claims(distributions, plugins)
            rounds = 1 if self._quick else 11
            self._race(starting.contestants(folder, enabled), claims, rounds, 0)

    def growth(self) -> None:
        """Measure how times grow."""
        for curve in growth.curves(self.report.notes, quick=self._quick):
            verdict, least = growth.measure(curve, 2 if self._quick else 5)
            self.report.verdicts.append(verdict)
            for size, seconds in least.items():
                times = {"median_ns": seconds * 1e9, "best_ns": seconds * 1e9}
                self.report.timings[f"{curve.name}: {size:,}"] = times

    def replaying(self) -> None:
        """Measure `hookctl replay`."""
        with tempfile.TemporaryDirectory() as name:
            sizes = (50_000, 100_000) if self._quick else (8_000_000, 50_000_000)
            folders = [Path(name, part) for part in ("empty", "small", "large")]
            for folder in folders:
                folder.mkdir()
            empty, *others = folders
            small, large_ = (
                replaying.write_runs(*pair) for pair in zip(others, sizes, strict=True)
            )
            claims = replaying.claims(small, large_, jobs=2, limited=not self._quick)
            self._race(
                replaying.contestants(empty, small, large_, jobs=2),
                claims,
                1 if self._quick else 3,
                0,
            )

    def peers(self) -> None:
        """Race the peers that are installed, each in its own venv."""
        rounds = 2 if self._quick else 15
        for name in peering.pins():
            notes = self.report.notes
            times = peering.measure(name, notes, rounds=rounds, burst_s=self._burst_s)
            if times:
                shown = [{f"beside {name}: {one}": ns for one, ns in r.items()} for r in times]
                self.report.add(judge(peering.claims(name), times), [])
                self.report.timings.update(summary(shown))

    def _race(
        self,
        contestants: dict[str, Burst],
        claims: Sequence[Claim],
        rounds: int,
        bursts: int,
        *,
        baseline: str | None = None,
    ) -> None:
        rounds = min(rounds, 2) if self._quick else rounds
        times = race(contestants, rounds=rounds, burst_s=self._burst_s * bursts, baseline=baseline)
        self.report.add(judge(claims, times), times)


def table(report: Report) -> str:
    """Return the report as plain text."""
    lines = [f"{'time of one':<56}{'median':>12}{'best':>12}"]
    for name, times in report.timings.items():
        lines.append(f"{name:<56}{_time(times['median_ns']):>12}{_time(times['best_ns']):>12}")
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
    limit = number(verdict.limit, verdict.unit)
    return f"{verdict.sense} {limit}  {'ok' if verdict.kept else 'MISSED'}"


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print and write what was asked for; return the exit status."""
    parser = argparse.ArgumentParser(description="Measure hookcore's promises on speed.")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the report as JSON")
    parser.add_argument("--svg", type=Path, metavar="FILE", help="write a chart")
    parser.add_argument("--page", type=Path, metavar="FILE", help="write figures into a page")
    parser.add_argument("--quick", action="store_true", help="tiny rounds: only see that it runs")
    bench = Bench(quick="--quick" in (sys.argv[1:] if arguments is None else arguments))
    parts = bench.parts()
    parser.add_argument("--only", action="append", choices=list(parts), help="only this part")
    options = parser.parse_args(arguments)
    logging.disable(logging.CRITICAL)
    for name in options.only or parts:
        parts[name]()
    report = bench.report
    print(table(report))
    if options.json is not None:
        _write(options.json, json.dumps(report.as_json(), indent=2) + "\n")
    if options.svg is not None:
        _write(options.svg, chart(report.verdicts))
    if options.page is not None:
        page = options.page.read_text(encoding="utf-8")
        _write(options.page, filled_in(page, report.verdicts, _about(), report.notes))
    return 0 if report.ok else 1


def _about() -> str:
    versions = ", ".join(f"{name} {_version(name)}" for name in PEERS)
    peers = ", ".join(pin.replace("==", " ") for pin in peering.pins().values())
    machine = f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores"
    return f"Python {platform.python_version()} on {machine}; {versions}; peers: {peers}."


def _write(path: Path, text: str) -> None:
    unfinished = path.with_name(f"{path.name}.part")
    unfinished.write_text(text, encoding="utf-8")
    unfinished.replace(path)


if __name__ == "__main__":
    sys.exit(main())
