"""A handler that pairs the beginnings of tool calls with their ends, and who counts the ends."""

from __future__ import annotations

from collections import Counter
from typing import Any

from hookcore import HookDispatchedEvent, HookManager, hookimpl
from hookcore_gateway.zeroclaw import (
    Continue,
    HookHandler,
    HookResult,
    ToolCallHookContext,
    ToolResult,
)

__all__ = ["Ends", "Pairing"]


class Pairing(HookHandler):
    """Notes the beginning and the end of each call, with its context."""

    def __init__(self, answer: Any = None) -> None:
        self.log: list[tuple[Any, ...]] = []
        self.contexts: list[ToolCallHookContext] = []
        self.answer = answer

    def name(self) -> str:
        return "pairing"

    def priority(self) -> int:
        return 10

    async def before_tool_call_with_context(
        self, context: ToolCallHookContext, name: str, args: dict[str, Any]
    ) -> HookResult[Any]:
        self.contexts.append(context)
        self.log.append(("before", name))
        return self.answer or Continue((name, args))

    async def on_after_tool_call_with_context_and_args(
        self,
        context: ToolCallHookContext,
        tool: str,
        args: Any,
        result: ToolResult,
        duration: float,
    ) -> None:
        self.contexts.append(context)
        self.log.append(("after", tool, args, result.success))

    async def on_tool_call_abandoned(self, context: ToolCallHookContext, tool: str) -> None:
        self.contexts.append(context)
        self.log.append(("abandoned", tool))

    @property
    def words(self) -> list[str]:
        return [entry[0] for entry in self.log]

    @property
    def calls(self) -> list[list[str]]:
        """The news of each call, by its id, in the order in which they began."""
        found: dict[str, list[str]] = {}
        for context, word in zip(self.contexts, self.words, strict=True):
            found.setdefault(context.invocation_id, []).append(word)
        return list(found.values())


class Ends:
    """Notes how each tool call of a host ended, and counts the events that tell of it."""

    def __init__(self, manager: HookManager) -> None:
        self.statuses: list[tuple[str | None, str | None]] = []
        self.told: Counter[str | None] = Counter()
        manager.register(self, name="ends")
        manager.subscribe(self._note)

    @hookimpl
    def tool_finished(self, ctx: Any) -> None:
        self.statuses.append((ctx.call_id, ctx.status))

    def _note(self, event: HookDispatchedEvent) -> None:
        if event.interception_point == "tool_finished":
            self.told[event.call_id] += 1

    def came_once_each(self) -> bool:
        """Tell whether no end was told twice, by the point or by an event."""
        calls = [call for call, _ in self.statuses]
        return len(set(calls)) == len(calls) and self.told == Counter(calls)
