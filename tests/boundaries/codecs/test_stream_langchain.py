"""LangChain's message chunks, alone and in the chunks of generations."""

from __future__ import annotations

import json
from functools import reduce
from operator import add
from typing import Any

import pytest

from hookcore import HookAborted, ToolCall

from .policies import SECRET, Buffering, Passing, Windowed, clean, cut

messages = pytest.importorskip(
    "langchain_core.messages", reason="needs langchain-core: pip install langchain-core"
)

TEXT = f"Use {SECRET} for this, and nothing else, please."
THOUGHT = f"They want {SECRET}."
ARGUMENTS = json.dumps({"path": "a.txt", "key": SECRET})
USAGE = {"input_tokens": 1, "output_tokens": 2, "total_tokens": 3}


def piece(arguments: str, **first: Any) -> dict[str, Any]:
    call = {"name": None, "id": None, "args": arguments, "index": 0, "type": "tool_call_chunk"}
    return {**call, **first}


def chunks(size: int) -> list[Any]:
    made = messages.AIMessageChunk
    return [
        made(content="", id="run-1"),
        *(made(content=part, id="run-1") for part in cut(TEXT, size)),
        made(content="", tool_call_chunks=[piece("", name="read", id="call_1")], id="run-1"),
        *(
            made(content="", tool_call_chunks=[piece(part)], id="run-1")
            for part in cut(ARGUMENTS, size)
        ),
        made(content="", usage_metadata=USAGE, chunk_position="last", id="run-1"),
    ]


def blocks(size: int) -> list[Any]:
    """Return chunks whose content is a list of blocks, as Anthropic's integration gives them."""

    def block(index: int, **fields: Any) -> Any:
        return messages.AIMessageChunk(content=[{"index": index, **fields}])

    begun = {"type": "tool_use", "id": "call_1", "name": "read", "input": {}, "index": 2}
    return [
        *(block(0, type="thinking", thinking=part) for part in cut(THOUGHT, size)),
        *(block(1, type="text", text=part) for part in cut(TEXT, size)),
        messages.AIMessageChunk(
            content=[begun], tool_call_chunks=[piece("", name="read", id="call_1", index=2)]
        ),
        *(
            messages.AIMessageChunk(
                content=[{"type": "input_json_delta", "partial_json": part, "index": 2}],
                tool_call_chunks=[piece(part, index=2)],
            )
            for part in cut(ARGUMENTS, size)
        ),
        messages.AIMessageChunk(content="", usage_metadata=USAGE, chunk_position="last"),
    ]


def generations(events: list[Any]) -> list[Any]:
    from langchain_core.outputs import ChatGenerationChunk

    return [ChatGenerationChunk(message=event) for event in events]


FORMS = [list, generations]


def whole(left: list[Any]) -> Any:
    """Return the message that the chunks add up to, as the library adds them."""
    return reduce(add, [getattr(event, "message", event) for event in left])


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("make", [chunks, blocks])
@pytest.mark.parametrize("plugins", [[], [Passing()]])
def test_what_nobody_changes_leaves_as_it_came(
    through: Any, form: Any, make: Any, plugins: Any
) -> None:
    given = form(make(7))
    assert through(given, *plugins) == given


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("make", [chunks, blocks])
def test_a_policy_judges_the_whole_response(through: Any, form: Any, make: Any) -> None:
    passing = Passing()
    through(form(make(7)), passing)
    [judged] = passing.seen
    assert judged.content == TEXT
    assert judged.thinking == (THOUGHT if make is blocks else "")
    assert judged.tool_calls == [ToolCall("read", ARGUMENTS, "call_1")]


@pytest.mark.parametrize("policy", [Buffering, Windowed])
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("make", [chunks, blocks])
@pytest.mark.parametrize("size", [1, 7, 1000])
def test_no_secret_leaves_and_the_rest_does(
    through: Any, said: Any, *, policy: Any, form: Any, make: Any, size: int
) -> None:
    left = through(form(make(size)), policy())
    assert not any(SECRET in text for text in said(left))
    message = whole(left)
    assert message.text == clean(TEXT)
    [call] = message.tool_calls
    assert (call["name"], call["args"], call["id"]) == (
        "read",
        json.loads(clean(ARGUMENTS)),
        "call_1",
    )
    assert message.usage_metadata["total_tokens"] == 3


@pytest.mark.parametrize("policy", [Buffering, Windowed])
@pytest.mark.parametrize("name", ["reasoning_content", "reasoning", "refusal", "citations"])
def test_what_stands_beside_the_content_is_read(
    through: Any, said: Any, policy: Any, name: str
) -> None:
    value: Any = [{"quote": TEXT}] if name == "citations" else TEXT
    given = [messages.AIMessageChunk(content="", additional_kwargs={name: value})]
    left = through(given, policy())
    assert clean(TEXT) in said(left)
    assert not any(SECRET in text for text in said(left))


@pytest.mark.parametrize("policy", [Buffering, Windowed])
def test_a_whole_message_is_read(through: Any, said: Any, policy: Any) -> None:
    call = {"name": "read", "args": {"key": SECRET}, "id": "1", "type": "tool_call"}
    [left] = through([messages.AIMessage(content=TEXT, tool_calls=[call])], policy())
    assert (left.content, left.tool_calls[0]["args"]) == (clean(TEXT), {"key": "[key]"})
    assert not any(SECRET in text for text in said([left]))


@pytest.mark.parametrize("policy", [Buffering, Windowed])
def test_one_chunk_with_everything_in_it_counts_the_usage_once(through: Any, policy: Any) -> None:
    chunk = messages.AIMessageChunk(
        content=TEXT,
        tool_call_chunks=[piece(ARGUMENTS, name="read", id="1")],
        usage_metadata=USAGE,
        chunk_position="last",
    )
    message = whole(through([chunk], policy()))
    assert (message.content, message.usage_metadata) == (clean(TEXT), USAGE)
    assert message.tool_calls[0]["args"]["key"] == "[key]"


@pytest.mark.parametrize("policy", [Buffering, Windowed])
def test_the_chunk_of_a_plain_generation_is_read(through: Any, policy: Any) -> None:
    from langchain_core.outputs import GenerationChunk

    left = through([GenerationChunk(text=part) for part in cut(TEXT, 6)], policy())
    assert "".join(event.text for event in left) == clean(TEXT)


def test_a_picture_is_denied(through: Any) -> None:
    chunk = messages.AIMessageChunk(content=[{"type": "image", "base64": "iVBORw"}])
    with pytest.raises(HookAborted, match="no codec can read"):
        through([chunk], Passing())
