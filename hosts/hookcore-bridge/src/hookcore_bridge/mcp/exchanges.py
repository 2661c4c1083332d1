"""Requests that are judged on their way there, and their answers on the way back."""

from __future__ import annotations

from abc import ABC, abstractmethod
from copy import deepcopy
from typing import TYPE_CHECKING, Any, ClassVar

from hookcore import HookAborted, ModelResponse
from hookcore.hosting import denied_value

from . import rpc
from .results import RpcError, ToolFailedError, refusal, restored, restored_error, seen
from .rpc import MalformedError

if TYPE_CHECKING:
    from .session import Session

__all__ = [
    "Elicitation",
    "Exchange",
    "Listing",
    "Prompt",
    "Resource",
    "Sampling",
    "Step",
    "ToolUse",
    "told",
]


class Exchange(ABC):
    """One request and its answer.

    Args:
        session: whose policies judge it.
        request: the request, which stays as it is.
        call_id: by which policies know it; no other exchange of the session has it.
    """

    def __init__(self, session: Session, request: dict[str, Any], call_id: str) -> None:
        self._session, self._call_id = session, call_id
        self.id: Any = request["id"]
        params = request.get("params", {})
        if not isinstance(params, dict):
            raise MalformedError("the params are no object")
        self.params: dict[str, Any] = params
        self.is_forwarded = False
        """True once the other side has, or is about to get, the request."""
        self.is_abandoned = False
        """True once nobody waits for the answer any more."""

    @abstractmethod
    async def begin(self) -> dict[str, Any]:
        """Judge the request; return its params as they are to be sent.

        Raises:
            HookAborted: a policy denies it.
            Answered: a policy answers in its place.
            MalformedError: it cannot be judged.
        """

    @abstractmethod
    async def end(self, answer: dict[str, Any]) -> dict[str, Any]:
        """Judge the answer; return what is to be passed on, the same object when unchanged.

        Raises:
            HookAborted: a policy withholds it.
            MalformedError: it cannot be judged.
        """

    def answered(self, value: Any) -> dict[str, Any]:
        """Return the answer for a value that a policy gave in the place of the other side."""
        raise MalformedError(f"a policy answered with {type(value).__name__}")

    def denied(self, denial: HookAborted) -> dict[str, Any]:
        """Return the answer that tells of a denial."""
        return rpc.error(self.id, rpc.REFUSED, told(denial))

    async def abandon(self) -> None:
        """End the exchange: nobody waits for an answer."""
        self.is_abandoned = True
        if self._call_id in self._session.calls.open:
            await self._session.calls.abandon(self._call_id)

    def _text(self, name: str) -> str:
        value = self.params.get(name)
        if not isinstance(value, str):
            raise MalformedError(f"params.{name} is no text")
        return value

    async def _ended(self, value: Any, failure: Exception | None = None) -> Any:
        return await self._session.calls.end(self._call_id, value, error=failure)


class ToolUse(Exchange):
    """A ``tools/call``: a tool call."""

    async def begin(self) -> dict[str, Any]:
        """Judge the call."""
        session, name = self._session, self._text("name")
        session.refuse_withheld(name)
        given = self.params.get("arguments")
        arguments = {} if given is None else deepcopy(given)
        settled = await session.calls.begin(
            session.judged_name(name), arguments, call_id=self._call_id, **session.fields()
        )
        if rpc.same(settled, {} if given is None else given):
            return self.params
        return {**self.params, "arguments": settled}

    async def end(self, answer: dict[str, Any]) -> dict[str, Any]:
        """Judge the result, or the error."""
        if "error" in answer:
            return await self._failed(answer)
        result = answer["result"]
        if not isinstance(result, dict):
            raise MalformedError("the result is no object")
        failure = ToolFailedError("the tool says that it failed") if result.get("isError") else None
        shown = seen(result)
        value = await self._ended(deepcopy(shown), failure)
        if rpc.same(value, shown):
            return answer
        return {**answer, "result": restored(value, result)}

    async def _failed(self, answer: dict[str, Any]) -> dict[str, Any]:
        error = answer["error"]
        plain = isinstance(error, dict) and error.keys() == {"code", "message"}
        shown = error["message"] if plain else error
        value = await self._ended(deepcopy(shown), RpcError("the server answered with an error"))
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
        offered = await self._session.offered(tools)
        return answer if rpc.same(offered, tools) else _with_tools(answer, offered)


def _with_tools(answer: dict[str, Any], tools: list[Any]) -> dict[str, Any]:
    return {**answer, "result": {**answer["result"], "tools": tools}}


class Step(Exchange):
    """A request that is a step: its input are the params, its output is the result."""

    kind: ClassVar[str]
    named_by: ClassVar[str | None] = None

    async def begin(self) -> dict[str, Any]:
        """Judge the params."""
        session = self._session
        name = None if self.named_by is None else self._text(self.named_by)
        shown = {key: value for key, value in self.params.items() if key != "_meta"}
        settled = await session.calls.begin_step(
            deepcopy(shown),
            call_id=self._call_id,
            kind=self.kind,
            step_name=name,
            **session.fields(),
        )
        if rpc.same(settled, shown):
            return self.params
        if not isinstance(settled, dict):
            raise MalformedError(f"a policy left {type(settled).__name__} of the params")
        meta = {"_meta": self.params["_meta"]} if "_meta" in self.params else {}
        return {**settled, **meta}

    async def end(self, answer: dict[str, Any]) -> dict[str, Any]:
        """Judge the result, or the error, which a model may read too."""
        name = "error" if "error" in answer else "result"
        shown = answer[name]
        value = await self._ended(deepcopy(shown))
        if rpc.same(value, shown):
            return answer
        if name == "error":
            return {**answer, "error": restored_error(value, shown)}
        if not isinstance(value, dict):
            raise MalformedError(f"a policy left {type(value).__name__} of the result")
        return {**answer, "result": value}


class Resource(Step):
    """A ``resources/read``."""

    kind = "mcp_resource"
    named_by = "uri"


class Prompt(Step):
    """A ``prompts/get``."""

    kind = "mcp_prompt"
    named_by = "name"


class Elicitation(Step):
    """An ``elicitation/create``: a server asks the person at the client."""

    kind = "mcp_elicitation"

    def denied(self, denial: HookAborted) -> dict[str, Any]:
        """Return what a server is told when the person says no."""
        del denial
        return rpc.result(self.id, {"action": "decline"})


class Sampling(Exchange):
    """A ``sampling/createMessage``: a server asks the client's model."""

    async def begin(self) -> dict[str, Any]:
        """Judge the messages, with the system prompt before them."""
        session = self._session
        messages, prompt = self.params.get("messages"), self.params.get("systemPrompt")
        if not isinstance(messages, list):
            raise MalformedError("params.messages is no list")
        if prompt is not None:
            messages = [{"role": "system", "content": prompt}, *messages]
        settled = await session.calls.begin_model(
            deepcopy(messages), call_id=self._call_id, provider="mcp", **session.fields()
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
            await self._session.calls.abandon(self._call_id)
            return answer
        shown = answer["result"]
        value = await self._ended(deepcopy(shown))
        if rpc.same(value, shown):
            return answer
        return {**answer, "result": _sampled(value, shown)}

    def answered(self, value: Any) -> dict[str, Any]:
        """Return the result for a response that a policy gave in the model's place."""
        blank = {"role": "assistant", "model": "policy", "stopReason": "endTurn"}
        return rpc.result(self.id, _sampled(value, blank))


def told(denial: HookAborted) -> str:
    """Return the text by which the other side learns of a denial."""
    return str(denied_value(denial, "mcp"))


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
