"""Faults that the random dispatches found, each as the smallest dispatch that shows it."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable
from typing import Any

import pytest

from hookcore import (
    HookAborted,
    HookContext,
    HookDispatchedEvent,
    HookManager,
    MessageContext,
    SetupContext,
    ToolCallContext,
    hookimpl,
)
from hookcore.errors import WrongResultError
from hookcore.testing import register_configured

from .cases import Signal, Stop


def tool_call(payload: Any = None, tool: str = "read_file") -> ToolCallContext:
    return ToolCallContext(tool_name=tool, payload={} if payload is None else payload)


class Renames:
    @hookimpl(tools=["read_file"])
    def pre_tool_call(self, ctx: ToolCallContext) -> None:
        ctx.tool_name = "delete_file"


class ForbidsDeletes:
    @hookimpl(tools=["delete_*"], gate=True)
    def pre_tool_call(self, ctx: ToolCallContext) -> None:
        raise HookAborted("no deletes")


class AssignsAndAborts:
    @hookimpl
    def pre_tool_call(self, ctx: HookContext) -> None:
        ctx.payload = "not even a dict"
        raise HookAborted("no")


class EndsIt:
    def __init__(self, error: BaseException) -> None:
        self.error = error

    @hookimpl
    def pre_tool_call(self, ctx: HookContext) -> None:
        raise self.error


class SwallowsAll:
    @hookimpl(wrapper=True)
    def pre_tool_call(self, ctx: HookContext) -> Any:
        try:
            yield
        except GeneratorExit:
            raise
        except BaseException:  # noqa: BLE001 - that is what is tested
            return None


def test_a_renamed_tool_meets_its_new_names_gates_in_every_dispatch() -> None:
    manager = HookManager()
    manager.register(Renames())
    manager.register(ForbidsDeletes())
    for _ in range(3):  # the first one fills the cache of resolved chains
        with pytest.raises(HookAborted, match="no deletes"):
            manager.dispatch("pre_tool_call", tool_call())


def test_what_a_hook_assigned_before_it_aborted_is_discarded() -> None:
    manager = HookManager()
    manager.register(AssignsAndAborts())
    manager.register(SwallowsAll())
    assert manager.dispatch("pre_tool_call", tool_call({"a": 1})).payload == {"a": 1}


@pytest.mark.parametrize("error", [Stop("now"), Signal("pause")])
def test_no_wrapper_swallows_what_always_passes(error: BaseException) -> None:
    manager = HookManager(control_flow=[Signal])
    manager.register(EndsIt(error))
    manager.register(SwallowsAll())
    with pytest.raises(type(error)):
        manager.dispatch("pre_tool_call", tool_call())


@pytest.mark.parametrize("tracked", [False, True])
@pytest.mark.parametrize("error", [Stop("now"), Signal("pause")])
def test_a_hook_that_ends_with_what_always_passes_is_counted(
    error: BaseException, *, tracked: bool
) -> None:
    manager = HookManager(control_flow=[Signal], track_mutations=tracked)
    events: list[HookDispatchedEvent] = []
    manager.subscribe(events.append)
    manager.register(EndsIt(error))
    with pytest.raises(type(error)):
        manager.dispatch("pre_tool_call", tool_call())
    [event] = events
    assert (event.outcome, event.abort_reason) == ("aborted", type(error).__name__)
    assert event.hook_count == len(event.records) == 1


def test_what_a_plain_hook_assigned_before_it_returned_an_awaitable_is_checked() -> None:
    class AnswersLate:
        @hookimpl
        def pre_tool_call(self, ctx: HookContext) -> Awaitable[None]:
            ctx.payload = "not even a dict"

            async def nothing() -> None:
                return None

            return nothing()

    manager = HookManager()
    manager.register(AnswersLate())
    ctx = tool_call({"a": 1})
    with pytest.raises(HookAborted, match="WrongResultError"):
        manager.dispatch("pre_tool_call", ctx)
    assert ctx.payload == {"a": 1}
    manager.close()


@pytest.mark.parametrize(("offload", "timeout"), [(True, None), (False, 30.0)])
def test_what_a_failing_hook_edited_on_another_thread_stays(
    *, offload: bool, timeout: float | None
) -> None:
    class EditsAndFails:
        @hookimpl(offload=offload, timeout=timeout)
        def pre_tool_call(self, ctx: HookContext) -> None:
            ctx.payload["edited"] = True
            ctx.payload = {"assigned": True}
            raise ValueError("made up")

    manager = HookManager()
    manager.register(EditsAndFails())
    ctx = asyncio.run(manager.adispatch("pre_tool_call", tool_call({})))
    assert ctx.payload == {"edited": True}
    manager.close()


@pytest.mark.parametrize(("offload", "timeout"), [(True, None), (False, 30.0)])
def test_what_a_hooks_awaitable_edits_after_its_thread_stays(
    *, offload: bool, timeout: float | None
) -> None:
    class AnswersLate:
        @hookimpl(offload=offload, timeout=timeout)
        def pre_tool_call(self, ctx: HookContext) -> Awaitable[None]:
            async def edit() -> None:
                ctx.payload["edited"] = True

            return edit()

    manager = HookManager()
    manager.register(AnswersLate())
    ctx = asyncio.run(manager.adispatch("pre_tool_call", tool_call({})))
    assert ctx.payload == {"edited": True}
    manager.close()


def test_a_monitored_wrapper_is_seen_to_assign_after_its_yield() -> None:
    class AssignsLast:
        @hookimpl(wrapper=True)
        def pre_tool_call(self, ctx: HookContext) -> Any:
            yield
            ctx.payload = {"assigned": True}

    manager, events = HookManager(), list[HookDispatchedEvent]()
    manager.subscribe(events.append)
    register_configured(manager, AssignsLast(), mode="monitor")
    assert manager.dispatch("pre_tool_call", tool_call({"a": 1})).payload == {"a": 1}
    [record] = events[0].records
    assert (record.verdict, record.effect) == ("modify", "observed")


def test_a_payload_that_a_monitored_hook_cannot_be_given_a_copy_of_goes_on() -> None:
    class Watches:
        @hookimpl
        def setup_state(self, ctx: HookContext) -> None:
            raise AssertionError("it was given the original")

    class WatchesAround:
        @hookimpl(wrapper=True)
        def setup_state(self, ctx: HookContext) -> Any:
            yield
            raise AssertionError("it was given the original")

    manager, events, lock = HookManager(), list[HookDispatchedEvent](), threading.Lock()
    manager.subscribe(events.append)
    for plugin in (Watches(), WatchesAround()):
        register_configured(manager, plugin, mode="monitor")
    assert manager.dispatch("setup_state", SetupContext(payload=lock)).payload is lock
    assert [(item.verdict, item.effect) for item in events[0].records] == [
        ("error", "observed")
    ] * 2


def test_a_payload_that_was_changed_by_a_hook_that_failed_later_counts_as_modified() -> None:
    class AssignsAndFails:
        @hookimpl(wrapper=True)
        def pre_tool_call(self, ctx: HookContext) -> Any:
            ctx.payload = {"assigned": True}
            yield
            raise ValueError("made up")

    manager, events = HookManager(), list[HookDispatchedEvent]()
    manager.subscribe(events.append)
    manager.register(AssignsAndFails())
    assert manager.dispatch("pre_tool_call", tool_call({})).payload == {"assigned": True}
    assert (events[0].outcome, events[0].error_count) == ("modified", 1)


def test_an_observer_that_edits_its_copy_modifies_nothing() -> None:
    class Edits:
        @hookimpl
        def message_sent(self, ctx: HookContext) -> None:
            ctx.payload.append("edited")

    manager, events = HookManager(track_mutations=True), list[HookDispatchedEvent]()
    manager.subscribe(events.append)
    manager.register(Edits())
    assert manager.dispatch("message_sent", MessageContext(payload=[])).payload == []
    assert (events[0].outcome, events[0].records[0].verdict) == ("proceeded", "allow")


def test_a_wrapper_that_fails_after_its_yield_is_closed_at_once() -> None:
    closed: list[str] = []

    class HasASecondYield:
        @hookimpl(wrapper=True)
        def pre_tool_call(self, ctx: HookContext) -> Any:
            try:
                yield
                yield
            finally:
                closed.append("closed")
                raise ValueError("too late to count")

    class Asks:
        @hookimpl
        def pre_tool_call(self, ctx: HookContext) -> None:
            closed.append("next hook")

    manager = HookManager()
    manager.register(HasASecondYield())
    manager.register(Asks())
    assert manager.dispatch("pre_tool_call", tool_call({"a": 1})).payload == {"a": 1}
    assert closed == ["next hook", "closed"]


def test_a_closed_manager_leaves_no_threads_behind_and_can_be_used_again() -> None:
    class Slow:
        @hookimpl(timeout=30)
        def pre_tool_call(self, ctx: HookContext) -> None:
            ctx.payload["thread"] = threading.current_thread()

    manager, before = HookManager(), set(threading.enumerate())
    manager.register(Slow())
    for _ in range(2):
        worker = manager.dispatch("pre_tool_call", tool_call({})).payload["thread"]
        manager.close()
        worker.join(timeout=10)
        assert set(threading.enumerate()) <= before


@pytest.mark.parametrize("listeners", [0, 1])
def test_a_watcher_that_assigns_and_answers_with_an_awaitable_has_failed(listeners: int) -> None:
    class AssignsAndWaits:
        @hookimpl(on_error="raise")
        def tool_finished(self, ctx: HookContext) -> Any:
            ctx.payload = "assigned"
            return asyncio.sleep(0)

    class Notes:
        @hookimpl
        def tool_finished(self, ctx: HookContext) -> None:
            others.append(ctx.payload)

    manager, others = HookManager(), list[Any]()
    manager.register(AssignsAndWaits())
    manager.register(Notes())
    for _ in range(listeners):
        manager.subscribe(lambda event: None)
    ctx = ToolCallContext(tool_name="t", payload={"a": 1})
    with pytest.raises(WrongResultError, match="observes and returns nothing"):
        manager.dispatch("tool_finished", ctx)
    with pytest.raises(WrongResultError, match="observes and returns nothing"):
        asyncio.run(manager.adispatch("tool_finished", ctx))
    assert others == [{"a": 1}] * 2
