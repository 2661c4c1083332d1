"""Tools for models that have no tool calls of their own: described and called in text."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import aclosing
from dataclasses import replace
from itertools import groupby
from typing import Any

from hookcore_specs import ModelResponse, TextChunk

from .errors import MixedToolsError
from .messages import AssistantMessage, MalformedArguments, Message, SystemMessage, UserMessage
from .models import Model, ModelRequest, parsed_arguments, whole_answer
from .textcalls import CallReader, as_json, read, written
from .tools import Tool

__all__ = ["TextTools"]

_GUIDE = """You can call tools. To call one, write a block of this form, and nothing else in it:

{form}

Write a block for each call, then end your answer: the results come in the next message.
The tools, each with the JSON Schema of its arguments:

{tools}"""


class TextTools:
    """Lets a model that knows text only call tools; its name and provider are that model's.

    Its system message tells it of the tools. It calls them in blocks of JSON, between
    ``<tool_call>`` and ``</tool_call>``, which become the tool calls of the response; the rest is
    its text. A block that is no call becomes one with malformed arguments, which the runtime
    refuses.

    Args:
        model: the model.
    """

    def __init__(self, model: Model) -> None:
        self.model = model

    @property
    def name(self) -> str:
        """The model's name."""
        return self.model.name

    @property
    def provider(self) -> str:
        """The provider's name."""
        return self.model.provider

    async def stream(self, request: ModelRequest) -> AsyncIterator[Any]:
        """Yield the text as it comes, without the calls, and the whole response with them.

        Args:
            request: what is asked.

        Raises:
            MixedToolsError: the request has tools that the provider runs; the model is not asked.
            Exception: whatever the model raises.
        """
        asked = _as_text(request)
        reader = CallReader()
        told: list[str] = []
        async with aclosing(whole_answer(self.model.stream(asked))) as events:
            async for event in events:
                if isinstance(event, ModelResponse):
                    if text := reader.end():
                        yield TextChunk(text)
                    yield _with_calls(event, "".join(told))
                elif not isinstance(event, TextChunk):
                    yield event
                else:
                    told.append(event.text)
                    if text := reader.feed(event.text):
                        yield TextChunk(text)


def _with_calls(response: ModelResponse, told: str) -> ModelResponse:
    # The response sums the stream up; of a model that leaves its text out, the stream is all.
    text, calls = read(response.content or told)
    return replace(response, content=text, tool_calls=[*calls, *response.tool_calls])


def _as_text(request: ModelRequest) -> ModelRequest:
    """Return a request that says in its messages all that the model has to know."""
    if request.server_tools:
        types = ", ".join(tool.type for tool in request.server_tools)
        raise MixedToolsError(
            f"the model {request.provider}/{request.model} calls tools by text, and its provider "
            f"cannot run {types} for it: choose a model with tool calls of its own, or leave "
            "these tools out"
        )
    messages = _rendered(request.messages)
    if request.tools:
        messages = _told(messages, _guide(request.tools))
    return replace(request, messages=tuple(messages), tools=())


def _guide(tools: Iterable[Tool]) -> str:
    lines = [
        as_json({"name": t.name, "description": t.description, "parameters": t.parameters})
        for t in tools
    ]
    form = written("the tool's name", {"an argument": "its value"})
    return _GUIDE.format(form=form, tools="\n".join(lines))


def _told(messages: list[Message], guide: str) -> list[Message]:
    """Return the messages with the guide at the end of the prompt, whoever wrote that."""
    if messages and messages[0].role in {"system", "developer"}:
        return [_extended(messages[0], guide), *messages[1:]]
    return [SystemMessage(guide), *messages]


def _extended(message: Message, text: str) -> Message:
    content = message.content
    if isinstance(content, list):
        content = [*content, {"type": "text", "text": text}]
    else:
        content = f"{content}\n\n{text}" if content else text
    twin = type(message).__new__(type(message))
    twin.update(message, content=content)
    return twin


def _rendered(messages: Sequence[Message]) -> list[Message]:
    """Return the conversation with its tool calls and their results as text."""
    made: list[Message] = []
    order: list[Any] = []
    for is_result, group in groupby(messages, lambda message: message.role == "tool"):
        if is_result:
            made.append(_results(list(group), order))
            continue
        for message in group:
            calls = message.get("tool_calls") or []
            order = [call["id"] for call in calls]
            made.append(_with_blocks(message, calls) if calls else message)
    return made


def _with_blocks(message: Message, calls: Iterable[dict[str, Any]]) -> Message:
    blocks = [_block(call["function"]) for call in calls]
    plain = AssistantMessage(message.content)
    return _extended(plain, "\n".join(blocks))


def _block(function: dict[str, Any]) -> str:
    arguments = parsed_arguments(function["arguments"])
    if isinstance(arguments, MalformedArguments):
        arguments = arguments.text
    return written(function["name"], arguments)


def _results(answers: list[Message], order: list[Any]) -> UserMessage:
    """Return the answers to the calls of one message, in the calls' order: they have no ids."""
    places = {call_id: place for place, call_id in enumerate(order)}
    answers.sort(key=lambda answer: places.get(answer.get("tool_call_id"), len(places)))
    return UserMessage("\n".join(_result(answer) for answer in answers))


def _result(answer: Message) -> str:
    told = {"name": answer.get("name", ""), "result": answer.content}
    if answer.get("is_error"):
        told["is_error"] = True
    return f"<tool_result>\n{as_json(told)}\n</tool_result>"
