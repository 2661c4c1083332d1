"""Streams of which a policy judges the whole: nothing leaves before that."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest

from hookcore import (
    HookAborted,
    HookDispatchedEvent,
    HookManager,
    ModelResponse,
    Replace,
    TextChunk,
    ToolCall,
    ToolCallChunk,
)

from ..waiting import settle

pytestmark = pytest.mark.asyncio

Add = Callable[..., str]
Events = list[HookDispatchedEvent]
POST = "post_model_call"


async def test_nothing_leaves_before_it_was_judged(manager: HookManager, add: Add) -> None:
    steps: list[str] = []

    async def model(messages: Any) -> AsyncIterator[str]:
        for text in ("a", "b"):
            steps.append(f"model {text}")
            yield text

    add(POST, lambda ctx: steps.append(f"judged {ctx.response}"))
    async for event in manager.astream_model([], model):
        steps.append(f"left {event}")  # noqa: PERF401 - the order is the point
    assert steps == ["model a", "model b", "judged ab", "left a", "left b"]


async def test_without_a_policy_each_event_leaves_when_it_comes(
    manager: HookManager,
) -> None:
    steps: list[str] = []

    async def model(messages: Any) -> AsyncIterator[str]:
        for text in ("a", "b"):
            steps.append(f"model {text}")
            yield text

    async for event in manager.astream_model([], model):
        steps.append(f"left {event}")  # noqa: PERF401 - the order is the point
    assert steps == ["model a", "left a", "model b", "left b"]


@pytest.mark.parametrize("options", [{}, {"gate": True}])
async def test_a_denied_response_never_leaves(
    manager: HookManager, add: Add, drain: Any, streaming: Any, options: Any
) -> None:
    def deny(ctx: Any) -> None:
        raise HookAborted("no")

    add(POST, deny, **options)
    left: list[Any] = []
    with pytest.raises(HookAborted):
        await drain(manager.astream_model([], streaming("a", "b")), left)
    assert left == []


async def test_a_gate_that_lets_pass_leaves_the_events_as_they_came(
    manager: HookManager, add: Add, drain: Any, streaming: Any
) -> None:
    add(POST, lambda ctx: None, gate=True)
    sent = [TextChunk("a"), {"type": "ping"}, TextChunk("b"), ModelResponse("ab")]
    assert await drain(manager.astream_model([], streaming(*sent))) == sent


async def test_a_replaced_response_leaves_in_the_place_of_the_events(
    manager: HookManager, add: Add, drain: Any, streaming: Any
) -> None:
    add(POST, lambda ctx: ctx.response.replace("key", "[key]"))
    assert await drain(manager.astream_model([], streaming("a k", "ey"))) == ["a [key]"]


async def test_a_response_of_chunks_is_judged_as_a_response(
    manager: HookManager, add: Add, drain: Any, streaming: Any
) -> None:
    seen: list[Any] = []

    def judge(ctx: Any) -> ModelResponse:
        seen.append(ctx.response)
        return ModelResponse("other", ctx.response.tool_calls)

    add(POST, judge)
    chunks = (
        TextChunk("a"),
        ToolCallChunk(0, "1", "ls", '{"a"'),
        ToolCallChunk(0, None, "", ":1}"),
    )
    left = await drain(manager.astream_model([], streaming(*chunks)))
    assert seen == [ModelResponse("a", [ToolCall("ls", '{"a":1}', "1")])]
    assert left == [TextChunk("other"), ToolCallChunk(0, "1", "ls", '{"a":1}')]


async def test_an_edit_in_place_is_what_leaves(
    manager: HookManager, add: Add, drain: Any, streaming: Any
) -> None:
    def edit(ctx: Any) -> None:
        ctx.response.content = ctx.response.content.replace("key", "[key]")

    add(POST, edit)
    chunks = (TextChunk("my k"), TextChunk("ey"), ModelResponse("my key"))
    left = await drain(manager.astream_model([], streaming(*chunks)))
    assert left == [TextChunk("my [key]"), ModelResponse("my [key]")]


async def test_what_was_judged_leaves_whatever_a_listener_does_meanwhile(
    manager: HookManager, add: Add, drain: Any, streaming: Any
) -> None:
    kept: list[Any] = []

    async def meddle(ctx: Any) -> None:
        for response in kept:
            response.content = "other"

    def keep(ctx: Any) -> None:
        kept.append(ctx.response)

    add(POST, keep)
    add(POST, lambda ctx: kept.append(ctx.response), gate=True)
    add("hook_dispatched", meddle)
    add("model_output", meddle)
    left = await drain(manager.astream_model([], streaming(ModelResponse("judged"))))
    assert left == [ModelResponse("judged")]


async def test_an_error_in_mid_stream_leaves_nothing_of_it(
    manager: HookManager, add: Add, drain: Any, streaming: Any
) -> None:
    seen: list[Any] = []
    add(POST, lambda ctx: seen.append((type(ctx.error), ctx.response)))
    left: list[Any] = []
    with pytest.raises(ConnectionError):
        await drain(manager.astream_model([], streaming("a", ConnectionError())), left)
    assert (left, seen) == ([], [(ConnectionError, None)])


async def test_a_response_may_take_the_place_of_an_error(
    manager: HookManager, add: Add, drain: Any, streaming: Any, finished: Any
) -> None:
    ends = finished("model_finished")
    add(POST, lambda ctx: Replace("sorry") if ctx.error else None)
    model = streaming("a", ConnectionError())
    assert await drain(manager.astream_model([], model)) == ["sorry"]
    assert ends == [("ok", True)]


async def test_model_output_is_told_the_response_that_leaves(
    manager: HookManager, add: Add, drain: Any, streaming: Any
) -> None:
    seen: list[Any] = []
    add(POST, lambda ctx: ctx.response.upper())
    add("model_output", lambda ctx: seen.append(ctx.response))
    await drain(manager.astream_model([], streaming("a", "b")))
    assert seen == ["AB"]


async def test_a_denial_before_the_call_opens_no_stream(
    manager: HookManager, add: Add, drain: Any, streaming: Any, finished: Any
) -> None:
    ends = finished("model_finished")
    add("pre_model_call", lambda ctx: False)
    with pytest.raises(HookAborted):
        await drain(manager.astream_model([], streaming("a")))
    assert ends == [("denied", False)]


async def test_a_wrap_sees_the_stream_before_the_judge(
    manager: HookManager, add: Add, drain: Any, streaming: Any
) -> None:
    async def upper(ctx: Any, call_next: Any) -> AsyncIterator[Any]:
        async for event in call_next():
            yield event.upper()

    seen: list[Any] = []
    add("wrap_model_call", upper)
    add(POST, lambda ctx: seen.append(ctx.response))
    assert await drain(manager.astream_model([], streaming("a", "b"))) == ["A", "B"]
    assert seen == ["AB"]


# Those who are only told


@pytest.mark.parametrize(
    "options", [{"stream": "observe"}, {"monitor": True}, {"monitor": True, "gate": True}]
)
async def test_an_observer_is_told_afterwards_and_changes_nothing(
    manager: HookManager, add: Add, streaming: Any, options: Any, events: Events
) -> None:
    steps: list[str] = []

    def judge(ctx: Any) -> str:
        steps.append(f"told {ctx.response}")
        return "other"

    add(POST, judge, **options)
    async for event in manager.astream_model([], streaming("a", "b")):
        steps.append(f"left {event}")  # noqa: PERF401 - the order is the point
    assert steps == ["left a", "left b", "told ab"]
    [event] = [event for event in events if event.interception_point == POST]
    assert (event.outcome, event.hook_count) == ("proceeded", 1)
    assert event.records[0].effect == "observed"


@pytest.mark.parametrize("options", [{"stream": "observe"}, {"monitor": True}])
async def test_an_observers_abort_changes_nothing(
    manager: HookManager, add: Add, *, drain: Any, streaming: Any, options: Any, finished: Any
) -> None:
    def deny(ctx: Any) -> None:
        raise HookAborted("no")

    ends = finished("model_finished")
    add(POST, deny, **options)
    assert await drain(manager.astream_model([], streaming("a", "b"))) == ["a", "b"]
    assert ends == [("ok", True)]


async def test_an_observer_cannot_edit_the_response(
    manager: HookManager, add: Add, drain: Any, streaming: Any
) -> None:
    def edit(ctx: Any) -> None:
        ctx.response.content = "edited"

    output: list[Any] = []
    add(POST, edit, stream="observe")
    add("model_output", lambda ctx: output.append(ctx.response.content))
    await drain(manager.astream_model([], streaming(TextChunk("a"))))
    assert output == ["a"]


async def test_an_observer_is_told_of_an_error_in_mid_stream(
    manager: HookManager, add: Add, drain: Any, streaming: Any
) -> None:
    seen: list[Any] = []
    add(POST, lambda ctx: seen.append((type(ctx.error), ctx.response)), stream="observe")
    left: list[Any] = []
    with pytest.raises(ConnectionError):
        await drain(manager.astream_model([], streaming("a", ConnectionError())), left)
    assert (left, seen) == (["a"], [(ConnectionError, None)])


async def test_an_observer_beside_a_judge_is_given_what_leaves(
    manager: HookManager, add: Add, drain: Any, streaming: Any, events: Events
) -> None:
    seen: list[Any] = []
    add(POST, lambda ctx: ctx.response.upper(), priority=1)
    add(POST, lambda ctx: seen.append(ctx.response), stream="observe", priority=2)
    assert await drain(manager.astream_model([], streaming("a", "b"))) == ["AB"]
    assert seen == ["AB"]
    assert [event.hook_count for event in events] == [2]


async def test_one_event_tells_of_the_whole_stream(
    manager: HookManager, add: Add, drain: Any, streaming: Any, events: Events
) -> None:
    add(POST, lambda ctx: None)
    await drain(manager.astream_model([], streaming(*"abcdefgh")))
    assert [event.interception_point for event in events] == [POST]


# Tool calls


async def test_the_pieces_of_a_tool_call_are_held_until_it_is_whole(
    manager: HookManager,
) -> None:
    steps: list[Any] = []
    pieces = ['{"pa', 'th": ', '"a"}']

    async def model(messages: Any) -> AsyncIterator[Any]:
        for number, piece in enumerate(pieces):
            steps.append(number)
            yield ToolCallChunk(0, "1" if number == 0 else None, "read", piece)

    async for event in manager.astream_model([], model):
        steps.append(event)  # noqa: PERF401 - the order is the point
    assert steps == [0, 1, 2, ToolCallChunk(0, "1", "read", '{"path": "a"}')]


async def test_calls_that_come_in_turns_are_joined_by_their_index(
    manager: HookManager, drain: Any, streaming: Any
) -> None:
    pieces = [
        ToolCallChunk(0, "1", "a", "{"),
        ToolCallChunk(1, "2", "b", "{"),
        ToolCallChunk(0, arguments="}"),
        ToolCallChunk(1, arguments="}"),
    ]
    assert await drain(manager.astream_model([], streaming(*pieces))) == [
        ToolCallChunk(0, "1", "a", "{}"),
        ToolCallChunk(1, "2", "b", "{}"),
    ]


@pytest.mark.parametrize("between", [{"type": "ping"}, TextChunk("hm"), TextChunk("")])
@pytest.mark.parametrize("judged", [False, True])
async def test_what_comes_between_the_pieces_does_not_cut_the_call(
    manager: HookManager, add: Add, *, drain: Any, streaming: Any, between: Any, judged: Any
) -> None:
    if judged:
        add(POST, lambda ctx: None)
    pieces = [ToolCallChunk(0, "1", "a", '{"b"'), between, ToolCallChunk(0, arguments=":1}")]
    left = await drain(manager.astream_model([], streaming(*pieces)))
    assert left == [between, ToolCallChunk(0, "1", "a", '{"b":1}')]


async def test_a_whole_call_leaves_before_the_text_after_it(
    manager: HookManager, drain: Any, streaming: Any
) -> None:
    events = [TextChunk("a"), ToolCallChunk(0, "1", "ls", "{}"), TextChunk("b")]
    assert await drain(manager.astream_model([], streaming(*events))) == events


@pytest.mark.parametrize("arguments", ["{", "[1]", "rm -rf", "null", '{"a": }'])
@pytest.mark.parametrize("judged", [False, True])
async def test_arguments_that_are_no_object_deny(
    manager: HookManager,
    add: Add,
    *,
    drain: Any,
    streaming: Any,
    arguments: str,
    judged: Any,
    finished: Any,
) -> None:
    ends = finished("model_finished")
    if judged:
        add(POST, lambda ctx: None)
    left: list[Any] = []
    model = streaming("text", ToolCallChunk(0, "1", "a", arguments))
    with pytest.raises(HookAborted, match="arguments"):
        await drain(manager.astream_model([], model), left)
    assert left == ([] if judged else ["text"])
    assert ends == [("denied", True)]


async def test_a_whole_response_with_such_arguments_denies_too(
    manager: HookManager, drain: Any, streaming: Any
) -> None:
    response = ModelResponse("", [ToolCall("a", "{")])
    left: list[Any] = []
    with pytest.raises(HookAborted, match="arguments"):
        await drain(manager.astream_model([], streaming(response)), left)
    assert left == []


async def test_pieces_of_a_broken_off_stream_do_not_leave(
    manager: HookManager, drain: Any, streaming: Any
) -> None:
    left: list[Any] = []
    model = streaming("text", ToolCallChunk(0, "1", "a", "{}"), ConnectionError())
    with pytest.raises(ConnectionError):
        await drain(manager.astream_model([], model), left)
    assert left == ["text"]


async def test_a_call_without_arguments_is_whole(
    manager: HookManager, drain: Any, streaming: Any
) -> None:
    events = [ToolCallChunk(0, "1", "ls"), {"type": "ping"}, ToolCallChunk(0, arguments="{}")]
    assert await drain(manager.astream_model([], streaming(*events))) == [
        {"type": "ping"},
        ToolCallChunk(0, "1", "ls", "{}"),
    ]


async def test_a_cancelled_consumer_closes_the_model(
    manager: HookManager, add: Add, drain: Any
) -> None:
    closed: list[int] = []

    async def model(messages: Any) -> AsyncIterator[str]:
        try:
            yield "a"
            await asyncio.Event().wait()
        finally:
            closed.append(1)

    add(POST, lambda ctx: None)
    task = asyncio.ensure_future(drain(manager.astream_model([], model)))
    await settle()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert closed == [1]
