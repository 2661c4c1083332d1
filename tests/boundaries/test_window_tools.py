"""Window hooks are shown each tool call of a stream when it is whole, and may rewrite it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from hookcore import (
    HookAborted,
    HookDispatchedEvent,
    HookManager,
    ModelResponse,
    TextChunk,
    ToolCall,
    ToolCallChunk,
)

pytestmark = pytest.mark.asyncio

Add = Callable[..., str]
POST = "post_model_call"
PIECES = [ToolCallChunk(0, "1", "read", '{"key": "sk-'), ToolCallChunk(0, arguments='abcd1234"}')]


def redact(ctx: Any) -> Any:
    response = ctx.response
    if isinstance(response, str):
        return response.replace("sk-abcd1234", "[key]")
    [call] = response.tool_calls
    arguments = call.arguments.replace("sk-abcd1234", "[key]")
    return ModelResponse("", [ToolCall(call.name, arguments, call.id)])


async def test_a_call_is_shown_whole_and_leaves_as_it_was_let_through(
    manager: HookManager, add: Add, drain: Any, streaming: Any
) -> None:
    add(POST, redact, stream="window")
    left = await drain(manager.astream_model([], streaming(TextChunk("hm"), *PIECES)))
    assert left == [TextChunk("hm"), ToolCallChunk(0, "1", "read", '{"key": "[key]"}')]


async def test_each_window_hook_sees_what_the_one_before_it_made(
    manager: HookManager, add: Add, drain: Any, streaming: Any
) -> None:
    seen: list[Any] = []
    add(POST, redact, stream="window", priority=1)
    add(POST, lambda ctx: seen.append(ctx.response), stream="window", priority=2)
    await drain(manager.astream_model([], streaming(*PIECES)))
    assert seen == [ModelResponse("", [ToolCall("read", '{"key": "[key]"}', "1")])]


async def test_a_hook_that_aborts_withholds_the_call(
    manager: HookManager, add: Add, *, drain: Any, streaming: Any, finished: Any
) -> None:
    def deny(ctx: Any) -> None:
        if not isinstance(ctx.response, str):
            raise HookAborted("no")

    ends = finished("model_finished")
    add(POST, deny, stream="window", window=1)
    left: list[Any] = []
    with pytest.raises(HookAborted):
        await drain(manager.astream_model([], streaming("ab", *PIECES)), left)
    assert (left, ends) == (["a"], [("denied", True)])


@pytest.mark.parametrize(
    "answer",
    [
        ModelResponse(""),
        ModelResponse("text", [ToolCall("a", "{}")]),
        ModelResponse("", [ToolCall("a", "{}"), ToolCall("b", "{}")]),
        "text",
        ToolCall("a", "{}"),
    ],
)
async def test_what_is_no_call_in_the_place_of_one_ends_the_stream(
    manager: HookManager, add: Add, *, drain: Any, streaming: Any, answer: Any
) -> None:
    add(POST, lambda ctx: answer, stream="window", name="guard")
    left: list[Any] = []
    with pytest.raises(HookAborted) as caught:
        await drain(manager.astream_model([], streaming(*PIECES)), left)
    assert (caught.value.source, left) == ("guard", [])


@pytest.mark.parametrize("arguments", ["{", "[]", "rm"])
async def test_arguments_that_a_hook_made_no_object_of_deny(
    manager: HookManager, add: Add, drain: Any, streaming: Any, arguments: str
) -> None:
    answer = ModelResponse("", [ToolCall("a", arguments)])
    add(POST, lambda ctx: answer, stream="window")
    with pytest.raises(HookAborted, match="arguments"):
        await drain(manager.astream_model([], streaming(*PIECES)))


async def test_arguments_may_be_given_as_a_dict(
    manager: HookManager, add: Add, drain: Any, streaming: Any
) -> None:
    answer = ModelResponse("", [ToolCall("list", {"a": 1}, "1")])
    add(POST, lambda ctx: answer, stream="window")
    left = await drain(manager.astream_model([], streaming(*PIECES)))
    assert left == [ToolCallChunk(0, "1", "list", '{"a": 1}')]


async def test_the_last_response_has_the_call_that_was_let_through(
    manager: HookManager, add: Add, drain: Any, streaming: Any
) -> None:
    whole = ModelResponse("", [ToolCall("read", {"key": "sk-abcd1234"}, "1")])
    add(POST, redact, stream="window")
    left = await drain(manager.astream_model([], streaming(*PIECES, whole)))
    assert left[1] == ModelResponse("", [ToolCall("read", '{"key": "[key]"}', "1")])


async def test_a_call_in_the_last_response_alone_is_shown_too(
    manager: HookManager, add: Add, drain: Any, streaming: Any
) -> None:
    whole = ModelResponse("", [ToolCall("read", '{"key": "sk-abcd1234"}', "1")])
    add(POST, redact, stream="window")
    [left] = await drain(manager.astream_model([], streaming(whole)))
    assert left.tool_calls == [ToolCall("read", '{"key": "[key]"}', "1")]


async def test_text_and_calls_are_one_record(
    manager: HookManager, add: Add, *, drain: Any, streaming: Any, events: list[HookDispatchedEvent]
) -> None:
    add(POST, redact, stream="window", window=1)
    await drain(manager.astream_model([], streaming("ab", "cd", *PIECES)))
    [event] = events
    assert (event.outcome, event.hook_count) == ("modified", 1)
    assert [record.verdict for record in event.records] == ["modify"]
