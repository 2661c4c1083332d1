"""A server asks the client's model."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

from hookcore import ModelCallContext, ModelResponse

from . import rpc
from .exchange import Exchange
from .rpc import MalformedError
from .tasks import Deferred, task_of

__all__ = ["Sampling"]


class Sampling(Exchange):
    """A ``sampling/createMessage``: a server asks the client's model."""

    async def begin(self) -> dict[str, Any]:
        """Judge the messages, with the system prompt before them."""
        connection = self.connection
        messages, prompt = self.params.get("messages"), self.params.get("systemPrompt")
        if not isinstance(messages, list):
            raise MalformedError("params.messages is no list")
        if prompt is not None:
            messages = [{"role": "system", "content": prompt}, *messages]
        settled = await connection.calls.begin_model(
            deepcopy(messages), call_id=self.call_id, provider="mcp", **connection.fields()
        )
        return self.params if rpc.same(settled, messages) else self._with(settled)

    def _with(self, messages: list[Any]) -> dict[str, Any]:
        prompts = [_content(item) for item in messages if _is_system(item)]
        changed = {**self.params, "messages": [item for item in messages if not _is_system(item)]}
        changed.pop("systemPrompt", None)
        if prompts:
            changed["systemPrompt"] = "\n".join(prompts)
        return changed

    async def end(self, answer: dict[str, Any]) -> dict[str, Any]:
        """Judge the model's response."""
        if "error" in answer:
            await self.connection.calls.abandon(self.call_id)
            return answer
        shown = answer["result"]
        value = await self.ended(deepcopy(shown))
        self.connection.tasks.begun(self.sender, task_of(shown), Deferred(self._settled, _sampled))
        if rpc.same(value, shown):
            return answer
        return {**answer, "result": _sampled(value, shown)}

    async def _settled(self, value: Any) -> Any:
        """Judge what the model said later, as a task."""
        messages = deepcopy(self.params["messages"])
        fields = {"call_id": self.call_id, "provider": "mcp", **self.connection.fields()}
        ctx = ModelCallContext(messages=messages, **fields)
        ctx.payload = value
        return await self.connection.manager.asettle("post_model_call", ctx)

    def answered(self, value: Any) -> dict[str, Any]:
        """Return the result for a response that a policy gave in the model's place."""
        blank = {"role": "assistant", "model": "policy", "stopReason": "endTurn"}
        return rpc.result(self.id, _sampled(value, blank))


def _is_system(message: Any) -> bool:
    return isinstance(message, dict) and message.get("role") == "system"


def _content(message: dict[str, Any]) -> str:
    content = message.get("content")
    if not isinstance(content, str):
        raise MalformedError("a policy left no text of the system prompt")
    return content


def _sampled(value: Any, result: Any) -> dict[str, Any]:
    if isinstance(value, ModelResponse):
        value = value.content
    if isinstance(value, str):
        base = result if isinstance(result, dict) else {}
        return {**base, "content": {"type": "text", "text": value}}
    if not isinstance(value, dict):
        raise MalformedError(f"a policy left {type(value).__name__} of the response")
    return value
