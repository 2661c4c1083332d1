"""Monitor mode: what a plugin would have done is recorded, and nothing of it is applied (rule 7)."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from hookcore import HookAborted, HookDispatchedEvent, HookManager, ToolCallContext

Add = Callable[..., str]
Call = Callable[..., ToolCallContext]
Events = list[HookDispatchedEvent]


@pytest.fixture
def monitored(add: Add) -> Add:
    """Return a way to register one function of a plugin in monitor mode."""

    def register(point: str, function: Callable[..., Any], **options: Any) -> str:
        return add(point, function, operator={"mode": "monitor"}, **options)

    return register


def edit(ctx: Any) -> None:
    ctx.payload["edited"] = True


def replace(ctx: Any) -> dict[str, Any]:
    return {"replaced": True}


def refuse(ctx: Any) -> None:
    raise HookAborted("no")


async def refuse_later(ctx: Any) -> None:
    await asyncio.sleep(0)
    raise HookAborted("no")


def rename(ctx: Any) -> None:
    ctx.tool_name = "other"
    ctx.attributes["x"] = 1


def around(ctx: Any) -> Iterator[None]:
    yield
    raise HookAborted("no")


def broken(ctx: Any) -> None:
    raise ZeroDivisionError


@pytest.mark.parametrize(
    ("function", "options", "verdict"),
    [
        (edit, {}, "modify"),
        (replace, {}, "modify"),
        (refuse, {}, "deny"),
        (refuse, {"gate": True}, "deny"),
        (refuse, {"timeout": 30}, "deny"),
        (refuse_later, {}, "deny"),
        (rename, {}, "allow"),
        (around, {"wrapper": True}, "deny"),
        (broken, {}, "error"),
        (broken, {"on_error": "deny"}, "error"),
        (broken, {"on_error": "raise"}, "error"),
        (broken, {"gate": True}, "error"),
        (lambda ctx: None, {}, "allow"),
        (lambda ctx: False, {}, "deny"),
    ],
)
def test_the_verdict_is_recorded_as_observed_and_nothing_is_applied(
    manager: HookManager,
    monitored: Add,
    call: Call,
    events: Events,
    *,
    function: Any,
    options: dict[str, Any],
    verdict: str,
) -> None:
    payload = {"path": "x"}
    monitored("pre_tool_call", function, **options)

    ctx = manager.dispatch("pre_tool_call", call(payload=payload))

    (event,) = events
    assert (payload, ctx.payload) == ({"path": "x"}, {"path": "x"})
    assert (ctx.tool_name, ctx.attributes) == ("read_file", {})
    assert [(record.verdict, record.effect) for record in event.records] == [(verdict, "observed")]
    assert event.outcome == "proceeded"


def test_the_chain_goes_on_with_the_real_payload(
    manager: HookManager, monitored: Add, add: Add, call: Call
) -> None:
    seen: list[Any] = []
    monitored("pre_tool_call", replace)
    add("pre_tool_call", lambda ctx: seen.append(ctx.payload))

    manager.dispatch("pre_tool_call", call(payload={"a": 1}))

    assert seen == [{"a": 1}]


def test_a_monitored_abort_hides_no_real_one(
    manager: HookManager, monitored: Add, add: Add, call: Call
) -> None:
    monitored("pre_tool_call", refuse)
    add("pre_tool_call", lambda ctx: False, name="real")

    with pytest.raises(HookAborted) as caught:
        manager.dispatch("pre_tool_call", call())
    assert caught.value.source == "real.<lambda>"


@pytest.mark.parametrize("options", [{}, {"gate": True}, {"wrapper": True}])
def test_a_payload_that_cannot_be_copied_is_not_denied_by_a_monitored_hook(
    manager: HookManager, monitored: Add, call: Call, events: Events, options: dict[str, Any]
) -> None:
    payload = {"lock": threading.Lock()}
    monitored("pre_tool_call", around if "wrapper" in options else refuse, **options)

    ctx = manager.dispatch("pre_tool_call", call(payload=payload))

    assert ctx.payload is payload
    assert [(record.verdict, record.effect) for record in events[0].records] == [
        ("error", "observed")
    ]


def test_a_monitored_gate_leaves_the_hosts_object_where_it_is(
    manager: HookManager, monitored: Add, call: Call
) -> None:
    payload = {"path": "x"}
    monitored("pre_tool_call", lambda ctx: None, gate=True)

    assert manager.dispatch("pre_tool_call", call(payload=payload)).payload is payload


def test_a_monitored_post_hook_turns_no_error_into_a_value(
    manager: HookManager, monitored: Add
) -> None:
    monitored("post_tool_call", lambda ctx: "all is well")

    with pytest.raises(ZeroDivisionError):
        manager.call_tool("x", {}, lambda arguments: 1 / 0)


def test_a_monitored_observer_is_recorded_as_observed(
    manager: HookManager, monitored: Add, call: Call, events: Events
) -> None:
    monitored("tool_finished", lambda ctx: None)

    manager.dispatch("tool_finished", call())

    assert [record.effect for record in events[0].records] == ["observed"]


def test_a_base_exception_of_a_monitored_hook_still_passes(
    manager: HookManager, monitored: Add, call: Call
) -> None:
    def interrupt(ctx: Any) -> None:
        raise KeyboardInterrupt

    monitored("pre_tool_call", interrupt)

    with pytest.raises(KeyboardInterrupt):
        manager.dispatch("pre_tool_call", call())


def test_plugins_and_hooks_tell_their_mode(manager: HookManager, monitored: Add) -> None:
    monitored("pre_tool_call", lambda ctx: None)

    assert manager.plugins()[0].mode == "monitor"
    assert manager.hooks("pre_tool_call")[0].mode == "monitor"
