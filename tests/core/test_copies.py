"""The depth of the copies that gates and watching plugins are given."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import pytest

from hookcore import HookManager, ToolCallContext
from hookcore.testing import HandClock

Add = Callable[..., str]
Call = Callable[..., ToolCallContext]
DEPTHS = [1, 2, 3, 10, 99, 100, 101, 102, 150]


def nested(depth: int) -> dict[str, Any]:
    """Return dicts and lists in one another, with a list of one word in the innermost."""
    value: Any = ["as it was"]
    for number in range(depth):
        value = {"inside": value} if number % 2 else [value, number]
    return {"inside": value}


def leaf_of(value: Any) -> list[str]:
    while not isinstance(value[0 if isinstance(value, list) else "inside"], str):
        value = value[0 if isinstance(value, list) else "inside"]
    found: list[str] = value
    return found


def scribble(ctx: Any) -> None:
    leaf_of(ctx.payload).append("scribbled")


@pytest.mark.parametrize("depth", DEPTHS)
def test_what_a_gate_does_to_its_copy_has_no_effect_however_deep(
    manager: HookManager, add: Add, depth: int
) -> None:
    add("pre_tool_call", scribble, gate=True)
    got = manager.call_tool("t", nested(depth), lambda arguments: arguments)
    assert leaf_of(got) == ["as it was"]


@pytest.mark.parametrize("depth", DEPTHS)
def test_what_a_monitored_hook_does_to_its_copy_has_no_effect_however_deep(
    manager: HookManager, add: Add, call: Call, depth: int
) -> None:
    add("pre_tool_call", scribble, operator={"mode": "monitor"})
    ctx = manager.dispatch("pre_tool_call", call(payload=nested(depth)))
    assert leaf_of(ctx.payload) == ["as it was"]


@pytest.mark.parametrize("depth", DEPTHS)
def test_a_gate_sees_all_of_a_payload_however_deep(
    manager: HookManager, add: Add, depth: int
) -> None:
    seen: list[Any] = []
    add("pre_tool_call", lambda ctx: seen.append(ctx.payload), gate=True)
    manager.call_tool("t", nested(depth), lambda arguments: None)
    assert seen == [nested(depth)]


def test_a_payload_that_holds_itself_is_judged_and_goes_on(manager: HookManager, add: Add) -> None:
    def look(ctx: Any) -> None:
        assert ctx.payload["self"]["self"] is ctx.payload["self"]
        ctx.payload["seen"] = True

    payload: dict[str, Any] = {}
    payload["self"] = payload
    add("pre_tool_call", look, gate=True)
    got = manager.call_tool("t", payload, lambda arguments: arguments)
    assert got["self"]["self"] is got["self"]
    assert "seen" not in got["self"]


@pytest.mark.parametrize(
    "options", [{"gate": True}, {"operator": {"mode": "monitor"}}], ids=["gate", "monitored"]
)
def test_who_judges_or_watches_changes_none_of_the_hosts_attributes(
    manager: HookManager, add: Add, call: Call, options: dict[str, Any]
) -> None:
    def change(ctx: Any) -> None:
        assert ctx.attributes == {"tenant": "acme", "crew": "blue"}
        ctx.attributes["tenant"] = "another"
        del ctx.attributes["crew"]
        ctx.attributes["new"] = 1

    add("pre_tool_call", change, **options)
    ctx = call(attributes={"tenant": "acme", "crew": "blue"})
    manager.dispatch("pre_tool_call", ctx)
    assert ctx.attributes == {"tenant": "acme", "crew": "blue"}


def test_a_hook_that_outran_its_timeout_changes_none_of_the_hosts_attributes(
    manager: HookManager, add: Add, call: Call, clock: HandClock, release: threading.Event
) -> None:
    def change(ctx: Any) -> None:
        ctx.attributes["tenant"] = "another"
        clock.advance(60)
        release.wait(60)

    add("pre_tool_call", change, timeout=0.01)
    ctx = call(attributes={"tenant": "acme"})
    manager.dispatch("pre_tool_call", ctx)
    assert ctx.attributes == {"tenant": "acme"}


def test_a_hook_that_answers_in_time_changes_the_hosts_attributes(
    manager: HookManager, add: Add, call: Call
) -> None:
    def change(ctx: Any) -> None:
        ctx.attributes["tenant"] = "another"

    add("pre_tool_call", change, timeout=60)
    ctx = call(attributes={"tenant": "acme"})
    manager.dispatch("pre_tool_call", ctx)
    assert ctx.attributes == {"tenant": "another"}
