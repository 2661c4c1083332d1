"""The rule that a policy names when it denies stands in the record of its hook."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from hookcore import Abort, HookAborted, HookDispatchedEvent, HookManager, ToolCallContext
from hookcore.events import event_from_json, event_to_json

Events = list[HookDispatchedEvent]
Add = Callable[..., str]
Call = Callable[..., ToolCallContext]


def refuse(ctx: Any) -> None:
    raise HookAborted("no", rule="no-rm")


async def refuse_later(ctx: Any) -> None:
    raise HookAborted("no", rule="no-rm")


def around(ctx: Any) -> Iterator[None]:
    yield
    raise HookAborted("no", rule="no-rm")


HOOKS = [
    (refuse, {}),
    (lambda ctx: Abort("no", rule="no-rm"), {}),
    (refuse, {"gate": True}),
    (refuse, {"timeout": 30}),
    (refuse_later, {}),
    (around, {"wrapper": True}),
]


def rules(events: Events) -> list[str | None]:
    return [record.rule for event in events for record in event.records]


@pytest.mark.parametrize("hook", HOOKS)
def test_a_denial_names_its_rule(
    manager: HookManager, add: Add, call: Call, events: Events, hook: Any
) -> None:
    add("pre_tool_call", hook[0], **hook[1])
    with pytest.raises(HookAborted):
        manager.dispatch("pre_tool_call", call())
    assert rules(events) == ["no-rm"]


@pytest.mark.parametrize("hook", HOOKS)
def test_an_async_host_is_told_it_too(
    manager: HookManager, add: Add, call: Call, events: Events, hook: Any
) -> None:
    add("pre_tool_call", hook[0], **hook[1])
    with pytest.raises(HookAborted):
        asyncio.run(manager.adispatch("pre_tool_call", call()))
    assert rules(events) == ["no-rm"]


@pytest.mark.parametrize("hook", HOOKS)
def test_in_monitor_mode_the_rule_is_named_as_well(
    manager: HookManager, add: Add, call: Call, events: Events, hook: Any
) -> None:
    add("pre_tool_call", hook[0], operator={"mode": "monitor"}, **hook[1])
    manager.dispatch("pre_tool_call", call())
    assert rules(events) == ["no-rm"]


def test_a_wrap_that_denies_names_its_rule(
    manager: HookManager, add: Add, call: Call, events: Events
) -> None:
    def wrap(ctx: Any, call_next: Any) -> Iterator[None]:
        raise HookAborted("no", rule="no-rm")
        yield

    add("wrap_tool_call", wrap)
    with pytest.raises(HookAborted):
        manager.wrap("wrap_tool_call", call(), lambda ctx: None)
    assert rules(events) == ["no-rm"]


def test_a_hook_that_lets_pass_names_no_rule(
    manager: HookManager, add: Add, call: Call, events: Events
) -> None:
    add("pre_tool_call", lambda ctx: None)
    manager.dispatch("pre_tool_call", call())
    assert rules(events) == [None]


def test_the_rule_goes_through_json(
    manager: HookManager, add: Add, call: Call, events: Events
) -> None:
    add("pre_tool_call", refuse)
    with pytest.raises(HookAborted):
        manager.dispatch("pre_tool_call", call())
    assert event_from_json(event_to_json(events[0])) == events[0]
    events[0].records[0].rule = "lone \ud800"
    assert r"lone \\ud800" in event_to_json(events[0])


@pytest.mark.parametrize("make", [HookAborted, Abort])
def test_a_rule_that_is_no_text_is_refused(make: Any) -> None:
    with pytest.raises(TypeError, match="rule is a name from settings"):
        make("no", rule=7)
