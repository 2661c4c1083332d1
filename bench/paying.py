"""The paths that cost more on purpose: copies, threads, event loops, wraps, whole boundaries."""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter
from typing import Any

from hookcore import HookManager, ToolCallContext, hookimpl

from .clocks import CLOCK
from .dispatching import EMPTY, NoOp, awaiting, filled, statement
from .race import Burst, Claim, lasting, ratio

__all__ = ["claims", "contestants"]

POINT = "pre_tool_call"


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


class Told:
    """A hook that is told of each dispatch."""

    @hookimpl
    def hook_dispatched(self, ctx: Any) -> None:
        """Continue."""


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


def _body(given: dict[str, Any]) -> dict[str, Any]:
    return given


def _ten_async() -> HookManager:
    return _with(*(Async() for _ in range(10)))


def _listened(*plugins: object) -> HookManager:
    manager = _with(NoOp(), *plugins)
    if not plugins:
        manager.subscribe(lambda event: None)
    return manager


def contestants() -> dict[str, Burst]:
    """Return the bursts by name."""
    given = {"path": "a.txt", "depth": 3}
    ctx = ToolCallContext(tool_name="read_file", payload=given)
    plain, hook = filled(1), Async().pre_tool_call
    # A manager that has had a scope with hooks is idle no more.
    idle, scoped = HookManager(), HookManager()
    messages = [{"role": "user", "content": "hi"}]

    def dispatch(manager: HookManager, *, clock: Callable[[], float] = CLOCK) -> Burst:
        return statement(
            "dispatch(point, ctx)", clock=clock, dispatch=manager.dispatch, point=POINT, ctx=ctx
        )

    def calling(manager: HookManager) -> Burst:
        code = "call_tool('read_file', given, body)"
        return statement(code, call_tool=manager.call_tool, given=given, body=_body)

    def wrapped(manager: HookManager) -> Burst:
        code = "wrap('wrap_tool_call', ctx, body)"
        return statement(code, wrap=manager.wrap, ctx=ctx, body=_body)

    @idle.tool
    def tool(path: str) -> str:
        return path

    async def bare_awaits(count: int = 100) -> None:
        for _ in range(count):
            await hook(ctx)

    in_async, hundred = _with(Async()), _with(*(Async() for _ in range(100)))
    return {
        EMPTY: statement("pass"),
        "plain hook": dispatch(plain),
        "gate": dispatch(_with(Gate())),
        "tracked": dispatch(_with(NoOp(), track_mutations=True)),
        "monitored": dispatch(_monitored()),
        "timed function": dispatch(_with(Timed()), clock=perf_counter),
        "subscriber": dispatch(_listened()),
        "hook_dispatched hook": dispatch(_listened(Told())),
        "bare await": awaiting(lambda: hook(ctx)),
        "100 bare awaits": awaiting(bare_awaits),
        "async hook": awaiting(lambda: in_async.adispatch(POINT, ctx)),
        "100 async hooks": awaiting(lambda: hundred.adispatch(POINT, ctx)),
        "async hook, sync host": dispatch(in_async, clock=perf_counter),
        "10 async hooks, sync host, wall": dispatch(_ten_async(), clock=perf_counter),
        "plain hook, async host": awaiting(lambda: plain.adispatch(POINT, ctx)),
        "sync wrap": wrapped(_with(Around())),
        "bare body": statement("body(given)", given=given, body=_body),
        "call_tool, no plugins": calling(idle),
        "call_tool, 1 hook": calling(plain),
        "call_tool, 1 wrap": calling(_with(Around())),
        "call_tool, 5 wraps": calling(_with(*(Around() for _ in range(5)))),
        "call_model, no plugins": statement(
            "call_model(messages, body)", call_model=idle.call_model, messages=messages, body=_body
        ),
        "@tool, no plugins": statement("tool('a.txt')", tool=tool),
        "run, no plugins": statement("with run(): pass", run=idle.run),
        "scope with a plugin, and a dispatch": statement(
            "with scope(plugin): dispatch(point, ctx)",
            scope=scoped.scope,
            plugin=NoOp(),
            dispatch=scoped.dispatch,
            point=POINT,
            ctx=ctx,
        ),
    }


def claims() -> list[Claim]:
    """Return what is claimed of these contestants."""
    call = "call_tool, no plugins"
    return [
        ratio("gate", "plain hook", 14.0),
        ratio("tracked", "plain hook"),
        ratio("monitored", "plain hook"),
        ratio("timed function", "plain hook"),
        ratio("hook_dispatched hook", "subscriber", 5.0),
        ratio("plain hook, async host", "bare await"),
        ratio("async hook", "bare await", 8.0),
        ratio("100 async hooks", "100 bare awaits", 3.0),
        ratio("async hook, sync host", "async hook"),
        lasting("10 async hooks, sync host, wall", 100.0, "us"),
        ratio("sync wrap", "plain hook", 6.0),
        ratio(call, "bare body"),
        ratio("call_tool, 1 hook", call),
        ratio("call_tool, 1 wrap", call),
        ratio("call_tool, 5 wraps", call),
        ratio("call_model, no plugins", call, 4.0),
        ratio("@tool, no plugins", call, 3.0),
        lasting("run, no plugins", 5.0, "us"),
        lasting("scope with a plugin, and a dispatch", 30.0, "us"),
    ]
