"""The speed of `hookctl replay` on recorded runs, beside reading their JSON alone."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from time import perf_counter

from .clocks import CLOCK, children
from .race import Burst, Claim

__all__ = ["claims", "contestants", "write_runs"]

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"
RUNS = EXAMPLES / "transcripts" / "tau_airline_gpt4o_40.jsonl"


def write_runs(folder: Path, size: int) -> Path:
    """Write the recorded runs again and again, each time under other names.

    Args:
        folder: where to.
        size: about how many bytes.
    """
    runs = [json.loads(line) for line in RUNS.read_text(encoding="utf-8").splitlines()]
    path, written, trial = folder / "runs.jsonl", 0, 0
    with path.open("w", encoding="utf-8") as file:
        while written < size:
            for run in runs:
                if written < size:
                    written += file.write(json.dumps({**run, "trial": trial}) + "\n")
            trial += 1
    return path


def contestants(folder: Path, small: Path, large: Path, *, jobs: int) -> dict[str, Burst]:
    """Return the bursts by name; one operation is one replay.

    Args:
        folder: an empty folder, whose plugins are none.
        small: runs that are replayed under the demo's policies.
        large: runs that are only read.
        jobs: the processes of the last contestant.
    """
    demo = EXAMPLES / "demo"
    return {
        "json.loads": _loads(large),
        "replay of nothing": _replay(folder, os.devnull),
        "replay, no plugin": _replay(folder, str(large)),
        "replay, the demo": _replay(demo, str(small)),
        "replay, the demo, wall": _replay(demo, str(small), clock=perf_counter),
        f"replay, the demo, {jobs} jobs, wall": _replay(
            demo, str(small), "--jobs", str(jobs), clock=perf_counter
        ),
    }


def claims(small: Path, large: Path, *, jobs: int, limited: bool) -> list[Claim]:
    """Return what is claimed of these contestants.

    Args:
        small: as for `contestants`.
        large: as for `contestants`.
        jobs: as for `contestants`.
        limited: whether the limits count: they are for large files.
    """
    sizes = {"replay, the demo": small, "replay, no plugin": large, "json.loads": large}

    def speed(name: str, limit: float | None = None) -> Claim:
        size = sizes[name].stat().st_size
        start = "json.loads" if name == "json.loads" else "replay of nothing"
        nothing = 0.0 if name == "json.loads" else 1.0
        return Claim(
            f"{name}, MB/s a core",
            lambda times: size * 1e3 / max(times[name] - nothing * times[start], 1.0),
            "" if limit is None else ">=",
            limit,
            by_best=True,
            unit="MB/s",
        )

    several = f"replay, the demo, {jobs} jobs, wall"
    return [
        speed("json.loads"),
        speed("replay, no plugin", 60.0 if limited else None),
        speed("replay, the demo", 10.0 if limited else None),
        Claim(
            f"replay, the demo: 1 job / {jobs} jobs",
            lambda times: times["replay, the demo, wall"] / times[several],
            ">=" if limited else "",
            1.6 if limited else None,
            by_best=True,
        ),
    ]


def _loads(path: Path) -> Burst:
    def burst(count: int) -> float:
        started = CLOCK()
        for _ in range(count):
            with path.open("rb") as file:
                for line in file:
                    json.loads(line)
        return CLOCK() - started

    return burst


def _replay(folder: Path, *arguments: str, clock: Callable[[], float] = children) -> Burst:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("HOOKCORE_")}
    path = os.pathsep.join(filter(None, sys.path))
    command = [sys.executable, "-m", "hookctl", "replay", *arguments, "--json"]

    def burst(count: int) -> float:
        started = clock()
        for _ in range(count):
            subprocess.run(
                command,
                env={**kept, "PYTHONPATH": path},
                cwd=folder,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                check=False,
            )
        return clock() - started

    return burst
