"""The boundary of a tool call."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from time import perf_counter
from typing import TYPE_CHECKING, Any, cast

from hookcore_specs import HookAborted, ToolCallContext

from ..waiting.requests import Steps
from .boundary import Boundary, checked_on_denied, denied_value

if TYPE_CHECKING:
    from ..dispatch.core import ManagerCore

__all__ = ["ToolCall", "parse_arguments"]


def parse_arguments(name: str, arguments: Any) -> dict[str, Any]:
    """Return a call's arguments as a dict; text is parsed as JSON.

    Raises:
        HookAborted: they are no JSON object; they never become ``{}``.
    """
    if isinstance(arguments, (str, bytes, bytearray)):
        try:
            arguments = json.loads(arguments)
        except (ValueError, RecursionError):
            raise _unparsable(name, "do not parse as JSON") from None
    if isinstance(arguments, dict):
        return arguments
    if isinstance(arguments, Mapping):
        return dict(arguments)
    raise _unparsable(name, f"are {type(arguments).__name__}, not an object")


def _unparsable(name: str, what: str) -> HookAborted:
    return HookAborted(
        f"the arguments of {name} {what}",
        source="hookcore",
        message="The arguments are not a valid JSON object.",
    )


class ToolCall(Boundary):
    """One tool call: pre settles before the body is entered, one end on every exit."""

    ctx: ToolCallContext

    def __init__(
        self,
        manager: ManagerCore,
        ctx: ToolCallContext,
        call: Callable[[dict[str, Any]], Any],
        *,
        asynchronous: bool,
        on_denied: str = "raise",
        resolve: Callable[[str], Callable[[dict[str, Any]], Any]] | None = None,
    ) -> None:
        super().__init__(manager, ctx, asynchronous=asynchronous)
        self._returns_denial = checked_on_denied(on_denied)
        self._call = call
        self._name = ctx.tool_name
        self._resolve = resolve

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
            yield from self._finished(error, None)
            if self._returns_denial and ctx.status == "denied":
                return denied_value(cast("HookAborted", error), point)
            raise
        yield from self._finished(None, result)
        return result

    def _finished(self, error: BaseException | None, result: Any) -> Steps:
        ctx = self.ctx
        ctx.status = self.status(error)
        ctx.settle(result)
        yield from self.ending("tool_finished", error)

    def _run(self) -> Steps:
        yield from self.called(self.ctx, "pre_tool_call", "wrap_tool_call", self._body)
        return (yield from self.answered("post_tool_call"))

    def _body(self, tool_input: dict[str, Any]) -> Steps:
        ctx = self.ctx
        call = self._callable(str(ctx.tool_name))
        ctx.entered = True
        started = perf_counter()
        try:
            return (yield from self.call_body(call, tool_input))
        finally:
            ctx.duration_ms = (perf_counter() - started) * 1000.0

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
