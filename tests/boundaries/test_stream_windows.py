"""Window hooks: they see, and may rewrite, a stream's text as it passes."""

from __future__ import annotations

import re
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
    ToolCallChunk,
)

pytestmark = pytest.mark.asyncio

Add = Callable[..., str]
Events = list[HookDispatchedEvent]
POST = "post_model_call"
SECRET = re.compile(r"sk-[a-z0-9]{8}")


def redact(ctx: Any) -> str:
    return SECRET.sub("[key]", ctx.response)


def texts(events: list[Any]) -> str:
    return "".join(event if isinstance(event, str) else event.text for event in events)


async def test_a_secret_split_over_five_chunks_does_not_leave(
    manager: HookManager, add: Add, drain: Any, streaming: Any
) -> None:
    add(POST, redact, stream="window", window=16)
    model = streaming("use ", "sk", "-abc", "d12", "3", "4 for this, please, and thanks")
    left = await drain(manager.astream_model([], model))
    assert texts(left) == "use [key] for this, please, and thanks"


async def test_text_beyond_the_window_leaves_while_more_comes(
    manager: HookManager, add: Add
) -> None:
    steps: list[str] = []

    async def model(messages: Any) -> AsyncIterator[str]:
        for text in ("abcdef", "ghijkl", "mn"):
            steps.append(f"model {text}")
            yield text

    add(POST, lambda ctx: None, stream="window", window=4)
    async for event in manager.astream_model([], model):
        steps.append(f"left {event}")  # noqa: PERF401 - the order is the point
    assert steps == [
        "model abcdef",
        "left ab",
        "model ghijkl",
        "left cdefgh",
        "model mn",
        "left ij",
        "left klmn",
    ]


async def test_a_short_stream_leaves_at_its_end(
    manager: HookManager, add: Add, drain: Any, streaming: Any
) -> None:
    seen: list[str] = []

    def watch(ctx: Any) -> None:
        seen.append(ctx.response)

    add(POST, watch, stream="window")
    assert await drain(manager.astream_model([], streaming("a", "b"))) == ["ab"]
    assert seen == ["ab"]


async def test_a_hook_may_ask_to_hold_more(
    manager: HookManager, add: Add, drain: Any, streaming: Any
) -> None:
    def hold_from_bracket(ctx: Any) -> None:
        start = ctx.response.find("<")
        ctx.hold = 2 if start < 0 else len(ctx.response) - start

    add(POST, hold_from_bracket, stream="window", window=2)
    model = streaming("abcd", "ef<gh", "ijkl", "mnop>")
    left = await drain(manager.astream_model([], model))
    assert left == ["ab", "cdef", "<ghijklmnop>"]


async def test_a_hook_may_ask_to_hold_nothing(
    manager: HookManager, add: Add, drain: Any, streaming: Any
) -> None:
    def release(ctx: Any) -> None:
        ctx.hold = 0

    add(POST, release, stream="window", window=2)
    assert await drain(manager.astream_model([], streaming("abcd", "e"))) == ["abcd", "e"]


async def test_a_window_of_more_than_8192_characters_buffers(
    manager: HookManager, add: Add, drain: Any, streaming: Any
) -> None:
    seen: list[str] = []

    def deny(ctx: Any) -> None:
        seen.append(ctx.response)
        raise HookAborted("no")

    add(POST, deny, stream="window", window=8193)
    left: list[Any] = []
    with pytest.raises(HookAborted):
        await drain(manager.astream_model([], streaming(*["x" * 1000] * 20)), left)
    assert (left, seen) == ([], ["x" * 20_000])


async def test_a_hold_of_more_than_8192_characters_buffers_what_is_left(
    manager: HookManager, add: Add, drain: Any, streaming: Any
) -> None:
    calls: list[int] = []

    def hold_all(ctx: Any) -> str:
        calls.append(len(ctx.response))
        ctx.hold = 10_000
        return str(ctx.response).replace("xyz", "[key]")

    add(POST, hold_all, stream="window", window=10)
    model = streaming(*["abcdefgh"] * 4000, "x", "yz")
    left = await drain(manager.astream_model([], model))
    assert left == ["abcdefgh" * 4000 + "[key]"]
    # Asked again only after the text has doubled: the sum stays linear.
    assert sum(calls) < 5 * 32_000


async def test_several_windows_are_a_chain(
    manager: HookManager, add: Add, drain: Any, streaming: Any
) -> None:
    add(POST, lambda ctx: ctx.response.replace("a", "b"), stream="window", window=3, priority=1)
    add(POST, lambda ctx: ctx.response.replace("bb", "c"), stream="window", window=5, priority=2)
    left = await drain(manager.astream_model([], streaming("xxxx", "xa", "ax", "xxxxxxxx")))
    assert texts(left) == "xxxxxcxxxxxxxxx"


async def test_an_async_hook_may_be_a_window(
    manager: HookManager, add: Add, drain: Any, streaming: Any
) -> None:
    async def hook(ctx: Any) -> str:
        return redact(ctx)

    add(POST, hook, stream="window")
    assert await drain(manager.astream_model([], streaming("sk-abcd", "1234"))) == ["[key]"]


async def test_a_window_that_aborts_in_mid_stream_ends_it(
    manager: HookManager, add: Add, *, drain: Any, streaming: Any, events: Events, finished: Any
) -> None:
    def deny(ctx: Any) -> None:
        if "bad" in ctx.response:
            raise HookAborted("no")

    ends = finished("model_finished")
    add(POST, deny, stream="window", window=4, name="guard")
    left: list[Any] = []
    with pytest.raises(HookAborted):
        await drain(manager.astream_model([], streaming("abcdefgh", "bad", "x")), left)
    assert (left, ends) == (["abcd"], [("denied", True)])
    [event] = [event for event in events if event.interception_point == POST]
    assert (event.outcome, event.abort_source) == ("aborted", "guard.deny")
    assert [record.verdict for record in event.records] == ["deny"]


async def test_a_window_that_fails_under_allow_lets_the_text_pass(
    manager: HookManager, add: Add, drain: Any, streaming: Any, events: Events
) -> None:
    def broken(ctx: Any) -> None:
        raise ZeroDivisionError

    add(POST, broken, stream="window", window=2)
    assert texts(await drain(manager.astream_model([], streaming("abc", "def")))) == "abcdef"
    assert (events[0].outcome, events[0].hook_count, events[0].error_count) == ("proceeded", 1, 1)


async def test_a_window_that_fails_under_deny_ends_the_stream(
    manager: HookManager, add: Add, drain: Any, streaming: Any
) -> None:
    def broken(ctx: Any) -> None:
        if "c" in ctx.response:
            raise ZeroDivisionError

    add(POST, broken, stream="window", window=2, on_error="deny", name="guard")
    left: list[Any] = []
    with pytest.raises(HookAborted) as caught:
        await drain(manager.astream_model([], streaming("ababab", "c", "d")), left)
    assert (caught.value.source, texts(left)) == ("guard", "abab")


@pytest.mark.parametrize("answer", [7, ["a"], None, {"text": "a"}])
async def test_a_window_that_answers_no_text_has_failed(
    manager: HookManager, add: Add, drain: Any, streaming: Any, answer: Any
) -> None:
    add(POST, lambda ctx: Replace(answer), stream="window", on_error="deny", name="guard")
    with pytest.raises(HookAborted) as caught:
        await drain(manager.astream_model([], streaming("abc")))
    assert caught.value.source == "guard"


async def test_a_monitored_window_is_told_afterwards(
    manager: HookManager, add: Add, drain: Any, streaming: Any, events: Events
) -> None:
    add(POST, redact, stream="window", monitor=True)
    left = await drain(manager.astream_model([], streaming("sk-abcd", "1234")))
    assert left == ["sk-abcd", "1234"]
    assert [(r.verdict, r.effect) for r in events[0].records] == [("modify", "observed")]


async def test_one_event_tells_of_all_that_a_window_saw(
    manager: HookManager, add: Add, drain: Any, streaming: Any, events: Events
) -> None:
    add(POST, redact, stream="window", window=16, name="redact")
    add(POST, lambda ctx: None, stream="observe", name="audit")
    await drain(manager.astream_model([], streaming("sk-abcd1234 ", *["more "] * 20)))
    [event] = events
    assert (event.outcome, event.hook_count) == ("modified", 2)
    assert [(r.plugin, r.verdict) for r in event.records] == [
        ("redact", "modify"),
        ("audit", "allow"),
    ]


async def test_an_event_tells_of_a_stream_that_was_closed_early(
    manager: HookManager, add: Add, streaming: Any, events: Events
) -> None:
    add(POST, redact, stream="window", window=1)
    stream = manager.astream_model([], streaming("abc", "def"))
    await anext(stream)
    await stream.aclose()
    assert (events[0].outcome, events[0].abort_reason) == ("aborted", "GeneratorExit")


async def test_beside_a_judge_a_window_hook_gets_the_whole_response(
    manager: HookManager, add: Add, drain: Any, streaming: Any
) -> None:
    seen: list[Any] = []

    def window(ctx: Any) -> None:
        seen.append(ctx.response)

    add(POST, window, stream="window", window=1)
    add(POST, lambda ctx: None)
    assert await drain(manager.astream_model([], streaming("ab", "cd"))) == ["ab", "cd"]
    assert seen == ["abcd"]


async def test_a_window_hook_still_has_the_messages(
    manager: HookManager, add: Add, drain: Any, streaming: Any
) -> None:
    seen: list[Any] = []

    def window(ctx: Any) -> None:
        seen.append(list(ctx.messages))

    add(POST, window, stream="window")
    await drain(manager.astream_model(["hi"], streaming("a")))
    assert seen == [["hi"]]


# What is not text


async def test_an_event_between_two_texts_does_not_make_a_window_let_go(
    manager: HookManager, add: Add, drain: Any, streaming: Any
) -> None:
    add(POST, redact, stream="window", window=16)
    model = streaming(TextChunk("a sk-abcd"), {"type": "ping"}, TextChunk("1234 b"))
    left = await drain(manager.astream_model([], model))
    assert left == [TextChunk("a [key] b"), {"type": "ping"}]


async def test_an_event_leaves_when_the_text_before_it_has_left(
    manager: HookManager, add: Add, drain: Any, streaming: Any
) -> None:
    add(POST, lambda ctx: None, stream="window", window=2)
    model = streaming("abcd", {"type": "ping"}, "e", "f", "g")
    left = await drain(manager.astream_model([], model))
    assert left == ["ab", "c", "d", {"type": "ping"}, "e", "fg"]


async def test_a_tool_call_between_two_texts_does_not_make_a_window_let_go(
    manager: HookManager, add: Add, drain: Any, streaming: Any
) -> None:
    add(POST, redact, stream="window", window=16)
    call = ToolCallChunk(0, "1", "ls", "{}")
    model = streaming(TextChunk("sk-abcd"), call, TextChunk("1234"))
    assert await drain(manager.astream_model([], model)) == [TextChunk("[key]"), call]


async def test_text_before_a_tool_call_leaves_before_it(
    manager: HookManager, add: Add, drain: Any, streaming: Any
) -> None:
    add(POST, redact, stream="window", window=16)
    call = ToolCallChunk(0, "1", "ls", "{}")
    left = await drain(manager.astream_model([], streaming(TextChunk("abc"), call)))
    assert left == [TextChunk("abc"), call]


async def test_a_window_may_take_all_of_the_text(
    manager: HookManager, add: Add, drain: Any, streaming: Any
) -> None:
    add(POST, lambda ctx: "", stream="window", window=2)
    assert await drain(manager.astream_model([], streaming("abc", {"type": "ping"}))) == [
        {"type": "ping"}
    ]


async def test_the_last_response_has_the_text_that_was_let_through(
    manager: HookManager, add: Add, drain: Any, streaming: Any
) -> None:
    output: list[Any] = []
    add(POST, redact, stream="window", window=16)
    add("model_output", lambda ctx: output.append(ctx.response.content))
    model = streaming(TextChunk("use sk-ab"), TextChunk("cd1234"), ModelResponse("use sk-abcd1234"))
    left = await drain(manager.astream_model([], model))
    assert left == [TextChunk("use [key]"), ModelResponse("use [key]")]
    assert output == ["use [key]"]


async def test_a_last_response_with_text_that_was_never_streamed_is_seen_too(
    manager: HookManager, add: Add, drain: Any, streaming: Any
) -> None:
    add(POST, redact, stream="window", window=16)
    model = streaming(TextChunk("hello"), ModelResponse("hello, use sk-abcd1234"))
    left = await drain(manager.astream_model([], model))
    assert left == [TextChunk("hello"), ModelResponse("hello, use [key]")]


async def test_an_error_lets_out_the_text_that_came_before_it(
    manager: HookManager, add: Add, drain: Any, streaming: Any
) -> None:
    add(POST, redact, stream="window")
    left: list[Any] = []
    model = streaming("sk-abcd", "1234 and", ConnectionError())
    with pytest.raises(ConnectionError):
        await drain(manager.astream_model([], model), left)
    assert left == ["[key] and"]


async def test_a_response_that_the_model_goes_on_to_write_in_says_what_was_let_through(
    manager: HookManager, add: Add
) -> None:
    add(POST, redact, stream="window", window=16)

    async def model(messages: Any) -> AsyncIterator[Any]:
        response = ModelResponse("hello")
        yield response
        response.content = "sk-abcd1234"

    left = [event async for event in manager.astream_model([], model)]
    assert left == [ModelResponse("hello")]
