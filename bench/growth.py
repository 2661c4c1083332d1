"""Growth of times with the things they depend on: hooks, plugins, rules, a history, the log.

Each curve is measured at several sizes in interleaved rounds; its exponent is the slope of the
least times in a plot of both logarithms: 0 is flat, 1 is linear, 2 is quadratic.
"""

from __future__ import annotations

import gc
import importlib
import math
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hookcore import HookManager, ModelCallContext, ToolCallContext

from .clocks import CLOCK
from .dispatching import NoOp, filled
from .race import Verdict, quartiles

__all__ = ["Curve", "curves", "exponent", "measure"]

HISTORY = "pre_model_call"
LOGGED = """
import sys
from time import process_time
from hookcore import HookManager, ToolCallContext, hookimpl
class Policy:
    @hookimpl
    def pre_tool_call(self, ctx):
        return {"path": "b"}
manager = HookManager.load(config={"log": {"enabled": True}})
manager.register(Policy(), "policy")
ctx = ToolCallContext(tool_name="read_file", payload={"path": "a"})
started = process_time()
for _ in range(int(sys.argv[1])):
    manager.dispatch("pre_tool_call", ctx)
manager.close()
print(process_time() - started)
"""


@dataclass(frozen=True)
class Curve:
    """Something whose time depends on a size.

    Args:
        name: what it is.
        sizes: the sizes.
        seconds: does it once at a size; returns the seconds of CPU that it took.
        limit: the largest exponent; None to tell only.
    """

    name: str
    sizes: Sequence[int]
    seconds: Callable[[int], float]
    limit: float | None = None


def exponent(sizes: Sequence[int], times: Sequence[float]) -> float:
    """Return the slope of the line through the logarithms, by least squares."""
    xs, ys = [math.log(size) for size in sizes], [math.log(max(time, 1e-9)) for time in times]
    x_mean, y_mean = sum(xs) / len(xs), sum(ys) / len(ys)
    up = sum((x - x_mean) * (y - y_mean) for x, y in zip(xs, ys, strict=True))
    return up / sum((x - x_mean) ** 2 for x in xs)


def measure(curve: Curve, rounds: int) -> tuple[Verdict, dict[int, float]]:
    """Return the exponent of a curve, and the least seconds at each size.

    Args:
        curve: the curve.
        rounds: how often each size is measured, by turns.
    """
    found: dict[int, list[float]] = {size: [] for size in curve.sizes}
    for _ in range(rounds):
        for size in curve.sizes:
            gc.collect()
            gc.disable()
            try:
                found[size].append(curve.seconds(size))
            finally:
                gc.enable()
    slopes = [
        exponent(curve.sizes, [found[size][one] for size in curve.sizes]) for one in range(rounds)
    ]
    least = {size: min(times) for size, times in found.items()}
    low, middle, high = quartiles(slopes)
    verdict = Verdict(
        f"growth: {curve.name}",
        middle,
        (low, high),
        exponent(curve.sizes, list(least.values())),
        "" if curve.limit is None else "<=",
        curve.limit,
        by_best=True,
        unit="exponent",
    )
    return verdict, least


def curves(notes: list[str], *, quick: bool) -> list[Curve]:
    """Return the curves.

    Args:
        notes: takes a line for each policy that is not installed and therefore left out.
        quick: small sizes only.
    """
    few = [10, 20] if quick else [100, 300, 1000]
    many = [10, 20] if quick else [500, 1000, 2000, 4000]
    found = [
        Curve("a dispatch, by hooks", few, _dispatch, 1.1),
        Curve("registering, by plugins", many, _register, 1.1),
        Curve("the log, by decisions", [20, 40] if quick else [1000, 4000, 16_000], _log, 1.1),
    ]
    policy, redact = _policy("hookcore_tool_policy"), _policy("hookcore_redact")
    if policy is None:
        notes.append("hookcore-tool-policy is not installed: its curve is left out")
    else:
        found.append(Curve("a new tool name, by rules", few, _Rules(policy), 0.5))
    if redact is None:
        notes.append("hookcore-redact is not installed: its curve is left out")
    else:
        sizes = [10, 20] if quick else [100, 200, 400, 800]
        found.append(Curve("one more message, by the history", sizes, _Messages(redact), 1.1))
    return found


def _policy(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


def _timed(times: int, call: Callable[[int], object]) -> float:
    call(0)
    started = CLOCK()
    for number in range(1, times + 1):
        call(number)
    return (CLOCK() - started) / times


def _dispatch(size: int) -> float:
    manager, ctx = filled(size), ToolCallContext(tool_name="read_file", payload={"path": "a.txt"})
    return _timed(20, lambda _: manager.dispatch("pre_tool_call", ctx))


def _register(size: int) -> float:
    started = CLOCK()
    manager = HookManager()
    for _ in range(size):
        manager.register(NoOp())
    return CLOCK() - started


def _log(size: int) -> float:
    with tempfile.TemporaryDirectory() as folder:
        homes = dict.fromkeys(("HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME", "APPDATA"), folder)
        kept = {key: value for key, value in os.environ.items() if "HOOKCORE" not in key}
        path = os.pathsep.join(filter(None, [str(Path(__file__).parents[1]), *sys.path]))
        done = subprocess.run(
            [sys.executable, "-c", LOGGED, str(size)],
            env={**kept, **homes, "PYTHONPATH": path},
            cwd=folder,
            capture_output=True,
            text=True,
            check=True,
        )
    return float(done.stdout)


class _Rules:
    """The judgement of a tool policy with so many globs over a name that it does not know."""

    def __init__(self, module: Any) -> None:
        self._module = module

    def __call__(self, size: int) -> float:
        globs = [f"tool_{number}_*_by_{number}" for number in range(size)]
        policy = self._module.ToolPolicy(self._module.ToolPolicySettings(deny=globs))
        return _timed(50, lambda number: policy.judge(f"read_file_{number}", {}))


class _Messages:
    """A call of the model after so many messages that were seen before, and a new one."""

    def __init__(self, module: Any) -> None:
        self._module = module

    def __call__(self, size: int) -> float:
        manager = HookManager()
        manager.register(self._module.Redact(), "redact")
        messages: list[Any] = [
            {"role": "user", "content": f"message {number} with some words in it"}
            for number in range(size)
        ]

        def call(number: int) -> None:
            messages.append({"role": "user", "content": f"another message, {number}"})
            manager.dispatch(HISTORY, ModelCallContext(messages=messages, run_id="run"))

        return _timed(10, call)
