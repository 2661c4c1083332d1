"""The runner's methods for tool calls, with an id for each call and without."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hookcore_specs import HookAborted, HookContext, ToolCallContext

from .invocation import ToolCallHookContext, attributes, fresh
from .result import Cancel, Continue, HookResult
from .types import ToolResult

if TYPE_CHECKING:
    from hookcore import HookManager

__all__ = ["ToolRunner"]


class ToolRunner:
    """Tool calls: each that was begun is ended by one ``fire_after_...`` or ``..._abandoned``.

    Hosts that run tools inside ``manager.call_tool`` need none of these: it fires them.
    """

    manager: HookManager

    async def run_before_tool_call(
        self, name: str, args: dict[str, Any]
    ) -> HookResult[tuple[str, dict[str, Any]]]:
        """Return the call as the handlers leave it; handlers get an id of this phase's own."""
        return await self.run_before_tool_call_with_context(fresh(), name, args)

    async def run_before_tool_call_with_context(
        self, context: ToolCallHookContext, name: str, args: dict[str, Any]
    ) -> HookResult[tuple[str, dict[str, Any]]]:
        """Return the call as the handlers leave it.

        Args:
            context: names the call, to its end.
            name: the tool's name.
            args: the arguments, which are not changed in place.
        """
        if not isinstance(args, dict):
            raise TypeError(f"the arguments of {name} are a dict, not {type(args).__name__}")
        ctx = ToolCallContext(tool_name=name, payload=args, attributes=attributes(context))
        reason = await self._run("pre_tool_call", ctx)
        if reason is not None:
            return Cancel(reason)
        return Continue((str(ctx.tool_name), ctx.payload))

    async def fire_after_tool_call(self, tool: str, result: ToolResult, duration: float) -> None:
        """Tell of an executed call; ``duration`` is in seconds, and the id is this phase's own."""
        await self._fire("tool_finished", _executed(fresh(), tool, None, result, duration))

    async def fire_after_tool_call_with_context(
        self, context: ToolCallHookContext, tool: str, result: ToolResult, duration: float
    ) -> None:
        """Tell of an executed call; ``duration`` is in seconds."""
        await self._fire("tool_finished", _executed(context, tool, None, result, duration))

    async def fire_after_tool_call_with_context_and_args(
        self,
        context: ToolCallHookContext,
        tool: str,
        args: dict[str, Any],
        result: ToolResult,
        duration: float,
    ) -> None:
        """Tell of an executed call.

        Args:
            context: what the call was begun with.
            tool: the tool's name.
            args: the arguments that the tool got.
            result: what came of it.
            duration: how long it took, in seconds.
        """
        await self._fire("tool_finished", _executed(context, tool, args, result, duration))

    async def fire_tool_call_abandoned(self, context: ToolCallHookContext, tool: str) -> None:
        """Tell of a call that was begun and not executed."""
        ctx = ToolCallContext(
            tool_name=tool, tool_result=None, status="denied", attributes=attributes(context)
        )
        await self._fire("tool_finished", ctx)

    async def _fire(self, point: str, ctx: HookContext) -> None:
        await self.manager.adispatch(point, ctx)

    async def _run(self, point: str, ctx: HookContext) -> str | None:
        """Dispatch, and return why it was cancelled; None when it was not."""
        try:
            await self.manager.adispatch(point, ctx)
        except HookAborted as denial:
            return denial.reason
        return None


def _executed(
    context: ToolCallHookContext,
    tool: str,
    args: dict[str, Any] | None,
    result: ToolResult,
    duration: float,
) -> ToolCallContext:
    return ToolCallContext(
        tool_name=tool,
        tool_input=args,
        tool_result=result,
        status="ok" if result.success else "error",
        entered=True,
        duration_ms=duration * 1000.0,
        attributes=attributes(context),
    )
