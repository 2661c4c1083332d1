"""The boundary of a tool call."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable
from time import perf_counter
from typing import Any, cast

from hookcore_specs import HookAborted, ToolCallContext

from ..dispatch.arguments import parse_arguments
from ..dispatch.contexts import clone
from ..dispatch.deferred import gives_items
from ..dispatch.plans import Plans
from ..waiting.requests import AwaitBody, Steps
from .boundary import Boundary, checked_on_denied, denied_value
from .ids import new_call_id
from .toolstream import ToolStream

__all__ = ["ToolBoundary"]


class ToolBoundary(Boundary):
    """One tool call: pre settles before the body is entered, one end on every exit.

    A tool that is a generator ends when the generator does: as a whole before anything of it
    leaves when hooks after the body have to judge it, else as its reader goes on.
    """

    ctx: ToolCallContext

    def __init__(
        self,
        plans: Plans,
        ctx: ToolCallContext,
        call: Callable[[dict[str, Any]], Any],
        *,
        asynchronous: bool,
        on_denied: str = "raise",
        resolve: Callable[[str], Callable[[dict[str, Any]], Any]] | None = None,
    ) -> None:
        super().__init__(plans, ctx, asynchronous=asynchronous)
        self._returns_denial = checked_on_denied(on_denied)
        self._call = call
        self._name = ctx.tool_name
        self._resolve = resolve
        #: How the body gave its items, when it was a generator and all of them were taken.
        self._streamed = ""
        if ctx.call_id is None:
            ctx.call_id = new_call_id()

    def steps(self) -> Steps:
        """Run the call; return its result, or the denial where the host asked for it."""
        ctx = self.ctx
        try:
            ctx.payload = parse_arguments(str(ctx.tool_name), ctx.payload)
        except HookAborted as error:
            if self._returns_denial:
                return denied_value(error, "pre_tool_call")
            raise
        try:
            result = yield from self._run()
        except BaseException as error:
            point = str(ctx.point)
            yield from self.finished(error, None)
            if self._returns_denial and ctx.status == "denied":
                return denied_value(cast("HookAborted", error), point)
            raise
        if gives_items(result):
            return ToolStream(self.plans, result, self._failed, self._streamed_end).items()
        yield from self.finished(ctx.error, result)  # an error that the host goes on after
        return self._as_it_came(result)

    def finished(self, error: BaseException | None, result: Any, *, waits: bool = False) -> Steps:
        """Dispatch the call's one end."""
        ctx = self.ctx
        ctx.status = self.status(error)
        if self.plans.live["tool_finished"] is not None:
            told = clone(ctx, ctx.payload)
            told.settle(result)
            yield from self.ending("tool_finished", error, told, waits=waits)
        ctx.settle(result)

    def _failed(self, error: BaseException) -> None:
        self.body_error = error

    def _streamed_end(self, error: BaseException | None) -> Steps:
        return self.finished(error, None, waits=True)

    def _run(self) -> Steps:
        result = yield from self._called()
        if gives_items(result):
            return result
        return (yield from self.answered("post_tool_call"))

    def _called(self) -> Steps:
        yield from self.called(self.ctx, "pre_tool_call", "wrap_tool_call", self._body)
        return self.ctx.payload

    def _body(self, tool_input: dict[str, Any]) -> Steps:
        ctx = self.ctx
        name = ctx.tool_name if self.judging is None else self.judging.tool_name
        call = self._callable(str(name))
        ctx.entered = True
        started = perf_counter()
        try:
            result = yield from self.call_body(call, tool_input)
            if gives_items(result) and self._is_judged():
                result = yield from self._collected(result)
        finally:
            ctx.duration_ms = (perf_counter() - started) * 1000.0
        return result

    def _is_judged(self) -> bool:
        """Return whether a hook after the body has to see all that a generator gives."""
        live, wraps = self.plans.live, self.plans.wraps
        return live["post_tool_call"] is not None or wraps["wrap_tool_call"] is not None

    def _collected(self, generator: Any) -> Steps:
        is_async = isinstance(generator, AsyncGenerator)
        if is_async and not self.asynchronous:
            raise TypeError(
                "the tool is an async generator, and this host does not await: call it through "
                "acall_tool()"
            )
        self._streamed = "async" if is_async else "sync"
        try:
            if not is_async:
                return list(generator)
            return (yield AwaitBody(_all_of(generator)))
        except BaseException as error:
            self.body_error = error
            raise

    def _as_it_came(self, result: Any) -> Any:
        """Return what the host gets: an iterator again, where the tool was a generator."""
        if not self._streamed:
            return result
        items = result if isinstance(result, list) else [result]
        return _each(items) if self._streamed == "sync" else _aeach(items)

    def _callable(self, name: str) -> Callable[[dict[str, Any]], Any]:
        if name == str(self._name):
            return self._call
        if self._resolve is None:
            raise HookAborted(
                f"a hook changed the tool from {self._name} to {name}, and this host cannot call "
                "another tool than it was asked for",
                source="hookcore",
            )
        return self._resolve(name)


async def _all_of(generator: Any) -> list[Any]:
    return [item async for item in generator]


def _each(items: list[Any]) -> Any:
    yield from items


async def _aeach(items: list[Any]) -> Any:
    for item in items:
        yield item
