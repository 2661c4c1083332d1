"""Observe hooks are told, and can change and stop nothing (rule 6)."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from typing import Any

import pytest

from hookcore import HookDispatchedEvent, HookManager, ToolCallContext

from ..waiting import settle

Add = Callable[..., str]
Call = Callable[..., ToolCallContext]


class Counted:
    """A payload that counts its copies."""

    def __init__(self, copies: list[int]) -> None:
        self.copies = copies

    def __deepcopy__(self, memo: Any) -> Counted:
        self.copies.append(1)
        return Counted(self.copies)


def test_an_edit_by_an_observer_does_not_reach_the_host(
    manager: HookManager, add: Add, call: Call
) -> None:
    payload: dict[str, Any] = {"nested": {}}
    add("tool_finished", lambda ctx: ctx.payload["nested"].update(edited=True))

    ctx = manager.dispatch("tool_finished", call(payload=payload))

    assert payload == {"nested": {}}
    assert ctx.payload is payload


def test_fields_that_an_observer_sets_do_not_reach_the_host(
    manager: HookManager, add: Add, call: Call
) -> None:
    def meddle(ctx: Any) -> None:
        ctx.tool_name = "other"
        ctx.status = "ok"
        ctx.attributes["x"] = 1

    add("tool_finished", meddle)
    ctx = manager.dispatch("tool_finished", call(status="denied"))

    assert (ctx.tool_name, ctx.status, ctx.attributes) == ("read_file", "denied", {})


def test_a_payload_that_an_observer_binds_is_discarded(
    manager: HookManager, add: Add, call: Call
) -> None:
    seen: list[Any] = []

    def bind(ctx: Any) -> None:
        ctx.payload = "other"

    add("tool_finished", bind)
    add("tool_finished", lambda ctx: seen.append(ctx.payload))
    ctx = manager.dispatch("tool_finished", call(payload="result"))

    assert (ctx.payload, seen) == ("result", ["result"])


def test_the_copy_is_made_once_for_all_observers(
    manager: HookManager, add: Add, call: Call
) -> None:
    copies: list[int] = []
    seen: list[Any] = []
    for _ in range(3):
        add("tool_finished", lambda ctx: seen.append(ctx.payload))

    manager.dispatch("tool_finished", call(payload=Counted(copies)))

    assert copies == [1]
    assert seen[0] is seen[1] is seen[2]


def test_without_observers_nothing_is_copied(manager: HookManager, call: Call) -> None:
    copies: list[int] = []

    manager.dispatch("tool_finished", call(payload=Counted(copies)))

    assert copies == []


def test_observers_see_the_original_where_it_cannot_be_copied(
    manager: HookManager, add: Add, call: Call
) -> None:
    seen: list[Any] = []
    lock = threading.Lock()
    add("tool_finished", lambda ctx: seen.append(ctx.payload))

    manager.dispatch("tool_finished", call(payload=lock))

    assert seen == [lock]


def test_observers_run_in_order_also_when_async(manager: HookManager, add: Add, call: Call) -> None:
    order: list[str] = []

    async def slow(ctx: Any) -> None:
        await settle()
        order.append("slow")

    add("tool_finished", lambda ctx: order.append("late"), priority=900)
    add("tool_finished", slow)
    asyncio.run(manager.adispatch("tool_finished", call()))
    manager.dispatch("tool_finished", call())

    assert order == ["slow", "late"] * 2


def test_an_observer_is_never_counted_as_a_change(
    manager: HookManager, add: Add, call: Call, events: list[HookDispatchedEvent]
) -> None:
    manager.tracks_mutations = True
    add("tool_finished", lambda ctx: ctx.payload.update(edited=True))

    manager.dispatch("tool_finished", call())

    (event,) = events
    assert event.outcome == "proceeded"


def test_each_observe_point_tells_its_name(manager: HookManager, add: Add, call: Call) -> None:
    seen: list[Any] = []
    add("tool_finished", lambda ctx: seen.append(ctx.point))

    manager.dispatch("tool_finished", call())

    assert seen == ["tool_finished"]


@pytest.mark.parametrize("error", [ZeroDivisionError, RecursionError, AssertionError])
def test_siblings_of_a_failing_observer_are_told(
    manager: HookManager, add: Add, call: Call, error: type[Exception]
) -> None:
    told: list[int] = []

    async def broken(ctx: Any) -> None:
        raise error

    add("tool_finished", broken)
    add("tool_finished", lambda ctx: told.append(1))
    manager.dispatch("tool_finished", call())

    assert told == [1]
