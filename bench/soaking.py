"""A soak of the log of decisions: events per second, what is dropped, and memory.

    python bench/soaking.py                       20,000 events a second for 10 seconds
    python bench/soaking.py --rate 0              as fast as one thread can
    python bench/soaking.py --rate 500 --seconds 3600 --json soak.json

It writes to a folder of its own, which it removes, and ends after the seconds, whatever happens.
It exits with 1 when an event is neither in the log nor counted as dropped.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from hookcore import HookManager, ToolCallContext, hookimpl
from hookcore.config import LogConfig
from hookcore.log.reading import open_log
from hookcore.log.writer import LogWriter

__all__ = ["main", "soak"]

_FLUSH_SECONDS = 30.0


class Watch:
    """A hook that does nothing, so that each dispatch makes an event."""

    @hookimpl
    def pre_tool_call(self, ctx: Any) -> None:
        """Watch a call."""


def soak(file: Path, *, rate: float, seconds: float, megabytes: int) -> dict[str, float]:
    """Dispatch at a steady rate, with a log.

    Args:
        file: the log, which is made.
        rate: events per second; 0 for as many as one thread makes.
        seconds: how long.
        megabytes: the bound of the log.

    Returns:
        What was seen: counts, seconds, and MB of memory before and after.
    """
    writer = LogWriter(file, LogConfig(enabled=True, max_megabytes=megabytes))
    manager = HookManager()
    manager.register(Watch())
    manager.subscribe(writer.put)
    before = _resident_megabytes()
    start = time.perf_counter()
    end, made = start + seconds, 0
    while (now := time.perf_counter()) < end:
        if rate and made >= (now - start) * rate:
            time.sleep(0.001)
            continue
        manager.dispatch(
            "pre_tool_call", ToolCallContext(tool_name=f"tool-{made % 20}", run_id="r", payload={})
        )
        made += 1
    took = time.perf_counter() - start
    busy = _resident_megabytes()
    flushed = writer.close(_FLUSH_SECONDS)
    with open_log(file) as log:
        kept = 0 if log is None else _last_id(log.connection)
        dropped = 0 if log is None else log.drops()
    return {
        "events": made,
        "per_second": made / took,
        "written": kept,
        "dropped": dropped,
        "unaccounted": made - kept - dropped,
        "flushed": float(flushed),
        "log_megabytes": file.stat().st_size / 1e6,
        "memory_before": before,
        "memory_under_load": busy,
        "memory_after": _resident_megabytes(),
    }


def _last_id(connection: Any) -> int:
    # Not the count: the oldest may have been dropped to keep the log within its bound.
    number: int = connection.execute("SELECT coalesce(max(id), 0) FROM events").fetchone()[0]
    return number


def _resident_megabytes() -> float:
    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    except OSError:
        return 0.0  # told on Linux only
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def main() -> int:
    """Run the soak that the command line asks for, and return the exit code."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--rate", type=float, default=20_000, help="events per second; 0: no limit")
    parser.add_argument("--seconds", type=float, default=10.0, help="how long (default: 10)")
    parser.add_argument("--megabytes", type=int, default=100, help="the log's bound (default: 100)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures there, too")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="hookcore-soak-") as folder:
        seen = soak(
            Path(folder) / "decisions.sqlite3",
            rate=given.rate,
            seconds=given.seconds,
            megabytes=given.megabytes,
        )
    for name, value in seen.items():
        sys.stdout.write(f"{name.replace('_', ' '):18} {value:12,.1f}\n")
    if given.json is not None:
        given.json.write_text(json.dumps(seen, indent=2) + "\n", encoding="utf-8")
    return 1 if seen["unaccounted"] else 0


if __name__ == "__main__":
    sys.exit(main())
