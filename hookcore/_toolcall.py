"""The boundary of a tool call."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from time import perf_counter
from typing import TYPE_CHECKING, Any

from hookcore_specs import HookAborted, ToolCallContext

from ._boundary import Boundary, checked_on_denied, denied_value, status_of
from ._copying import copy_payload
from ._requests import Steps

if TYPE_CHECKING:
    from ._core import ManagerCore

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
        failure: BaseException | None = None
        try:
            return (yield from self._run())
        except BaseException as error:
            failure = error
            if (
                self._returns_denial
                and isinstance(error, HookAborted)
                and error is not self.body_error
            ):
                return denied_value(error, str(ctx.point))
            raise
        finally:
            ctx.status = status_of(failure, self.body_error)
            ctx.settle(None if failure is not None else ctx.payload)
            yield from self.ending("tool_finished", failure)

    def _run(self) -> Steps:
        ctx = self.ctx
        try:
            result = yield from self.wrapped("pre_tool_call", "wrap_tool_call", self._body)
        except Exception as error:
            if error is not self.body_error:
                raise
            ctx.settle(None)
            ctx.error = error
        else:
            ctx.settle(result)
        judged = yield from self.judge("post_tool_call", ctx)
        if judged is not None:
            # What the gates let pass is the result, whatever others did to the context since.
            ctx.error, ctx.payload = judged.error, copy_payload(judged.payload)
        if ctx.error is not None:
            raise ctx.error
        return ctx.payload if judged is None else judged.payload

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
