"""The methods of extensions, one group for each part of a request."""
# ruff: noqa: ARG002 - the methods are there to be overridden

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from contextlib import aclosing
from typing import Any

from hookcore_specs import ModelResponse, ToolCall

from ..context import RequestContext
from ..events import ExtensionEvent, ExternalEvent
from ..messages import AssistantMessage, ToolMessage
from ..models import ModelRequest
from ..session import RunConfig
from ..tools import ToolResult

__all__ = [
    "AllHooks",
    "EventHooks",
    "ModelHooks",
    "RunHooks",
    "SetupHooks",
    "ToolHooks",
    "TurnHooks",
]


class SetupHooks:
    """Hooks before the input is stored; an exception fails the request."""

    async def on_tool(self, context: RequestContext) -> None:
        """Register tools with ``context.register_tool`` or ``register_server_tool``."""

    async def on_state(self, context: RequestContext) -> None:
        """Restore or extend the conversation through ``context.state``."""

    async def on_message(self, context: RequestContext) -> None:
        """Look at ``context.input_message``, or put another UserMessage in its place."""


class RunHooks:
    """Hooks around the turns of a request."""

    async def before_run(self, context: RequestContext) -> None:
        """Begin; the input is stored. An exception fails the request, and the input stays."""

    async def after_run(self, context: RequestContext, result: Any) -> None:
        """Look at the RunResult; no input is left. An exception fails the request."""

    async def on_success(self, context: RequestContext, result: Any) -> None:
        """Release what a success leaves over. An exception fails the request."""

    async def on_error(self, context: RequestContext, error: Exception) -> None:
        """Release what a failure leaves over, also when this extension has not begun.

        All extensions are asked whatever the others raise; what is raised here is a note on
        ``error``. An extension whose ``on_success`` was called is not asked.
        """


class TurnHooks:
    """Hooks around a model's answer and the tool calls that it asks for."""

    async def before_turn(self, context: RequestContext) -> None:
        """Change this turn's messages and tools; ``context.persist()`` keeps that."""

    async def after_turn(self, context: RequestContext, message: AssistantMessage) -> None:
        """Look at the opening message; all tool calls are answered."""


class ModelHooks:
    """Hooks around a model call; an exception fails the request."""

    async def before_model(self, context: RequestContext, request: ModelRequest) -> None:
        """Look at the request, which is frozen; change it through ``context.state`` and tools."""

    async def on_model_request(
        self,
        context: RequestContext,
        request: ModelRequest,
        call_next: Callable[[ModelRequest], AsyncGenerator[Any, None]],
    ) -> AsyncIterator[Any]:
        """Stand around the stream: pass another request on, change events, or answer alone.

        Iterate ``call_next(request)`` inside ``contextlib.aclosing``, as this default does.
        """
        async with aclosing(call_next(request)) as events:
            async for event in events:
                yield event

    async def after_model(self, context: RequestContext, response: ModelResponse) -> None:
        """Look at the answer, which is stored."""


class ToolHooks:
    """Hooks around a tool call."""

    async def before_tool(self, context: RequestContext, call: ToolCall) -> None:
        """Change ``call.arguments``, or raise HookAborted to deny the call.

        Any other exception fails the request before the tool runs.
        """

    async def on_tool_call(
        self,
        context: RequestContext,
        call: ToolCall,
        call_next: Callable[[], Awaitable[ToolResult]],
    ) -> ToolResult:
        """Stand around the tool: change the arguments or the result, call twice, or not at all.

        An exception is an ordinary failure of the tool, which the model is told.
        """
        return await call_next()

    async def after_tool(
        self,
        context: RequestContext,
        call: ToolCall,
        result: ToolMessage,
        error: BaseException | None,
    ) -> None:
        """Look at the message for the model, or change it; ``error`` is what the tool raised."""


class EventHooks:
    """Hooks that hear other extensions and what comes from outside."""

    async def on_event(self, context: RequestContext, event: ExtensionEvent) -> None:
        """Hear what an extension, this one included, or the runtime publishes."""

    def accept(self, config: RunConfig | None, event: ExternalEvent) -> bool:
        """Say whether this extension takes an event from outside; any thread may ask."""
        return False


class AllHooks(SetupHooks, RunHooks, TurnHooks, ModelHooks, ToolHooks, EventHooks):
    """All methods of an extension, with its name and its place among others."""

    name: str = "Extension"
    priority: int = 100
