"""Dispatch against a bare loop, pluggy's own call and blinker."""

from __future__ import annotations

import asyncio
import timeit
from collections.abc import Awaitable, Callable
from typing import Any

import pluggy

from hookcore import HookManager, ToolCallContext, hookimpl

from .clocks import CLOCK
from .race import Burst, Claim

__all__ = ["EMPTY", "awaiting", "claims", "contestants", "filled", "statement"]

EMPTY = "empty loop"
POINT = "pre_tool_call"

_spec = pluggy.HookspecMarker("bench")
_impl = pluggy.HookimplMarker("bench")


class NoOp:
    """A plugin whose hook does nothing, for hookcore."""

    @hookimpl
    def pre_tool_call(self, ctx: Any) -> None:
        """Continue."""


class PluggySpecs:
    """The same point for pluggy."""

    @_spec
    def pre_tool_call(self, ctx: Any) -> None:
        """A tool is about to be called."""


class PluggyNoOp:
    """A plugin whose hook does nothing, for pluggy."""

    @_impl
    def pre_tool_call(self, ctx: Any) -> None:
        """Continue."""


def statement(code: str, *, clock: Callable[[], float] = CLOCK, **names: object) -> Burst:
    """Return a burst of one statement, its names local to the loop.

    Args:
        code: the statement.
        clock: what the burst is timed with, in seconds.
        names: what the statement may use.
    """
    setup = "; ".join(f"{name} = given_{name}" for name in names) or "pass"
    given = {f"given_{name}": value for name, value in names.items()}
    return timeit.Timer(code, setup, clock, globals=given).timeit


def awaiting(call: Callable[[], Awaitable[object]]) -> Burst:
    """Return a burst of something that is awaited.

    Args:
        call: gives the awaitable.
    """

    async def rounds(count: int) -> float:
        started = CLOCK()
        for _ in range(count):
            await call()
        return CLOCK() - started

    return lambda count: asyncio.run(rounds(count))


def filled(count: int) -> HookManager:
    """Return a manager with so many no-op hooks at the point."""
    manager = HookManager()
    for _ in range(count):
        manager.register(NoOp())
    return manager


def _filtered(count: int) -> HookManager:
    manager = HookManager()
    for number in range(count):

        class Filtered:
            @hookimpl(tools=[f"tool_{number}"])
            def pre_tool_call(self, ctx: Any) -> None:
                """Continue."""

        manager.register(Filtered())
    return manager


def _listened() -> HookManager:
    manager = filled(1)
    manager.subscribe(lambda event: None)
    return manager


def _pluggy(count: int) -> Any:
    manager = pluggy.PluginManager("bench")
    manager.add_hookspecs(PluggySpecs)
    for _ in range(count):
        manager.register(PluggyNoOp())
    return manager.hook.pre_tool_call


def _blinker(count: int) -> Any:
    from blinker import Signal

    signal = Signal()
    for _ in range(count):
        plugin = NoOp()

        def receiver(
            _sender: Any, ctx: Any, call: Callable[..., Any] = plugin.pre_tool_call
        ) -> None:
            call(ctx)

        signal.connect(receiver, weak=False)
    return signal.send


def _dispatch(manager: HookManager, ctx: ToolCallContext, point: str = POINT) -> Burst:
    return statement("dispatch(point, ctx)", dispatch=manager.dispatch, point=point, ctx=ctx)


def _bare(count: int, ctx: ToolCallContext) -> Burst:
    calls = [NoOp().pre_tool_call for _ in range(count)]
    return statement("for call in calls: call(ctx)", calls=calls, ctx=ctx)


def contestants(*, blinker: bool) -> dict[str, Burst]:
    """Return the bursts by name.

    Args:
        blinker: whether blinker is installed.
    """
    ctx = ToolCallContext(tool_name="tool_500", payload={"path": "a.txt", "depth": 3})
    table = {POINT: None}

    def look_up(point: str, ctx: ToolCallContext) -> None:
        return table[point]

    found: dict[str, Burst] = {
        EMPTY: statement("pass"),
        "one dict look-up": statement("f(point, ctx)", f=look_up, point=POINT, ctx=ctx),
        "unused point": _dispatch(HookManager(), ctx),
        "unused point, other in use": _dispatch(filled(1), ctx, "post_tool_call"),
        "1 hook": _dispatch(filled(1), ctx),
        "11 hooks": _dispatch(filled(11), ctx),
        "101 hooks": _dispatch(filled(101), ctx),
        "1 hook, 1 listener": _dispatch(_listened(), ctx),
        "1,000 hooks, 1 left": _dispatch(_filtered(1000), ctx),
        "bare loop of 1": _bare(1, ctx),
        "bare loop of 11": _bare(11, ctx),
        "bare loop of 101": _bare(101, ctx),
    }
    for count in (1, 101):
        found[f"pluggy, {count}"] = statement("call(ctx=ctx)", call=_pluggy(count), ctx=ctx)
        if blinker:
            found[f"blinker, {count}"] = statement(
                "send(None, ctx=ctx)", send=_blinker(count), ctx=ctx
            )
    return found


def claims(*, blinker: bool) -> list[Claim]:
    """Return what is claimed of these contestants."""
    found = [
        _times("unused point / one dict look-up", "unused point", "one dict look-up", "<=", 1.5),
        _times("pluggy / hookcore, one no-op hook", "pluggy, 1", "1 hook", ">=", 3.0),
        Claim("each further hook / a bare call (1 to 101)", _slopes(101), "<=", 2.5),
        _times("hookcore with a listener / pluggy", "1 hook, 1 listener", "pluggy, 1", "<=", 1.5),
        _times(
            "1,000 hooks, a filter leaves 1 / 1 hook", "1,000 hooks, 1 left", "1 hook", "<=", 1.5
        ),
        # The first further hook also pays for the loop that a single one does without.
        Claim("each further hook / a bare call (1 to 11)", _slopes(11)),
        _times(
            "unused point, other in use / look-up", "unused point, other in use", "one dict look-up"
        ),
        _times("pluggy / hookcore, 101 hooks", "pluggy, 101", "101 hooks"),
    ]
    if blinker:
        found += [
            _times("blinker / hookcore, one no-op hook", "blinker, 1", "1 hook"),
            _times("blinker / hookcore, 101 hooks", "blinker, 101", "101 hooks"),
        ]
    return found


def _times(name: str, top: str, bottom: str, sense: Any = "", limit: float | None = None) -> Claim:
    return Claim(name, lambda times: times[top] / times[bottom], sense, limit)


def _slopes(count: int) -> Callable[[Any], float]:
    def ratio(times: Any) -> float:
        ours = times[f"{count} hooks"] - times["1 hook"]
        bare = times[f"bare loop of {count}"] - times["bare loop of 1"]
        return float(ours / max(bare, 0.1))

    return ratio
