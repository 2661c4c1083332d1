"""The paths that cost more on purpose: copies, threads, event loops, wraps, whole boundaries."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from time import perf_counter
from typing import Any

from hookcore import HookManager, ModelCallContext, ToolCallContext, hookimpl

from .dispatching import EMPTY, NoOp, filled, statement
from .race import Burst, Claim

__all__ = ["claims", "contestants"]

POINT = "pre_tool_call"
CHUNKS = 1000


class Gate:
    """A gate that lets everything pass."""

    @hookimpl(gate=True)
    def pre_tool_call(self, ctx: Any) -> None:
        """Let pass."""


class Timed:
    """A plain function with a timeout, which runs in a worker thread."""

    @hookimpl(timeout=10.0)
    def pre_tool_call(self, ctx: Any) -> None:
        """Continue."""


class Async:
    """An async hook that awaits nothing."""

    @hookimpl
    async def pre_tool_call(self, ctx: Any) -> None:
        """Continue."""


class Around:
    """A wrap in the form that sync and async hosts share."""

    @hookimpl
    def wrap_tool_call(self, ctx: Any, call_next: Callable[..., Any]) -> Any:
        """Call on."""
        yield


class Transform:
    """A wrap around a stream that changes each of its chunks."""

    @hookimpl
    async def wrap_model_call(self, ctx: Any, call_next: Callable[..., Any]) -> Any:
        """Upper-case each chunk."""
        async for chunk in call_next():
            yield chunk.upper()


def _with(*plugins: object, **options: Any) -> HookManager:
    manager = HookManager(**options)
    for plugin in plugins:
        manager.register(plugin)
    return manager


def _monitored() -> HookManager:
    # The same road as an operator's `mode = "monitor"`, without an installed plugin.
    from hookcore.hooks.options import OperatorOptions

    manager = HookManager()
    manager.register_configured(NoOp(), "no-op", operator=OperatorOptions(mode="monitor"))
    return manager


def _awaiting(call: Callable[[], Awaitable[object]]) -> Burst:
    async def rounds(count: int) -> float:
        started = perf_counter()
        for _ in range(count):
            await call()
        return perf_counter() - started

    return lambda count: asyncio.run(rounds(count))


def _body(given: dict[str, Any]) -> dict[str, Any]:
    return given


async def _chunks(_messages: object) -> AsyncIterator[str]:
    for _ in range(CHUNKS):
        yield "chunk"


async def _drain(stream: AsyncIterator[str]) -> None:
    async for _ in stream:
        pass


def contestants() -> dict[str, Burst]:
    """Return the bursts by name."""
    given = {"path": "a.txt", "depth": 3}
    ctx = ToolCallContext(tool_name="read_file", payload=given)
    request = ModelCallContext(messages=[{"role": "user", "content": "hi"}])
    plain, hook = filled(1), Async().pre_tool_call

    def dispatch(manager: HookManager) -> Burst:
        names = {"dispatch": manager.dispatch, "point": POINT, "ctx": ctx}
        return statement("dispatch(point, ctx)", clock=perf_counter, **names)

    def calling(manager: HookManager) -> Burst:
        return statement(
            "call_tool('read_file', given, body)",
            call_tool=manager.call_tool,
            given=given,
            body=_body,
        )

    def streaming(manager: HookManager) -> Burst:
        return _awaiting(lambda: _drain(manager.awrap_stream("wrap_model_call", request, _chunks)))

    in_async = _with(Async())
    return {
        EMPTY: statement("pass"),
        "plain hook": dispatch(plain),
        "gate": dispatch(_with(Gate())),
        "tracked": dispatch(_with(NoOp(), track_mutations=True)),
        "monitored": dispatch(_monitored()),
        "timed function": dispatch(_with(Timed())),
        "bare await": _awaiting(lambda: hook(ctx)),
        "async hook": _awaiting(lambda: in_async.adispatch(POINT, ctx)),
        "async hook, sync host": dispatch(in_async),
        "plain hook, async host": _awaiting(lambda: plain.adispatch(POINT, ctx)),
        "bare body": statement("body(given)", given=given, body=_body),
        "call_tool, no plugins": calling(HookManager()),
        "call_tool, 1 hook": calling(plain),
        "call_tool, 1 wrap": calling(_with(Around())),
        "call_tool, 5 wraps": calling(_with(*(Around() for _ in range(5)))),
        "bare stream": _awaiting(lambda: _drain(_chunks(None))),
        "stream, 1 transform": streaming(_with(Transform())),
    }


def claims() -> list[Claim]:
    """Return the ratios that are told, and have no limit."""
    pairs = [
        ("gate", "plain hook"),
        ("tracked", "plain hook"),
        ("monitored", "plain hook"),
        ("timed function", "plain hook"),
        ("plain hook, async host", "bare await"),
        ("async hook", "bare await"),
        ("async hook, sync host", "async hook"),
        ("call_tool, no plugins", "bare body"),
        ("call_tool, 1 hook", "call_tool, no plugins"),
        ("call_tool, 1 wrap", "call_tool, no plugins"),
        ("call_tool, 5 wraps", "call_tool, no plugins"),
        ("stream, 1 transform", "bare stream"),
    ]
    return [_claim(top, bottom) for top, bottom in pairs]


def _claim(top: str, bottom: str) -> Claim:
    return Claim(f"{top} / {bottom}", lambda times: times[top] / times[bottom])
