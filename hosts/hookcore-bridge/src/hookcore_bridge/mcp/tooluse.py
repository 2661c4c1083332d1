"""A call of a tool, and a list of tools."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

from hookcore import HookAborted, ToolCallContext

from . import rpc
from .exchange import Exchange, told
from .inputs import asks_for_input
from .results import RpcError, ToolFailedError, refusal, restored, restored_error, seen
from .rpc import MalformedError
from .tasks import Deferred, task_of

__all__ = ["Listing", "ToolUse"]


class ToolUse(Exchange):
    """A ``tools/call``: a tool call."""

    async def begin(self) -> dict[str, Any]:
        """Judge the call."""
        connection, name = self.connection, self.text("name")
        connection.refuse_withheld(name)
        given = self.params.get("arguments")
        arguments = {} if given is None else deepcopy(given)
        params = await connection.replied(self)
        settled = await connection.calls.begin(
            connection.judged_name(name), arguments, call_id=self.call_id, **connection.fields()
        )
        if rpc.same(settled, {} if given is None else given):
            return params
        return {**params, "arguments": settled}

    async def end(self, answer: dict[str, Any]) -> dict[str, Any]:
        """Judge the result, or the error."""
        if "error" in answer:
            return await self._failed(answer)
        result = answer["result"]
        if not isinstance(result, dict):
            raise MalformedError("the result is no object")
        if asks_for_input(result):
            return await self.connection.asked(self, answer)
        failure = ToolFailedError("the tool says that it failed") if result.get("isError") else None
        shown = seen(result)
        value = await self.ended(deepcopy(shown), failure)
        self.connection.tasks.begun(
            self.sender, task_of(result), Deferred(self._settled, restored, seen)
        )
        if rpc.same(value, shown):
            return answer
        return {**answer, "result": restored(value, result)}

    async def _settled(self, value: Any) -> Any:
        """Judge what came of the call later, as a task."""
        ctx = ToolCallContext(
            tool_name=self.connection.judged_name(self.params["name"]),
            tool_input=self.params.get("arguments") or {},
            payload=value,
            call_id=self.call_id,
            **self.connection.fields(),
        )
        return await self.connection.manager.asettle("post_tool_call", ctx)

    async def _failed(self, answer: dict[str, Any]) -> dict[str, Any]:
        error = answer["error"]
        plain = isinstance(error, dict) and error.keys() == {"code", "message"}
        shown = error["message"] if plain else error
        value = await self.ended(deepcopy(shown), RpcError("the server answered with an error"))
        if rpc.same(value, shown):
            return answer
        return {**answer, "error": restored_error(value, error)}

    def answered(self, value: Any) -> dict[str, Any]:
        """Return the result for a value that a policy gave in the server's place."""
        return rpc.result(self.id, restored(value, None))

    def denied(self, denial: HookAborted) -> dict[str, Any]:
        """Return a result that a model reads."""
        return rpc.result(self.id, refusal(told(denial)))


class Listing(Exchange):
    """A ``tools/list``: what is offered is settled at ``setup_tools``."""

    async def begin(self) -> dict[str, Any]:
        """Let it pass."""
        return self.params

    async def end(self, answer: dict[str, Any]) -> dict[str, Any]:
        """Leave out what may not be used."""
        if "error" in answer:
            return answer
        result = answer["result"]
        tools = result.get("tools") if isinstance(result, dict) else None
        if not isinstance(tools, list):
            raise MalformedError("the result has no list of tools")
        offered = await self.connection.offered(tools)
        return answer if rpc.same(offered, tools) else _with_tools(answer, offered)


def _with_tools(answer: dict[str, Any], tools: list[Any]) -> dict[str, Any]:
    return {**answer, "result": {**answer["result"], "tools": tools}}
