"""Events that no codec can read: a failure of each hook that has to judge the response."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from hookcore import HookAborted, HookDispatchedEvent, HookManager, TextChunk
from hookcore.errors import UnreadableEventError

pytestmark = pytest.mark.asyncio

Add = Callable[..., str]
Events = list[HookDispatchedEvent]
POST = "post_model_call"
UNREAD = [{"delta": "sk-abcd1234"}, b"sk-abcd1234", None, 7, 1.5, ["sk-abcd1234"], object()]


@pytest.mark.parametrize("event", UNREAD)
@pytest.mark.parametrize(
    "options",
    [
        {"gate": True},
        {"on_error": "deny"},
        {"stream": "window", "on_error": "deny"},
    ],
)
async def test_who_denies_on_failure_denies(
    manager: HookManager,
    add: Add,
    *,
    drain: Any,
    streaming: Any,
    event: Any,
    options: Any,
    events: Events,
    finished: Any,
) -> None:
    ends = finished("model_finished")
    add(POST, lambda ctx: None, name="guard", **options)
    left: list[Any] = []
    with pytest.raises(HookAborted, match="no codec can read") as caught:
        await drain(manager.astream_model([], streaming(event, TextChunk("after"))), left)
    assert (caught.value.source, left, ends) == ("guard", [], [("denied", True)])
    [told] = [item for item in events if item.interception_point == POST]
    assert (told.outcome, told.abort_source, told.error_count) == ("aborted", "guard", 1)
    assert told.records[0].error == f"not seen: {type(event).__module__}.{type(event).__qualname__}"


@pytest.mark.parametrize("options", [{}, {"stream": "window"}])
async def test_under_allow_it_passes_and_is_recorded(
    manager: HookManager, add: Add, *, drain: Any, streaming: Any, options: Any, events: Events
) -> None:
    seen: list[Any] = []
    add(POST, lambda ctx: seen.append(ctx.response), name="guard", **options)
    sent = [TextChunk("a"), {"delta": "x"}, TextChunk("b"), {"delta": "y"}]
    left = await drain(manager.astream_model([], streaming(*sent)))
    assert {"delta": "x"} in left
    assert {"delta": "y"} in left
    assert seen
    [told] = events
    assert (told.outcome, told.hook_count, told.error_count) == ("proceeded", 1, 1)
    [record] = told.records
    assert (record.verdict, record.effect, record.error) == (
        "error",
        "ignored",
        "not seen: builtins.dict",
    )


async def test_under_raise_the_host_gets_the_error(
    manager: HookManager, add: Add, drain: Any, streaming: Any, finished: Any
) -> None:
    ends = finished("model_finished")
    add(POST, lambda ctx: None, on_error="raise")
    with pytest.raises(UnreadableEventError, match=r"builtins\.bytes.*codec="):
        await drain(manager.astream_model([], streaming(b"x")))
    assert ends == [("error", True)]


@pytest.mark.parametrize("options", [{"monitor": True}, {"stream": "observe"}])
async def test_who_only_watches_is_recorded_and_stops_nothing(
    manager: HookManager, add: Add, *, drain: Any, streaming: Any, options: Any, events: Events
) -> None:
    add(POST, lambda ctx: None, on_error="deny", **options)
    assert await drain(manager.astream_model([], streaming(b"x"))) == [b"x"]
    assert [(r.verdict, r.effect) for r in events[0].records] == [("error", "observed")]


async def test_the_first_hook_that_denies_ends_it(
    manager: HookManager, add: Add, drain: Any, streaming: Any, events: Events
) -> None:
    add(POST, lambda ctx: None, name="lenient", priority=1)
    add(POST, lambda ctx: None, name="strict", priority=2, on_error="deny")
    add(POST, lambda ctx: None, name="gate", gate=True)
    with pytest.raises(HookAborted) as caught:
        await drain(manager.astream_model([], streaming(b"x")))
    assert caught.value.source == "strict"
    assert [(r.plugin, r.effect) for r in events[0].records] == [
        ("lenient", "ignored"),
        ("strict", "applied"),
    ]


async def test_a_gate_judges_what_can_be_read_beside_what_cannot(
    manager: HookManager, add: Add, drain: Any, streaming: Any, events: Events
) -> None:
    add(POST, lambda ctx: ctx.response.content + "!", name="lenient")
    left = await drain(manager.astream_model([], streaming(b"x", TextChunk("a"))))
    assert left == ["a!"]
    [told] = events
    assert told.outcome == "modified"


async def test_without_a_hook_there_everything_passes(
    manager: HookManager, add: Add, drain: Any, streaming: Any
) -> None:
    add("pre_model_call", lambda ctx: None, gate=True)
    assert await drain(manager.astream_model([], streaming(*UNREAD))) == UNREAD


async def test_a_hook_that_the_filters_leave_out_fails_not(
    manager: HookManager, add: Add, drain: Any, streaming: Any
) -> None:
    add(POST, lambda ctx: None, gate=True, agents=["other"])
    stream = manager.astream_model([], streaming(b"x"), agent="this")
    assert await drain(stream) == [b"x"]


@pytest.mark.parametrize("event", [{"type": "ping"}, {"type": "message_stop"}, TextChunk("")])
async def test_an_event_that_holds_nothing_passes(
    manager: HookManager, add: Add, drain: Any, streaming: Any, event: Any
) -> None:
    add(POST, lambda ctx: None, gate=True)
    assert await drain(manager.astream_model([], streaming(event))) == [event]
