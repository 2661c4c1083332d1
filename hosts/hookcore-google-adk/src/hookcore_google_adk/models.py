"""A model of the ADK's, each of whose requests is a model call that policies judge."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from typing import Any

from google.adk.models.llm_response import LlmResponse
from google.adk.models.registry import LLMRegistry
from google.genai import types

import hookcore
from hookcore import HookManager, ModelCallContext
from hookcore.hosting import (
    Handle,
    Raised,
    current_run,
    is_inside_model,
    stop_if_failed,
    stopping,
)

from .responses import Codec, as_response, without_fragments

__all__ = ["judged_responses"]

_CODEC = Codec()
_AGENT = "adk_agent_name"
"""The label by which the ADK says whose request it is."""


def judged_responses(
    manager: HookManager, llm: Any, ask: Callable[..., Any], given: Any, *, stream: bool
) -> AsyncGenerator[Any, None]:
    """Return the responses that the policies let through, of a request that they let be sent.

    Args:
        manager: the hooks.
        llm: the model.
        ask: its class's own ``generate_content_async``.
        given: the ADK's request.
        stream: whether the response comes in pieces.

    Raises:
        HookAborted: while iterating, when a policy denied the request or the response.
        TypeError: while iterating, when a hook gave something else than a response.
    """
    stop_if_failed()
    if manager.parts.plans.models_are_idle:
        asked: AsyncGenerator[Any, None] = ask(llm, given, stream=stream)
        return asked
    request = _Request(llm, ask, given, stream=stream)
    if is_inside_model(manager, request.ctx.messages, model=request.ctx.model):
        responses: AsyncGenerator[Any, None] = ask(llm, given, stream=stream)
        return responses
    return _streamed(manager, request) if stream else _whole(manager, request)


async def _whole(manager: HookManager, request: _Request) -> AsyncGenerator[Any, None]:
    answers: list[Any] = []

    async def body(sent: list[Any]) -> Any:
        answers[:] = [response async for response in request.asked(sent)]
        return answers[0] if len(answers) == 1 else answers

    with stopping(request.own):
        value = await manager.acall_model(request.ctx, body)
    given = value if isinstance(value, list) else [value]
    for at, response in enumerate(given):
        yield as_response(response, answers[at] if at < len(answers) else None)


async def _streamed(manager: HookManager, request: _Request) -> AsyncGenerator[Any, None]:
    judged = any(map(manager.has_hooks, ("post_model_call", "wrap_model_call")))

    async def body(sent: list[Any]) -> AsyncGenerator[Any, None]:
        async with aclosing(request.asked(sent)) as responses:
            async for response in responses:
                yield without_fragments(response) if judged and response.partial else response

    said, is_whole = "", True
    made = manager.astream_model(request.ctx, body, codec=_CODEC)
    with stopping(request.own):
        async with aclosing(made) as events:
            async for event in events:
                is_text = isinstance(event, (str, hookcore.TextChunk))  # a wrap's own
                text = getattr(event, "text", event) if is_text else ""
                said += text
                response = _piece(text) if is_text else as_response(event)
                is_whole = not response.partial
                yield response
    if said and not is_whole:
        yield as_response(said)


def _piece(text: str) -> Any:
    content = types.Content(role="model", parts=[types.Part(text=text)])
    return LlmResponse(content=content, partial=True)


class _Request:
    """One request as hooks see it: the instructions stand in front of the contents."""

    def __init__(self, llm: Any, ask: Callable[..., Any], given: Any, *, stream: bool) -> None:
        self._llm, self._ask, self._given, self._stream = llm, ask, given, stream
        self._front = _front(given.config.system_instruction)
        self._name = given.model or llm.model
        self._tools = _declared(given)
        #: The failures of the model itself.
        self.own = Raised()
        told = {"model": self._name, "provider": type(llm).__name__, "llm": Handle(llm)}
        fields = current_run().fill({**told, "tools": list(self._tools)})
        agent = (given.config.labels or {}).get(_AGENT)
        if agent is not None:
            fields["agent"] = agent
        shown = [] if self._front is None else [self._front]
        self.ctx = ModelCallContext(messages=[*shown, *given.contents], **fields)

    async def asked(self, sent: list[Any]) -> AsyncGenerator[Any, None]:
        """Yield what the model answers, as the hooks left the messages and the context."""
        self._settle(sent)
        with self.own:
            async with aclosing(self._answers()) as responses:
                async for response in responses:
                    yield response

    def _answers(self) -> Any:
        if self.ctx.model == self._name:
            return self._ask(self._llm, self._given, stream=self._stream)
        self._given.model = self.ctx.model
        other = LLMRegistry.new_llm(self.ctx.model)
        return other.generate_content_async(self._given, stream=self._stream)

    def _settle(self, sent: list[Any]) -> None:
        """Write what is to be sent into the ADK's request, which is made for this one call."""
        given = self._given
        given.contents = [message for message in sent if not _is_front(message)]
        fronts = [message for message in sent if _is_front(message)]
        before = [] if self._front is None else [self._front]
        if fronts != before:
            told = {"system_instruction": _instruction(fronts)}
            given.config = given.config.model_copy(update=told)
        if self.ctx.tools != self._tools:
            self._offer(list(self.ctx.tools or ()))

    def _offer(self, tools: list[Any]) -> None:
        kept = {tool.name: tool for tool in tools}
        offered = []
        for tool in self._given.config.tools or ():
            declared = getattr(tool, "function_declarations", None)
            if declared:
                left = [kept[item.name] for item in declared if item.name in kept]
                tool = tool.model_copy(update={"function_declarations": left})  # noqa: PLW2901
                if not left:
                    continue
            offered.append(tool)
        self._given.config = self._given.config.model_copy(update={"tools": offered or None})
        for tool in self._tools:
            if tool.name not in kept:
                self._given.tools_dict.pop(tool.name, None)


_FRONT = "system"


def _front(instruction: Any) -> Any:
    """Return the instructions as a message, None where there are none."""
    if not instruction:
        return None
    if isinstance(instruction, types.Content):
        return instruction.model_copy(update={"role": _FRONT})
    given = instruction if isinstance(instruction, list) else [instruction]
    parts = [types.Part(text=item) if isinstance(item, str) else item for item in given]
    return types.Content(role=_FRONT, parts=parts)


def _is_front(message: Any) -> bool:
    return getattr(message, "role", None) == _FRONT


def _instruction(fronts: list[Any]) -> Any:
    """Return the instructions that hooks left, None where they left none."""
    parts = [part for front in fronts for part in front.parts or ()]
    if any(part.text is None for part in parts):
        return types.Content(role=_FRONT, parts=parts)
    return "\n\n".join(part.text for part in parts) or None


def _declared(given: Any) -> list[Any]:
    """Return the declarations of the functions that the model is offered."""
    tools = given.config.tools or ()
    return [item for tool in tools for item in getattr(tool, "function_declarations", None) or ()]
