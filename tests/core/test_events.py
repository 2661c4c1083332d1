"""One event for each dispatch that reached a hook, and it tells the truth (design, section 6)."""

from __future__ import annotations

import asyncio
import dataclasses
import time
from collections.abc import Callable
from datetime import datetime, timedelta, timezone
from typing import Any

import pytest

from hookcore import Abort, HookAborted, HookDispatchedEvent, HookManager, ToolCallContext, hookimpl

from ..waiting import settle

Add = Callable[..., str]
Call = Callable[..., ToolCallContext]
Events = list[HookDispatchedEvent]


class Agent:
    """An agent as hosts have them."""

    def __init__(self, role: Any = None, name: Any = None) -> None:
        self.role = role
        self.name = name


class Listening:
    """The three ways to listen; what is told must not depend on which one is used."""

    def __init__(self, manager: HookManager, way: str) -> None:
        self.heard: Events = []
        if way in ("subscriber", "subscriber and tracking"):
            manager.subscribe(self.heard.append)
            manager.tracks_mutations = way != "subscriber"
        elif way == "plugin":
            manager.register(self)
        else:
            manager.register(_Later(self.heard))

    @hookimpl
    def hook_dispatched(self, ctx: Any) -> None:
        self.heard.append(ctx.payload)

    @property
    def event(self) -> HookDispatchedEvent:
        (event,) = self.heard
        return event


class _Later:
    def __init__(self, heard: Events) -> None:
        self.heard = heard

    @hookimpl
    async def hook_dispatched(self, ctx: Any) -> None:
        await asyncio.sleep(0)
        self.heard.append(ctx.payload)


@pytest.fixture(params=["subscriber", "subscriber and tracking", "plugin", "async plugin"])
def listening(manager: HookManager, request: pytest.FixtureRequest) -> Listening:
    return Listening(manager, request.param)


def broken(ctx: Any) -> None:
    raise ZeroDivisionError("the secret is 42")


def interrupt(ctx: Any) -> None:
    raise KeyboardInterrupt


def test_a_dispatch_that_reached_a_hook_yields_one_event(
    manager: HookManager, add: Add, call: Call, listening: Listening
) -> None:
    add("pre_tool_call", lambda ctx: None, name="a")
    add("pre_tool_call", lambda ctx: None, name="b")

    manager.dispatch("pre_tool_call", call())

    event = listening.event
    assert (event.interception_point, event.outcome) == ("pre_tool_call", "proceeded")
    assert (event.hook_count, event.error_count) == (2, 0)
    assert (event.abort_reason, event.abort_source) == (None, None)
    assert [(item.plugin, item.hook, item.verdict, item.effect) for item in event.records] == [
        ("a", "<lambda>", "allow", "applied"),
        ("b", "<lambda>", "allow", "applied"),
    ]


def test_a_dispatch_without_hooks_yields_none(
    manager: HookManager, call: Call, listening: Listening
) -> None:
    manager.dispatch("pre_tool_call", call())

    assert listening.heard == []


def test_a_replacement_is_a_modification(
    manager: HookManager, add: Add, call: Call, listening: Listening
) -> None:
    add("pre_tool_call", lambda ctx: None, name="a")
    add("pre_tool_call", lambda ctx: {"new": 1}, name="b")

    manager.dispatch("pre_tool_call", call())

    assert listening.event.outcome == "modified"
    assert [item.verdict for item in listening.event.records] == ["allow", "modify"]


def test_an_assigned_payload_is_a_modification(
    manager: HookManager, add: Add, call: Call, listening: Listening
) -> None:
    def bind(ctx: Any) -> None:
        ctx.payload = {"new": 1}

    add("pre_tool_call", bind)
    manager.dispatch("pre_tool_call", call())

    assert listening.event.outcome == "modified"


@pytest.mark.parametrize("source", [None, "clock"])
def test_an_abort_has_reason_and_source(
    manager: HookManager, add: Add, call: Call, listening: Listening, source: str | None
) -> None:
    add("pre_tool_call", lambda ctx: Abort("too late", source=source), name="p")

    with pytest.raises(HookAborted):
        manager.dispatch("pre_tool_call", call())

    event = listening.event
    assert (event.outcome, event.abort_reason) == ("aborted", "too late")
    assert event.abort_source == (source or "p.<lambda>")
    assert [item.verdict for item in event.records] == ["deny"]


def test_a_source_that_is_no_text_gets_a_name(
    manager: HookManager, add: Add, call: Call, listening: Listening
) -> None:
    def refuse(ctx: Any) -> None:
        raise HookAborted("no", source=broken)

    add("pre_tool_call", refuse)

    with pytest.raises(HookAborted):
        manager.dispatch("pre_tool_call", call())
    assert listening.event.abort_source == "broken"


def test_hooks_after_an_abort_are_not_counted(
    manager: HookManager, add: Add, call: Call, listening: Listening
) -> None:
    add("pre_tool_call", lambda ctx: None)
    add("pre_tool_call", lambda ctx: False)
    add("pre_tool_call", lambda ctx: None)

    with pytest.raises(HookAborted):
        manager.dispatch("pre_tool_call", call())
    assert listening.event.hook_count == 2


def test_a_swallowed_failure_shows(
    manager: HookManager, add: Add, call: Call, listening: Listening
) -> None:
    add("pre_tool_call", broken)

    manager.dispatch("pre_tool_call", call())

    event = listening.event
    assert (event.outcome, event.error_count, event.hook_count) == ("proceeded", 1, 1)
    assert event.records[0].error is not None
    assert "secret" not in repr(event)


def test_a_failure_that_denies_is_an_abort_by_the_plugin(
    manager: HookManager, add: Add, call: Call, listening: Listening
) -> None:
    add("pre_tool_call", broken, name="p", on_error="deny")

    with pytest.raises(HookAborted):
        manager.dispatch("pre_tool_call", call())

    event = listening.event
    assert (event.outcome, event.abort_source, event.error_count) == ("aborted", "p", 1)
    assert "secret" not in repr(event)


def test_a_failure_that_is_raised_is_an_abort_with_its_class_as_reason(
    manager: HookManager, add: Add, call: Call, listening: Listening
) -> None:
    add("pre_tool_call", broken, on_error="raise")

    with pytest.raises(ZeroDivisionError):
        manager.dispatch("pre_tool_call", call())

    event = listening.event
    assert (event.outcome, event.abort_reason) == ("aborted", "ZeroDivisionError")
    assert event.error_count == 1


@pytest.mark.parametrize("before", [0, 1])
def test_a_base_exception_is_an_abort_with_its_class_as_reason(
    manager: HookManager, add: Add, call: Call, listening: Listening, before: int
) -> None:
    for _ in range(before):
        add("pre_tool_call", lambda ctx: None)
    add("pre_tool_call", interrupt)

    with pytest.raises(KeyboardInterrupt):
        manager.dispatch("pre_tool_call", call())

    event = listening.event
    assert (event.outcome, event.abort_reason) == ("aborted", "KeyboardInterrupt")
    assert (event.abort_source, event.hook_count) == (None, before + 1)


def test_a_cancellation_is_an_abort_with_its_class_as_reason(
    manager: HookManager, add: Add, call: Call, listening: Listening
) -> None:
    async def slow(ctx: Any) -> None:
        await asyncio.Event().wait()

    add("pre_tool_call", slow)

    async def host() -> None:
        task = asyncio.ensure_future(manager.adispatch("pre_tool_call", call()))
        await settle()
        task.cancel()
        await task

    with pytest.raises(asyncio.CancelledError):
        asyncio.run(host())
    event = listening.event
    assert (event.outcome, event.abort_reason) == ("aborted", "CancelledError")


def test_an_event_has_the_ids_of_the_context(
    manager: HookManager, add: Add, call: Call, listening: Listening
) -> None:
    ids = {"run_id": "r", "parent_run_id": "p", "session_id": "s", "call_id": "c"}
    add("pre_tool_call", lambda ctx: None)

    manager.dispatch("pre_tool_call", call(**ids))

    assert {name: getattr(listening.event, name) for name in ids} == ids


@pytest.mark.parametrize(
    ("agent", "name"),
    [
        ("ops", "ops"),
        (Agent(role="Researcher", name="r-1"), "Researcher"),
        (Agent(name="r-1"), "r-1"),
        (Agent(), None),
        (None, None),
    ],
)
def test_an_event_has_the_agents_role_else_its_name(
    manager: HookManager,
    add: Add,
    call: Call,
    listening: Listening,
    *,
    agent: Any,
    name: str | None,
) -> None:
    add("pre_tool_call", lambda ctx: None)

    manager.dispatch("pre_tool_call", call(agent=agent))

    assert listening.event.agent == name


def test_an_event_has_the_tool_as_the_model_wrote_it(
    manager: HookManager, add: Add, call: Call, listening: Listening
) -> None:
    def rename(ctx: Any) -> None:
        ctx.tool_name = "other"

    add("pre_tool_call", rename)
    manager.dispatch("pre_tool_call", call("Delete File"))

    assert listening.event.tool == "Delete File"


def test_an_event_has_its_time_in_utc(
    manager: HookManager, add: Add, call: Call, listening: Listening
) -> None:
    add("pre_tool_call", lambda ctx: None)

    manager.dispatch("pre_tool_call", call())

    age = datetime.now(timezone.utc) - listening.event.timestamp
    assert timedelta(0) <= age < timedelta(minutes=1)


def test_durations_are_milliseconds_and_the_dispatch_lasts_as_long_as_its_hooks(
    manager: HookManager, add: Add, call: Call, listening: Listening
) -> None:
    add("pre_tool_call", lambda ctx: time.sleep(0.02))

    started = time.perf_counter()
    manager.dispatch("pre_tool_call", call())
    at_most = 1000 * (time.perf_counter() - started)

    event = listening.event
    assert 19 < event.records[0].duration_ms <= at_most
    assert event.duration_ms >= event.records[0].duration_ms


def test_an_event_holds_no_payload_and_no_arguments(
    manager: HookManager, add: Add, call: Call, listening: Listening
) -> None:
    add("pre_tool_call", lambda ctx: {"path": "/secret", **ctx.payload})

    manager.dispatch("pre_tool_call", call(payload={"key": "secret"}, attributes={"a": "secret"}))

    assert "secret" not in repr(listening.event)


def test_an_event_is_a_slotted_dataclass() -> None:
    event = HookDispatchedEvent("pre_tool_call", "proceeded", 1, 0.1)

    assert dataclasses.is_dataclass(event)
    assert not hasattr(event, "__dict__")


@pytest.mark.parametrize("sync", [True, False])
def test_sync_and_async_hosts_yield_the_same_event(
    manager: HookManager, add: Add, call: Call, listening: Listening, *, sync: bool
) -> None:
    async def later(ctx: Any) -> dict[str, int]:
        return {"new": 1}

    add("pre_tool_call", lambda ctx: None)
    add("pre_tool_call", broken)
    add("pre_tool_call", later)
    add("pre_tool_call", lambda ctx: None, gate=True)

    if sync:
        manager.dispatch("pre_tool_call", call())
    else:
        asyncio.run(manager.adispatch("pre_tool_call", call()))

    event = listening.event
    assert [item.verdict for item in event.records] == ["allow", "error", "modify", "allow"]
    assert (event.outcome, event.hook_count, event.error_count) == ("modified", 4, 1)


@pytest.mark.parametrize("listens", ["subscriber", "subscriber and tracking"])
def test_an_event_tells_how_long_the_hooks_of_each_plugin_took(
    manager: HookManager, add: Add, call: Call, listens: str
) -> None:
    told = Listening(manager, listens)
    names = [add("pre_tool_call", lambda ctx: None) for _ in range(2)]

    manager.dispatch("pre_tool_call", call())

    durations = told.event.durations()
    assert [plugin for plugin, _ in durations] == names
    assert durations == [(record.plugin, record.duration_ms) for record in told.event.records]
    assert durations == told.event.durations()
