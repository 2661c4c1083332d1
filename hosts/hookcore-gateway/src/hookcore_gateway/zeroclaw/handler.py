"""The class that handlers extend: one method for each hook, all of which do nothing."""
# ruff: noqa: ARG002 - the methods are there to be overridden

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar, Literal

from .invocation import ToolCallHookContext
from .result import Continue, HookResult
from .types import ChannelMessage, ToolResult

__all__ = ["HookHandler"]


class VoidHooks:
    """Hooks that are told; they can change and stop nothing."""

    async def on_gateway_start(self, host: str, port: int) -> None:
        """Hear that the gateway listens."""

    async def on_gateway_stop(self) -> None:
        """Hear that the gateway has drained its work and ends."""

    async def on_session_start(self, session_id: str, channel: str) -> None:
        """Hear that a session begins."""

    async def on_session_end(self, session_id: str, channel: str) -> None:
        """Hear that a session ends."""

    async def on_llm_input(self, messages: Sequence[Any], model: str) -> None:
        """Hear what is sent to a model."""

    async def on_llm_output(self, response: Any) -> None:
        """Hear what a model answered, a ChatResponse where the host has no kind of its own."""

    async def on_message_sent(self, channel: str, recipient: str, content: str) -> None:
        """Hear what was delivered."""

    async def on_heartbeat_tick(self) -> None:
        """Hear a beat of the gateway's heart."""


class ModifyingHooks:
    """Hooks that go on with a value, theirs or the one they were given, or cancel."""

    async def before_model_resolve(
        self, model_provider: str, model: str
    ) -> HookResult[tuple[str, str]]:
        """Choose the provider and the model."""
        return Continue((model_provider, model))

    async def before_prompt_build(self, prompt: str) -> HookResult[str]:
        """Change the prompt."""
        return Continue(prompt)

    async def before_llm_call(self, messages: list[Any], model: str) -> HookResult[Any]:
        """Change the messages in place, or the model too.

        Args:
            messages: a copy of the host's messages.
            model: the model's name.

        Returns:
            ``Continue(None)`` to go on with ``messages`` as they are now, or
            ``Continue((messages, model))``.
        """
        return Continue(None)

    async def on_message_received(self, message: ChannelMessage) -> HookResult[ChannelMessage]:
        """Change a message that came in, or drop it."""
        return Continue(message)

    async def on_message_sending(
        self, channel: str, recipient: str, content: str
    ) -> HookResult[tuple[str, str, str]]:
        """Change a message that is about to leave, or keep it back."""
        return Continue((channel, recipient, content))


class ToolHooks:
    """Hooks of a tool call: one before, and then exactly one of *after* and *abandoned*.

    The plain methods serve where ids do not matter; those ``_with_context`` call them.
    """

    async def before_tool_call(
        self, name: str, args: dict[str, Any]
    ) -> HookResult[tuple[str, dict[str, Any]]]:
        """Change a call, or deny it."""
        return Continue((name, args))

    async def before_tool_call_with_context(
        self, context: ToolCallHookContext, name: str, args: dict[str, Any]
    ) -> HookResult[tuple[str, dict[str, Any]]]:
        """Change a call, or deny it, knowing which it is."""
        return await self.before_tool_call(name, args)

    async def on_after_tool_call(self, tool: str, result: ToolResult, duration: float) -> None:
        """Hear of an executed call.

        Args:
            tool: the tool's name.
            result: what came of it; a tool that raised has no success.
            duration: how long the tool took, in seconds.
        """

    async def on_after_tool_call_with_context(
        self, context: ToolCallHookContext, tool: str, result: ToolResult, duration: float
    ) -> None:
        """Hear of an executed call, knowing which it is; ``duration`` is in seconds."""
        await self.on_after_tool_call(tool, result, duration)

    async def on_after_tool_call_with_context_and_args(
        self,
        context: ToolCallHookContext,
        tool: str,
        args: Any,
        result: ToolResult,
        duration: float,
    ) -> None:
        """Hear of an executed call with the arguments that the tool got; seconds as above.

        They are None where the host told of the call without them.
        """
        await self.on_after_tool_call_with_context(context, tool, result, duration)

    async def on_tool_call_abandoned(self, context: ToolCallHookContext, tool: str) -> None:
        """Hear of a call that was denied, cancelled, or never reached its tool."""


class HookHandler(VoidHooks, ModifyingHooks, ToolHooks, ABC):
    """A handler; it overrides the methods that it needs, and the others cost nothing.

    What it is given is its own copy, and what it makes of it counts when it answers: nothing of
    a handler that raises, answers something else than a :class:`HookResult`, or is too slow stays.
    """

    on_error: ClassVar[Literal["allow", "deny"]] = "allow"
    """The effect of its failure: the others go on, or the operation is cancelled."""
    timeout: ClassVar[float | None] = None
    """Seconds after which one of its methods has failed; None for no limit."""

    @abstractmethod
    def name(self) -> str:
        """Return the handler's name."""

    def priority(self) -> int:
        """Return the priority: a higher one runs first, equal ones as they were registered."""
        return 0
