"""Replay a lake of transcripts by one process, by several, and by a Dask cluster, and compare.

    python bench/lake.py [--megabytes N] [--jobs N] [--rounds N] [--redact] [--json FILE]

It makes transcripts of N megabytes (100), and of a tenth of that, in files of uneven sizes, from
the recorded airline runs, and replays them under the demo's tool-policy (with `--redact` under all
of the demo's policies, which takes twenty times as long). Each way must find what one process
finds, byte for byte. CPU is that of all processes; per megabyte it is the difference of the two
sizes, so that starting does not count; the least of all rounds counts. Memory is the largest
process's. `--megabytes 1000` is the whole of it, some minutes.

Exit status 1 says that findings differ or that a promise is missed. Dask is measured where it is
installed: pip install "hookcore[dask]".
"""

from __future__ import annotations

import argparse
import hashlib
import importlib.util
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"
RUNS = EXAMPLES / "transcripts" / "tau_airline_gpt4o_40.jsonl"
CPU = {"pool": 1.10, "dask": 1.35}
"""Times the CPU of one process that a way may need."""
MEMORY = 1.3
"""Times the memory that ten times the input may need."""

# Runs a command, and tells what it and all that it started needed.
_MEASURED = """
import json, resource, subprocess, sys, time
began = time.perf_counter()
if sys.argv[1] == "dask":
    from distributed import LocalCluster
    with LocalCluster(
        n_workers=int(sys.argv[2]), threads_per_worker=1, dashboard_address=None
    ) as cluster:
        url = cluster.scheduler_address.replace("tcp://", "dask://")
        done = subprocess.run([*sys.argv[4:], "--on", url], stdout=open(sys.argv[3], "wb"))
else:
    done = subprocess.run(sys.argv[4:], stdout=open(sys.argv[3], "wb"))
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(json.dumps([done.returncode, time.perf_counter() - began, used.ru_utime + used.ru_stime,
                  used.ru_maxrss / 1024]))
"""


@dataclass(frozen=True)
class Measured:
    """A replay: seconds of the wall and of CPU, MiB of the largest process, and its findings."""

    megabytes: float
    wall: float
    cpu: float
    memory: float
    findings: str


def write_lake(folder: Path, megabytes: float) -> float:
    """Write transcripts, and return their megabytes; run ids come again now and then."""
    runs = [json.loads(line) for line in RUNS.read_text(encoding="utf-8").splitlines()]
    folder.mkdir()
    left, trial, number, total = megabytes * 1e6, 0, 0, 0
    while left > 0:
        # A few large files, many small ones.
        room = min(left, megabytes * 1e6 / 4 / (1 + number % 7))
        with (folder / f"{number:04d}.jsonl").open("w", encoding="utf-8") as file:
            while room > 0:
                run = {**runs[trial % len(runs)], "id": f"run-{trial - (trial % 50 == 0)}"}
                size = file.write(json.dumps(run) + "\n")
                room, left, total, trial = room - size, left - size, total + size, trial + 1
        number += 1
    return total / 1e6


def measure(way: str, lake: Path, megabytes: float, jobs: int, environ: dict[str, str]) -> Measured:
    """Replay a lake in one way."""
    out, kept = lake.with_name(f"{lake.name}-{way}.json"), lake.with_name(f"{lake.name}-{way}")
    command = [sys.executable, "-m", "hookctl", "replay", str(lake / "*.jsonl"), "--json"]
    shutil.rmtree(kept, ignore_errors=True)
    command += {
        "one": [],
        "pool": ["--jobs", str(jobs)],
        "dask": ["--out", str(kept)],
    }[way]
    measured = [sys.executable, "-c", _MEASURED, way, str(jobs), str(out), *command]
    done = subprocess.run(
        measured, env=environ, cwd=EXAMPLES / "demo", stdout=subprocess.PIPE, check=True
    )
    code, wall, cpu, memory = json.loads(done.stdout)
    if code:
        raise SystemExit(f"lake: {way}: hookctl ended with {code}")
    return Measured(megabytes, wall, cpu, memory, digest(out))


def least(one: Measured, other: Measured) -> Measured:
    """Give the one that needed less CPU; findings that differ are no findings."""
    chosen = min(one, other, key=lambda measured: measured.cpu)
    return chosen if one.findings == other.findings else replace(chosen, findings="several")


def digest(report: Path) -> str:
    """Digest a report without the times in it."""
    found: dict[str, Any] = json.loads(report.read_text(encoding="utf-8"))
    for stats in found["summary"]["plugins"].values():
        for key in [key for key in stats if key.endswith("_ms")]:
            del stats[key]
    return hashlib.sha256(json.dumps(found).encode()).hexdigest()


def promises(results: dict[str, tuple[Measured, Measured]]) -> Iterator[tuple[str, float, float]]:
    """Yield what is promised: a name, the figure, and the most that it may be."""

    def per_megabyte(way: str) -> float:
        small, large = results[way]
        return (large.cpu - small.cpu) / (large.megabytes - small.megabytes)

    for way, (small, large) in results.items():
        if way in CPU:
            yield (
                f"{way}: CPU, times one process",
                per_megabyte(way) / per_megabyte("one"),
                CPU[way],
            )
        yield f"{way}: memory, ten times the input", large.memory / small.memory, MEMORY


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print a table, and return the exit status."""
    parser = argparse.ArgumentParser(description="replay a lake by one process, several, a cluster")
    parser.add_argument("--megabytes", type=float, default=100, help="of the larger lake")
    parser.add_argument("--jobs", type=int, default=2, help="processes of the pool, and workers")
    parser.add_argument("--rounds", type=int, default=1, help="measure so often, in turns")
    parser.add_argument("--redact", action="store_true", help="all of the demo's policies")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures to a file")
    options = parser.parse_args(arguments)
    kept = {name: value for name, value in os.environ.items() if not name.startswith("HOOKCORE_")}
    environ = {**kept, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    if not options.redact:
        environ["HOOKCORE_DISABLE"] = "redact"
    ways = ["one", "pool", *(["dask"] if importlib.util.find_spec("distributed") else [])]
    results: dict[str, tuple[Measured, Measured]] = {}
    with tempfile.TemporaryDirectory(prefix="hookcore-lake-") as folder:
        lakes = [Path(folder, name) for name in ("small", "large")]
        sizes = [
            write_lake(lake, options.megabytes / part)
            for lake, part in zip(lakes, (10, 1), strict=True)
        ]
        print(f"{'way':<6}{'MB':>8}{'wall s':>9}{'CPU s':>9}{'MiB':>7}")
        for way in ways * options.rounds:
            small, large = (
                measure(way, lake, size, options.jobs, environ)
                for lake, size in zip(lakes, sizes, strict=True)
            )
            for one in (small, large):
                row = f"{one.megabytes:>8.1f}{one.wall:>9.1f}{one.cpu:>9.1f}{one.memory:>7.0f}"
                print(f"{way:<6}{row}", flush=True)
            before = results.get(way, (small, large))
            results[way] = (least(before[0], small), least(before[1], large))
    missed = 0
    for name, figure, most in promises(results):
        missed += figure > most
        print(f"{name:<36}{figure:>6.2f}  <= {most}{'' if figure <= most else '  MISSED'}")
    for way, found in results.items():
        same = [one.findings for one in found] == [one.findings for one in results["one"]]
        missed += not same
        print(f"{way}: findings {'equal' if same else 'DIFFER'}")
    if options.json is not None:
        figures = {way: [asdict(one) for one in found] for way, found in results.items()}
        options.json.write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")
    return min(missed, 1)


if __name__ == "__main__":
    sys.exit(main())
