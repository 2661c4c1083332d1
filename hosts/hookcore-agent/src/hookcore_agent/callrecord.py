"""One tool call on its way: the only place where the points of a tool call fire."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from hookcore.hosting import copy_payload, current_run, denied_value, is_policy_failure
from hookcore_specs import Denied, HookAborted, ToolCall, ToolCallContext

from .events import EventType
from .messages import ToolMessage, text_of
from .phases import Phase
from .tools import CALL_ID, Tool

if TYPE_CHECKING:
    from .context import RequestContext

__all__ = ["Batch", "CallRecord"]


class Batch:
    """Tool calls that run together: none starts before all have been judged."""

    def __init__(self, context: RequestContext) -> None:
        self.context = context
        self.go = asyncio.Event()
        #: Whether the batch was given up, and no call of it may start any more.
        self.is_over = False
        self.running = 0
        #: Held from a call's first look at its result until that is stored: one after the other.
        self.settling = asyncio.Lock()


class CallRecord:
    """One tool call on its way.

    Args:
        context: the request.
        call: what the model asked for.
        tool: the tool.
        batch: the calls that run together with it.
    """

    def __init__(self, context: RequestContext, call: ToolCall, tool: Tool, batch: Batch) -> None:
        self.context = context
        self.call = call
        self.tool = tool
        self.batch = batch
        #: The exception that is the call's own failure, and no failure of the request.
        self.own_error: BaseException | None = None
        #: What the model is going to read, once an extension has asked for it.
        self.message: ToolMessage | None = None
        #: Whether the extensions have been told of the result.
        self.told = False
        self.arrived = asyncio.Event()
        self._inside = False
        self._settles = False

    async def enter(self) -> None:
        """Wait until all calls of the batch have been judged.

        Raises:
            asyncio.CancelledError: the batch was given up, and a hook has swallowed that.
        """
        self.arrived.set()
        if not self.batch.is_over:
            await self.batch.go.wait()
        if self.batch.is_over:
            raise asyncio.CancelledError("the calls of this answer were given up")

    async def leave(self) -> None:
        """Note that the tool is done; the last one ends the phase."""
        if self._inside:
            self._inside = False
            self.batch.running -= 1
            if not self.batch.running and self.context.phase is Phase.RUNNING_TOOL:
                await self.context._move(Phase.READY)

    def begin(self) -> None:
        """Count the call among those that run."""
        self._inside = True
        self.batch.running += 1

    async def settle(self) -> None:
        """Wait until no other call of the batch is looking at its result."""
        if not self._settles:
            await self.batch.settling.acquire()
            self._settles = True

    def release(self) -> None:
        """Let the next call look at its result."""
        if self._settles:
            self._settles = False
            self.batch.settling.release()

    def answer(self, result: Any, error: BaseException | None) -> ToolMessage:
        """Return the message for the model, the same one each time.

        Args:
            result: the tool's result.
            error: what it raised instead.
        """
        text = text_of(result) if error is None else error_text(error)
        if self.message is None:
            self.message = self._message(text, is_error=error is not None)
        return self.message

    def _message(self, text: str, *, is_error: bool, denied_by: str | None = None) -> ToolMessage:
        return ToolMessage(
            text, str(self.call.id), self.call.name, is_error=is_error, denied_by=denied_by
        )

    # The call

    async def run(self) -> None:
        """Do the call, from its judgement to its answer in the conversation.

        Raises:
            Exception: a hook before or after the tool failed, which fails the request.
        """
        CALL_ID.set(self.call.id)
        self.context._records[str(self.call.id)] = self
        try:
            await self._answered(await self._called())
        finally:
            del self.context._records[str(self.call.id)]
            self.release()

    def _arguments(self) -> Any:
        """Return the arguments as gates judge them, with the defaults that the tool would add."""
        given = self.call.arguments
        if isinstance(given, dict) and isinstance(self.tool, Tool):
            return self.tool.with_defaults(given)
        return given

    async def _called(self) -> ToolMessage:
        fields = current_run().fill({"call_id": self.call.id})
        ctx = ToolCallContext(
            tool_name=self.call.name, payload=self._arguments(), tool=self.tool, **fields
        )
        body = self._body(self.tool)
        try:
            result = await self.context.manager.acall_tool(
                ctx, call=body, on_denied="return", resolve=self._other
            )
        except Exception as error:
            if error is not self.own_error:
                raise
            await self.leave()
            if not self.told:
                for binding in self.context._bindings:
                    await binding.call_failed(self, error)
            return self._failed(error)
        await self.leave()
        if isinstance(result, Denied):
            return self._message(str(result), is_error=True, denied_by=result.source)
        # A copy with what the gates judged: who still holds the message cannot change it any more.
        told = self.answer(result, None)
        message: ToolMessage = copy_payload(told)
        if not self.told or told.content != result:
            message.content = text_of(result)
        return message

    def _failed(self, error: Exception) -> ToolMessage:
        message: ToolMessage = copy_payload(self.answer(None, error))
        if isinstance(error, HookAborted):
            message["denied_by"] = denied_value(error, "").source
        return message

    def _body(self, tool: Tool) -> Callable[[dict[str, Any]], Any]:
        async def body(arguments: dict[str, Any]) -> Any:
            await self.enter()
            try:
                return await tool.invoke(arguments, self.context)
            except Exception as error:
                if not is_policy_failure(error):  # of another agent, which is the tool
                    self.own_error = error
                raise

        return body

    def _other(self, name: str) -> Callable[[dict[str, Any]], Any]:
        tool = self.context.local_tools.get(name)
        if tool is None:
            raise HookAborted(
                f"a hook changed the tool from {self.call.name} to {name}, which agent "
                f"{self.context.agent.name} does not have",
                source="hookcore",
            )
        return self._body(tool)

    async def _answered(self, message: ToolMessage) -> None:
        await self.context._append(message)
        kind = EventType.TOOL_FAILED if message.is_error else EventType.TOOL_COMPLETED
        await self.context._send(kind, message)


def error_text(error: BaseException) -> str:
    """Return what the model is told of a failure; of a denial only what it may read."""
    if isinstance(error, HookAborted):
        return str(denied_value(error, ""))
    try:
        return str(error) or type(error).__name__
    except Exception:  # noqa: BLE001 - a tool's own exception, with a __str__ of its own
        return type(error).__name__
