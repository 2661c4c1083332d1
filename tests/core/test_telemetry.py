"""Those who are told of dispatches change nothing, and cause no events (design, section 6)."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from hookcore import Abort, HookDispatchedEvent, HookManager, ToolCallContext

Add = Callable[..., str]
Call = Callable[..., ToolCallContext]
Events = list[HookDispatchedEvent]


def broken(ctx: Any) -> None:
    raise ZeroDivisionError("the secret is 42")


def interrupt(ctx: Any) -> None:
    raise KeyboardInterrupt


def test_a_listener_that_raises_changes_nothing_and_is_logged(
    manager: HookManager, add: Add, call: Call, caplog: pytest.LogCaptureFixture
) -> None:
    heard: Events = []
    manager.subscribe(broken)
    manager.subscribe(heard.append)
    add("pre_tool_call", lambda ctx: {"new": 1})

    with caplog.at_level(logging.WARNING, "hookcore"):
        ctx = manager.dispatch("pre_tool_call", call())

    assert (ctx.payload, len(heard)) == ({"new": 1}, 1)
    assert "a listener of hook events failed (ZeroDivisionError at" in caplog.text


@pytest.mark.parametrize("on_error", ["allow", "deny", "raise"])
def test_a_listening_plugin_that_raises_changes_nothing(
    manager: HookManager, add: Add, call: Call, on_error: str
) -> None:
    add("hook_dispatched", broken, on_error=on_error)
    add("pre_tool_call", lambda ctx: {"new": 1})

    assert manager.dispatch("pre_tool_call", call()).payload == {"new": 1}


def test_a_listening_plugin_that_aborts_stops_nothing(
    manager: HookManager, add: Add, call: Call
) -> None:
    add("hook_dispatched", lambda ctx: Abort("no"))
    add("pre_tool_call", lambda ctx: None)

    assert manager.dispatch("pre_tool_call", call()).payload == {"path": "notes.txt"}


def test_a_base_exception_of_a_listener_reaches_the_host(
    manager: HookManager, add: Add, call: Call
) -> None:
    manager.subscribe(interrupt)
    add("pre_tool_call", lambda ctx: None)

    with pytest.raises(KeyboardInterrupt):
        manager.dispatch("pre_tool_call", call())


def test_an_unsubscribed_listener_hears_no_more(manager: HookManager, add: Add, call: Call) -> None:
    heard: Events = []
    unsubscribe = manager.subscribe(heard.append)
    add("pre_tool_call", lambda ctx: None)

    manager.dispatch("pre_tool_call", call())
    unsubscribe()
    unsubscribe()
    manager.dispatch("pre_tool_call", call())

    assert len(heard) == 1


def test_a_function_that_subscribed_twice_is_told_twice_and_unsubscribed_once(
    manager: HookManager, add: Add, call: Call
) -> None:
    heard: Events = []
    manager.subscribe(heard.append)
    unsubscribe = manager.subscribe(heard.append)
    add("pre_tool_call", lambda ctx: None)

    manager.dispatch("pre_tool_call", call())
    unsubscribe()
    manager.dispatch("pre_tool_call", call())

    assert len(heard) == 3


def test_a_listener_may_unsubscribe_while_it_is_told(
    manager: HookManager, add: Add, call: Call
) -> None:
    heard: Events = []
    undo: list[Callable[[], None]] = []

    def once(event: HookDispatchedEvent) -> None:
        heard.append(event)
        undo[0]()

    undo.append(manager.subscribe(once))
    add("pre_tool_call", lambda ctx: None)
    manager.dispatch("pre_tool_call", call())
    manager.dispatch("pre_tool_call", call())

    assert len(heard) == 1


def test_what_is_not_callable_cannot_subscribe(manager: HookManager) -> None:
    with pytest.raises(TypeError, match="takes a function of one event"):
        manager.subscribe("print")  # type: ignore[arg-type]


def test_dispatches_by_a_subscriber_emit_nothing(
    manager: HookManager, add: Add, call: Call
) -> None:
    heard: Events = []

    def listener(event: HookDispatchedEvent) -> None:
        heard.append(event)
        manager.dispatch("pre_tool_call", call())

    manager.subscribe(listener)
    ran: list[int] = []
    add("pre_tool_call", lambda ctx: ran.append(1))
    manager.dispatch("pre_tool_call", call())

    assert (len(heard), ran) == (1, [1, 1])


def test_dispatches_by_a_listening_plugin_emit_nothing(
    manager: HookManager, add: Add, call: Call
) -> None:
    heard: Events = []

    def listener(ctx: Any) -> None:
        heard.append(ctx.payload)
        manager.dispatch("pre_tool_call", call())
        manager.call_tool("x", {}, lambda arguments: None)

    add("hook_dispatched", listener)
    add("pre_tool_call", lambda ctx: None)
    manager.dispatch("pre_tool_call", call())

    assert len(heard) == 1


def test_dispatches_by_an_async_listening_plugin_emit_nothing(
    manager: HookManager, add: Add, call: Call
) -> None:
    heard: Events = []

    async def listener(ctx: Any) -> None:
        heard.append(ctx.payload)
        await manager.adispatch("pre_tool_call", call())

    add("hook_dispatched", listener)
    add("pre_tool_call", lambda ctx: None)
    manager.dispatch("pre_tool_call", call())
    asyncio.run(manager.adispatch("pre_tool_call", call()))

    assert len(heard) == 2


@pytest.mark.parametrize("tracking", [False, True])
def test_dispatches_by_a_task_that_a_subscriber_started_emit_nothing(
    manager: HookManager, add: Add, call: Call, *, tracking: bool
) -> None:
    heard: Events = []
    tasks: list[asyncio.Task[Any]] = []

    def listener(event: HookDispatchedEvent) -> None:
        heard.append(event)
        if len(heard) < 5:
            tasks.append(asyncio.create_task(manager.adispatch("pre_tool_call", call())))

    async def host() -> None:
        await manager.adispatch("pre_tool_call", call())
        for task in tasks:
            await task

    manager.tracks_mutations = tracking
    manager.subscribe(listener)
    add("pre_tool_call", lambda ctx: None)
    asyncio.run(host())

    assert (len(heard), len(tasks)) == (1, 1)


def test_a_task_that_a_hook_started_is_told_of(
    manager: HookManager, add: Add, call: Call, events: Events
) -> None:
    tasks: list[asyncio.Task[Any]] = []

    def hook(ctx: Any) -> None:
        if not tasks:
            tasks.append(asyncio.create_task(manager.adispatch("pre_tool_call", call())))

    async def host() -> None:
        await manager.adispatch("pre_tool_call", call())
        await tasks[0]

    add("pre_tool_call", hook)
    asyncio.run(host())

    assert len(events) == 2


def test_after_a_listeners_dispatch_others_are_told_again(
    manager: HookManager, add: Add, call: Call
) -> None:
    heard: Events = []

    def listener(event: HookDispatchedEvent) -> None:
        heard.append(event)
        manager.dispatch("pre_tool_call", call())

    manager.subscribe(listener)
    add("pre_tool_call", lambda ctx: None)
    for _ in range(3):
        manager.dispatch("pre_tool_call", call())

    assert len(heard) == 3


def test_a_listening_plugin_that_is_disabled_hears_nothing(
    manager: HookManager, add: Add, call: Call
) -> None:
    heard: Events = []
    add("hook_dispatched", lambda ctx: heard.append(ctx.payload), name="listener")
    add("pre_tool_call", lambda ctx: None)

    manager.disable("listener")
    manager.dispatch("pre_tool_call", call())

    assert heard == []


def test_listening_begins_and_ends_at_once(manager: HookManager, add: Add, call: Call) -> None:
    heard: Events = []
    add("pre_tool_call", lambda ctx: None)

    manager.dispatch("pre_tool_call", call())
    unsubscribe = manager.subscribe(heard.append)
    manager.dispatch("pre_tool_call", call())
    unsubscribe()
    manager.dispatch("pre_tool_call", call())

    assert len(heard) == 1


def test_without_a_listener_no_event_is_made(
    manager: HookManager, add: Add, call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*args: Any) -> None:
        raise AssertionError("nobody listens")

    for module in ("dispatch.records", "dispatch.engine", "dispatch.loops"):
        monkeypatch.setattr(f"hookcore.{module}.HookDispatchedEvent", refuse, raising=False)
        monkeypatch.setattr(f"hookcore.{module}.make_event", refuse, raising=False)
    add("pre_tool_call", lambda ctx: {"new": 1})
    add("pre_tool_call", lambda ctx: None, gate=True)

    assert manager.dispatch("pre_tool_call", call()).payload == {"new": 1}


def test_a_hook_dispatched_context_has_the_ids_of_the_dispatch(
    manager: HookManager, add: Add, call: Call
) -> None:
    seen: list[Any] = []
    add("hook_dispatched", lambda ctx: seen.append((ctx.run_id, ctx.call_id, ctx.agent)))
    add("pre_tool_call", lambda ctx: None)

    manager.dispatch("pre_tool_call", call(run_id="r", call_id="c", agent="ops"))

    assert seen == [("r", "c", "ops")]


def test_a_wrap_yields_an_event_too(
    manager: HookManager, add: Add, call: Call, events: Events
) -> None:
    def around(ctx: Any, call_next: Any) -> Iterator[Any]:
        yield

    add("wrap_tool_call", around)
    manager.wrap("wrap_tool_call", call(), lambda payload: None)

    assert [event.interception_point for event in events] == ["wrap_tool_call"]
