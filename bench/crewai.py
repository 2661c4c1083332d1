"""The drop-in beside the hooks of an installed CrewAI, in one run.

Run it with a Python that has both: ``python bench/crewai.py [--quick]``. Each row is the best of
several rounds, in nanoseconds for one dispatch of ``pre_tool_call`` with one context; a ratio is
CrewAI's time over ours. "stubbed" is CrewAI's engine with its event emission taken out.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import timeit
from collections.abc import Callable
from contextvars import ContextVar
from pathlib import Path
from typing import Any

# This file's own folder must not be where "crewai" is found.
sys.path[:] = [path for path in sys.path if Path(path).resolve() != Path(__file__).parent]
os.environ.update(CREWAI_DISABLE_TELEMETRY="true", OTEL_SDK_DISABLED="true")

ROUNDS = 15
LISTENED = "with a listener"
STUBBED = "stubbed, nobody listening"
EXPECTED = {
    f"one hook, {LISTENED}": 20.0,
    f"one hook, {STUBBED}": 3.0,
    f"100 filtered, none matches, {STUBBED}": 3.0,
}
MOST_OF_IMPORT = 0.05


class Side:
    """One implementation of the same functions."""

    def __init__(self, package: str) -> None:
        __import__(f"{package}.tool_hooks")
        self.dispatcher: Any = sys.modules[f"{package}.dispatch"]
        self.tools: Any = sys.modules[f"{package}.tool_hooks"]
        self.point = self.dispatcher.InterceptionPoint.PRE_TOOL_CALL
        self.ctx = self.tools.ToolCallHookContext("read_file", {}, None)

    def fill(self, count: int, tools: list[str] | None = None) -> None:
        """Register that many hooks that do nothing, and no others."""
        self.dispatcher.clear_all()
        for _ in range(count):
            self.dispatcher.on(self.point, tools=tools)(lambda ctx: None)

    def timer(
        self, number: int, deliver: Callable[[], object] | None = None
    ) -> Callable[[], float]:
        """Return what times a number of dispatches, in nanoseconds for one.

        Args:
            number: how many to time at once.
            deliver: waits until the listeners have heard of all of them.
        """
        names = {
            "dispatch": self.dispatcher.dispatch,
            "point": self.point,
            "ctx": self.ctx,
            "reducer": self.tools.before_tool_call_reducer,
        }
        # As a text, so that no function of the benchmark's own is timed along.
        dispatches = timeit.Timer("dispatch(point, ctx, reducer=reducer)", globals=names)

        def heard() -> None:
            dispatches.timeit(number)
            deliver()  # type: ignore[misc]

        delivered = timeit.Timer(heard)
        if deliver is None:
            return lambda: dispatches.timeit(number) / number * 1e9
        return lambda: delivered.timeit(1) / number * 1e9


def best(first: Callable[[], float], second: Callable[[], float]) -> tuple[float, float]:
    """Return the least that each of two timers tells, asked in turns for some rounds."""
    rounds = [(first(), second()) for _ in range(ROUNDS + 1)][1:]
    return min(one for one, _ in rounds), min(other for _, other in rounds)


def bare_loop(hooks: list[Callable[[Any], object]]) -> Callable[[Any], None]:
    """Return a loop over hooks that does nothing else."""

    def call_all(ctx: Any) -> None:
        for hook in hooks:
            hook(ctx)

    return call_all


def guarded(loop: Callable[[Any], None]) -> Callable[[Any], None]:
    """Return a loop during which a context variable says that it runs.

    Without such a mark a hook that dispatches, itself or by a thread or task, re-enters itself.
    """
    running: ContextVar[object] = ContextVar("running", default=None)

    def call_all(ctx: Any) -> None:
        if running.get() is None:
            token = running.set(loop)
            try:
                loop(ctx)
            finally:
                running.reset(token)

    return call_all


def least() -> list[tuple[str, float]]:
    """Return rows of a name and the nanoseconds of a loop that is no dispatcher at all."""
    rows: list[tuple[str, float]] = []
    for name, count in (("one hook", 1), ("100 hooks", 100)):
        loop = bare_loop([lambda ctx: None] * count)
        for kind, call in (("a bare loop", loop), ("the same, guarded", guarded(loop))):
            timer = timeit.Timer("call(ctx)", globals={"call": call, "ctx": None})
            number = max(1, 20_000 // count)
            rows.append((f"{name}, {kind}", min(timer.repeat(ROUNDS, number)) / number * 1e9))
    return rows


def import_seconds(module: str) -> float:
    """Return how long a fresh process takes to import a module, the start of Python left out."""
    code = f"import time; s = time.perf_counter(); import {module}; print(time.perf_counter() - s)"
    command = [sys.executable, "-c", code]
    # Installed packages come compiled; a checkout is compiled by the first of the runs.
    env = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    with tempfile.TemporaryDirectory() as folder:
        runs = [
            subprocess.run(
                command, cwd=folder, env=env, capture_output=True, text=True, check=True
            ).stdout
            for _ in range(3)
        ]
    return min(float(run.split()[-1]) for run in runs)


def listen_to_theirs() -> Callable[[], object]:
    """Add a listener to CrewAI's bus; return what waits until it has heard everything.

    CrewAI tells its listeners on other threads, hookcore before a dispatch returns.
    """
    from crewai.events.event_bus import crewai_event_bus
    from crewai.events.types.hook_events import HookDispatchedEvent

    @crewai_event_bus.on(HookDispatchedEvent)
    def heard(source: Any, event: Any) -> None: ...

    flush: Callable[[], object] = crewai_event_bus.flush
    return flush


CASES: tuple[tuple[str, int, list[str] | None], ...] = (
    ("no hook at the point", 0, None),
    ("one hook", 1, None),
    ("100 hooks", 100, None),
    ("100 filtered, none matches", 100, ["delete_file"]),
)


def measure(scale: int) -> list[tuple[str, float, float]]:
    """Return rows of a name, CrewAI's nanoseconds and ours."""
    from hookcore_crewai.hooks._binding import binding

    theirs, ours = Side("crewai.hooks"), Side("hookcore_crewai.hooks")
    rows: list[tuple[str, float, float]] = []
    deliver = listen_to_theirs()
    emit = theirs.dispatcher._emit_telemetry
    for name, count, tools in CASES:
        theirs.fill(count, tools)
        ours.fill(count, tools)
        number = max(1, scale // (1 + count))
        unsubscribe = binding.manager.subscribe(lambda event: None)
        heard = theirs.timer(max(1, scale // 20), deliver)
        rows.append((f"{name}, {LISTENED}", *best(heard, ours.timer(number))))
        unsubscribe()
        theirs.dispatcher._emit_telemetry = lambda *args: None
        rows.append((f"{name}, {STUBBED}", *best(theirs.timer(number), ours.timer(number))))
        theirs.dispatcher._emit_telemetry = emit
    theirs.fill(0)
    ours.fill(0)
    return rows


def main(arguments: list[str]) -> int:
    """Print the table, and what of the expectations is met."""
    parser = argparse.ArgumentParser(description="hookcore's drop-in beside CrewAI's own hooks")
    parser.add_argument("--quick", action="store_true", help="fewer rounds, rougher numbers")
    options = parser.parse_args(arguments)
    rows = measure(2_000 if options.quick else 20_000)
    print(f"{'case':<58}{'CrewAI':>10}{'hookcore':>10}{'ratio':>8}")
    for name, their_time, our_time in rows:
        print(f"{name:<58}{their_time:>10,.0f}{our_time:>10,.0f}{their_time / our_time:>7.1f}x")
    for name, loop_time in least():
        print(f"{name:<58}{'':>10}{loop_time:>10,.0f}")
    theirs, ours = import_seconds("crewai.hooks"), import_seconds("hookcore_crewai.hooks")
    print(f"import: {theirs:.2f} s and {ours * 1e3:.0f} ms, which is {ours / theirs:.1%}")
    ratios = {name: their_time / our_time for name, their_time, our_time in rows}
    for name, wanted in EXPECTED.items():
        said = "met" if ratios[name] >= wanted else "missed"
        print(f"expected: {name} {wanted:g}x: {said}")
    print(f"expected: import at most 5 %: {'met' if ours / theirs <= MOST_OF_IMPORT else 'missed'}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
