"""A host's own events: OpenAI's chat-completion chunks, read and written by a codec."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import pytest

from hookcore import HookAborted, HookManager, ToolCallChunk

pytestmark = pytest.mark.asyncio

Add = Callable[..., str]
POST = "post_model_call"


class OpenAICodec:
    """Reads chunks with one choice, whose delta has text or one piece of a tool call."""

    def text(self, event: Any) -> str | None:
        """Return the delta's text."""
        text: str | None = _delta(event).get("content")
        return text

    def with_text(self, event: Any, text: str) -> Any:
        """Return the chunk with another text."""
        return _with_delta(event, {**_delta(event), "content": text})

    def tool_piece(self, event: Any) -> ToolCallChunk | None:
        """Return the delta's piece of a tool call."""
        for piece in _delta(event).get("tool_calls") or ():
            function = piece.get("function", {})
            return ToolCallChunk(
                piece["index"],
                piece.get("id"),
                function.get("name"),
                function.get("arguments") or "",
            )
        return None

    def is_response(self, event: Any) -> bool:
        """Tell whether the event is a whole completion."""
        return bool(event.get("object") == "chat.completion")

    def response_text(self, event: Any) -> str:
        """Return a whole completion's text."""
        return event["choices"][0]["message"].get("content") or ""

    def with_response_text(self, event: Any, text: str) -> Any:
        """Return a whole completion with another text."""
        changed = copy.deepcopy(event)
        changed["choices"][0]["message"]["content"] = text
        return changed

    def assemble(self, events: Sequence[Any]) -> Any:
        """Return the assistant message that the chunks amount to."""
        calls: dict[int, Any] = {}
        for event in events:
            piece = self.tool_piece(event)
            if piece is not None:
                call = calls.setdefault(piece.index, {"id": None, "name": None, "arguments": ""})
                call["id"] = call["id"] or piece.id
                call["name"] = call["name"] or piece.name
                call["arguments"] += piece.arguments
        content = "".join(self.text(event) or "" for event in events)
        return {"role": "assistant", "content": content, "tool_calls": list(calls.values())}

    def events(self, response: Any, original: Sequence[Any]) -> Iterable[Any]:
        """Return the chunks of another message."""
        yield chunk(content=response["content"])
        for index, call in enumerate(response["tool_calls"]):
            yield piece(index, call["id"], call["name"], call["arguments"])
        yield chunk("stop")


def _delta(event: Any) -> dict[str, Any]:
    choices = event.get("choices") or [{}]
    delta: dict[str, Any] = choices[0].get("delta") or {}
    return delta


def _with_delta(event: Any, delta: dict[str, Any]) -> Any:
    return {**event, "choices": [{**event["choices"][0], "delta": delta}]}


def chunk(finish: str | None = None, **delta: Any) -> dict[str, Any]:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return {"object": "chat.completion.chunk", "choices": [choice]}


def piece(index: int, id_: str | None, name: str | None, arguments: str) -> dict[str, Any]:
    function = {"name": name, "arguments": arguments}
    return chunk(tool_calls=[{"index": index, "id": id_, "function": function}])


USAGE = {"object": "chat.completion.chunk", "choices": [], "usage": {"total_tokens": 7}}
TEXT = [
    chunk(role="assistant"),
    chunk(content="my sk-ab"),
    chunk(content="cd"),
    chunk("stop"),
    USAGE,
]
CALL = [
    piece(0, "c1", "read", '{"pa'),
    piece(1, "c2", "list", "{}"),
    piece(0, None, None, 'th": 1}'),
    chunk("tool_calls"),
]


def stream(manager: HookManager, model: Any) -> Any:
    return manager.astream_model([], model, codec=OpenAICodec())


@pytest.mark.parametrize("options", [None, {}, {"stream": "observe"}, {"gate": True}])
async def test_chunks_that_nobody_changes_leave_as_they_came(
    manager: HookManager, add: Add, drain: Any, streaming: Any, options: Any
) -> None:
    if options is not None:
        add(POST, lambda ctx: None, **options)
    assert await drain(stream(manager, streaming(*TEXT))) == TEXT


async def test_a_policy_judges_the_message_and_may_replace_it(
    manager: HookManager, add: Add, drain: Any, streaming: Any
) -> None:
    def redact(ctx: Any) -> Any:
        return {**ctx.response, "content": ctx.response["content"].replace("sk-abcd", "[key]")}

    add(POST, redact)
    left = await drain(stream(manager, streaming(*TEXT)))
    assert left == [chunk(content="my [key]"), chunk("stop")]


async def test_a_window_rewrites_the_text_and_leaves_the_other_chunks(
    manager: HookManager, add: Add, drain: Any, streaming: Any
) -> None:
    add(POST, lambda ctx: ctx.response.replace("sk-abcd", "[key]"), stream="window")
    left = await drain(stream(manager, streaming(*TEXT)))
    assert left == [chunk(role="assistant"), chunk(content="my [key]"), chunk("stop"), USAGE]


@pytest.mark.parametrize("judged", [False, True])
async def test_the_pieces_of_a_call_leave_together_and_as_they_came(
    manager: HookManager, add: Add, drain: Any, streaming: Any, judged: Any
) -> None:
    if judged:
        add(POST, lambda ctx: None)
    left = await drain(stream(manager, streaming(*CALL)))
    assert left == [CALL[0], CALL[2], CALL[1], CALL[3]]


async def test_a_policy_sees_the_calls_whole(
    manager: HookManager, add: Add, drain: Any, streaming: Any
) -> None:
    seen: list[Any] = []
    add(POST, lambda ctx: seen.append(ctx.response["tool_calls"]))
    await drain(stream(manager, streaming(*CALL)))
    assert [json.loads(call["arguments"]) for call in seen[0]] == [{"path": 1}, {}]


async def test_arguments_that_do_not_parse_deny(
    manager: HookManager, drain: Any, streaming: Any
) -> None:
    model = streaming(piece(0, "c1", "read", '{"path"'), chunk("tool_calls"))
    with pytest.raises(HookAborted, match="read"):
        await drain(stream(manager, model))


async def test_a_whole_completion_in_the_stream_is_rewritten_too(
    manager: HookManager, add: Add, drain: Any, streaming: Any
) -> None:
    def whole(content: str) -> dict[str, Any]:
        return {"object": "chat.completion", "choices": [{"message": {"content": content}}]}

    add(POST, lambda ctx: ctx.response.replace("sk-abcd", "[key]"), stream="window")
    model = streaming(chunk(content="sk-ab"), chunk(content="cd"), whole("sk-abcd"))
    assert await drain(stream(manager, model)) == [chunk(content="[key]"), whole("[key]")]
