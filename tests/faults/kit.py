"""Short ways to make plugins, run calls and tell what became of them."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import inspect
from collections.abc import Callable, Coroutine
from typing import Any

from hookcore import ChannelMessage, HookAborted, HookManager, hookimpl

Body = Callable[[Any], Any]


def plugin_of(point: str, function: Callable[..., Any], **options: Any) -> Any:
    """Return a plugin with one hook."""
    if inspect.ismethod(function):  # which takes no mark
        function = functools.partial(function)
    marked = hookimpl(specname=point, **options)(function)
    return type("Plugin", (), {"hook": staticmethod(marked)})()


class Recorder:
    """A hook that keeps the contexts that it gets, a copy of each payload, and the end's status."""

    def __init__(self) -> None:
        self.contexts: list[Any] = []
        self.payloads: list[Any] = []
        self.ends: list[Any] = []

    def hook(self, ctx: Any) -> None:
        self.contexts.append(ctx)
        self.payloads.append(ctx.payload)
        self.ends.append(getattr(ctx, "status", None))


def outcome(call: Callable[[], Any]) -> Any:
    """Return what a call gave, or the name of what it raised."""
    try:
        result = call()
        return asyncio.run(result) if isinstance(result, Coroutine) else result
    except HookAborted:
        return "denied"
    except BaseException as error:  # noqa: BLE001 - its name is what is compared
        return type(error).__name__


def tool_call(manager: HookManager, arguments: Any = None, **fields: Any) -> Any:
    """Return what a tool gets that gives its own arguments back, or ``"denied"``."""
    given = {"path": "a"} if arguments is None else arguments
    return outcome(lambda: manager.call_tool("tool", given, lambda used: used, **fields))


def either(manager: HookManager, body: Body, *, sync: bool, name: str = "tool") -> Any:
    """Return the outcome of a tool call of a sync or an async host."""
    if sync:
        return outcome(lambda: manager.call_tool(name, {}, body))
    return outcome(lambda: manager.acall_tool(name, {}, body))


def refuse(ctx: Any) -> None:
    """Deny."""
    raise HookAborted("no")


def let_pass(ctx: Any) -> None:
    """Let pass."""


def message(content: str = "hello") -> ChannelMessage:
    """Return a message."""
    return ChannelMessage(channel="c", sender="s", recipient="r", content=content)


async def cancelled_while(call: Coroutine[Any, Any, Any], times: int = 1) -> Any:
    """Run a call and cancel its task so often; return what it gave, or what it raised."""
    task = asyncio.ensure_future(call)
    for _ in range(times):
        for _ in range(3):  # so that it gets as far as it can
            await asyncio.sleep(0)
        task.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await asyncio.wait({task})
    if task.cancelled():
        return "CancelledError"
    error = task.exception()
    return task.result() if error is None else type(error).__name__


class SaysYes:
    """A prompter that agrees to everything."""

    def ask(self, prompt: str, default_message: str) -> str:
        return "yes"
