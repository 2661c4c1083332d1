"""The clocks of bursts: seconds of CPU, so that other processes do not count."""

from __future__ import annotations

import sys
from time import get_clock_info, perf_counter, process_time

__all__ = ["CLOCK", "children"]

CLOCK = process_time if get_clock_info("process_time").resolution < 1e-6 else perf_counter
"""The seconds of this process; of the wall where the system tells no better."""

if sys.platform == "win32":
    children = perf_counter
else:
    import resource

    def children() -> float:
        """Return the seconds of all processes that this one has started and that have ended."""
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        return used.ru_utime + used.ru_stime
