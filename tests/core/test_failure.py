"""A hook that fails: what its ``on_error`` makes of it, and what is told of it (rule 4)."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from typing import Any

import pytest

from hookcore import (
    Abort,
    ChannelMessage,
    HookAborted,
    HookContext,
    HookDispatchedEvent,
    HookManager,
    MessageContext,
    ModelCallContext,
    ModelChoice,
    Replace,
    RunContext,
    ToolCallContext,
)
from hookcore._options import OperatorOptions

Add = Callable[..., str]
Call = Callable[..., ToolCallContext]
Events = list[HookDispatchedEvent]


def broken(ctx: Any) -> None:
    raise ZeroDivisionError("the secret is 42")


async def broken_async(ctx: Any) -> None:
    await asyncio.sleep(0)
    raise ZeroDivisionError("the secret is 42")


class Signal(Exception):
    """A host's control flow."""


# The on_error table


@pytest.mark.parametrize("function", [broken, broken_async])
def test_under_allow_the_chain_goes_on(
    manager: HookManager, add: Add, call: Call, function: Any
) -> None:
    add("pre_tool_call", function)
    add("pre_tool_call", lambda ctx: {"seen": True})

    assert manager.dispatch("pre_tool_call", call()).payload == {"seen": True}


@pytest.mark.parametrize("function", [broken, broken_async])
def test_under_deny_the_dispatch_aborts_with_the_plugin_as_source(
    manager: HookManager, add: Add, call: Call, function: Any
) -> None:
    add("pre_tool_call", function, name="guard", on_error="deny")

    with pytest.raises(HookAborted) as caught:
        manager.dispatch("pre_tool_call", call())

    assert caught.value.source == "guard"
    assert isinstance(caught.value.__cause__, ZeroDivisionError)
    assert "secret" not in caught.value.reason


@pytest.mark.parametrize("function", [broken, broken_async])
def test_under_raise_the_exception_reaches_the_host(
    manager: HookManager, add: Add, call: Call, function: Any
) -> None:
    add("pre_tool_call", function, on_error="raise")

    with pytest.raises(ZeroDivisionError):
        manager.dispatch("pre_tool_call", call())


def test_a_gate_denies_by_default(manager: HookManager, add: Add, call: Call) -> None:
    add("pre_tool_call", broken, gate=True, name="gate")

    with pytest.raises(HookAborted) as caught:
        manager.dispatch("pre_tool_call", call())
    assert caught.value.source == "gate"


def test_a_gate_allows_where_its_author_says_so(
    manager: HookManager, add: Add, call: Call
) -> None:
    add("pre_tool_call", broken, gate=True, on_error="allow")

    assert manager.dispatch("pre_tool_call", call()).payload == {"path": "notes.txt"}


def test_a_required_plugin_denies_whatever_its_author_says(
    manager: HookManager, add: Add, call: Call
) -> None:
    operator = OperatorOptions(required=True, on_error="allow")
    add("pre_tool_call", broken, on_error="allow", operator=operator)

    with pytest.raises(HookAborted):
        manager.dispatch("pre_tool_call", call())


@pytest.mark.parametrize("on_error", ["allow", "deny"])
def test_an_observer_that_fails_stops_nothing(
    manager: HookManager, add: Add, call: Call, on_error: str
) -> None:
    told: list[int] = []
    add("tool_finished", broken, on_error=on_error)
    add("tool_finished", lambda ctx: told.append(1))

    manager.dispatch("tool_finished", call())

    assert told == [1]


def test_under_raise_an_observers_exception_comes_after_all_have_been_told(
    manager: HookManager, add: Add, call: Call
) -> None:
    told: list[int] = []
    add("tool_finished", broken, on_error="raise")
    add("tool_finished", lambda ctx: told.append(1))

    with pytest.raises(ZeroDivisionError):
        manager.dispatch("tool_finished", call())
    assert told == [1]


@pytest.mark.parametrize("on_error", ["allow", "deny", "raise"])
@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit, asyncio.CancelledError])
def test_a_base_exception_is_never_swallowed(
    manager: HookManager, add: Add, call: Call, on_error: str, error: type[BaseException]
) -> None:
    def hook(ctx: Any) -> None:
        raise error

    add("pre_tool_call", hook, on_error=on_error)

    with pytest.raises(error):
        manager.dispatch("pre_tool_call", call())


def test_a_base_exception_in_an_async_hook_of_a_sync_host_is_never_swallowed(
    manager: HookManager, add: Add, call: Call
) -> None:
    async def hook(ctx: Any) -> None:
        raise KeyboardInterrupt

    add("pre_tool_call", hook)

    with pytest.raises(KeyboardInterrupt):
        manager.dispatch("pre_tool_call", call())


@pytest.mark.parametrize("on_error", ["allow", "deny"])
@pytest.mark.parametrize("point", ["pre_tool_call", "tool_finished"])
def test_the_hosts_control_flow_is_never_swallowed(
    one_hook: Callable[..., Any], call: Call, on_error: str, point: str
) -> None:
    def hook(ctx: Any) -> None:
        raise Signal

    manager = HookManager(control_flow=[Signal])
    manager.register(one_hook(point, hook, on_error=on_error))

    with pytest.raises(Signal):
        manager.dispatch(point, call())


def test_an_abort_by_an_observer_stops_nothing(manager: HookManager, add: Add, call: Call) -> None:
    add("tool_finished", lambda ctx: Abort("no"), on_error="deny")

    assert manager.dispatch("tool_finished", call()).payload == {"path": "notes.txt"}


# Wrong answers


@pytest.mark.parametrize(
    "answer", ["deny", "allow", True, 0, [], Replace("deny"), Replace(None), HookAborted, Abort]
)
def test_a_wrong_answer_at_a_tool_call_is_a_failure(
    manager: HookManager, add: Add, call: Call, answer: Any
) -> None:
    add("pre_tool_call", lambda ctx: answer, on_error="deny")

    with pytest.raises(HookAborted, match="WrongResultError"):
        manager.dispatch("pre_tool_call", call())


@pytest.mark.parametrize("answer", [HookAborted("no"), HookAborted, Abort, Replace])
def test_a_near_miss_of_an_abort_is_a_failure_where_any_payload_may_be(
    manager: HookManager, add: Add, call: Call, answer: Any
) -> None:
    add("post_tool_call", lambda ctx: answer, on_error="deny")

    with pytest.raises(HookAborted, match="WrongResultError"):
        manager.dispatch("post_tool_call", call(payload="result"))


@pytest.mark.parametrize("answer", [Abort("no"), Replace("x")])
def test_an_answer_that_is_assigned_instead_of_returned_is_a_failure(
    manager: HookManager, add: Add, call: Call, answer: Any
) -> None:
    def hook(ctx: Any) -> None:
        ctx.payload = answer

    add("post_tool_call", hook, on_error="deny")

    with pytest.raises(HookAborted, match="WrongResultError"):
        manager.dispatch("post_tool_call", call(payload="result"))


@pytest.mark.parametrize(
    ("point", "ctx", "answer"),
    [
        ("pre_model_call", ModelCallContext(messages=[]), {}),
        ("model_resolve", ModelCallContext(payload=ModelChoice("a", "b")), "b"),
        ("prompt_build", ModelCallContext(payload="text"), ["text"]),
        ("execution_start", RunContext(payload={}), None.__class__),
        (
            "message_sending",
            MessageContext(
                payload=ChannelMessage(channel="c", sender="s", recipient="r", content="x")
            ),
            "x",
        ),
    ],
)
def test_each_point_has_its_right_type(
    manager: HookManager, add: Add, point: str, ctx: HookContext, answer: Any
) -> None:
    add(point, lambda ctx: answer, on_error="deny")

    with pytest.raises(HookAborted, match="WrongResultError"):
        manager.dispatch(point, ctx)


def test_a_wrong_answer_under_allow_changes_nothing(
    manager: HookManager, add: Add, call: Call
) -> None:
    add("pre_tool_call", lambda ctx: "deny")

    assert manager.dispatch("pre_tool_call", call()).payload == {"path": "notes.txt"}


def test_an_observer_that_returns_something_has_failed(
    manager: HookManager, add: Add, call: Call, events: Events
) -> None:
    add("tool_finished", lambda ctx: "no")

    manager.dispatch("tool_finished", call())

    assert [record.verdict for record in events[0].records] == ["error"]


def test_a_payload_that_a_failing_hook_bound_is_discarded(
    manager: HookManager, add: Add, call: Call
) -> None:
    def hook(ctx: Any) -> None:
        ctx.payload = {"new": 1}
        raise ZeroDivisionError

    add("pre_tool_call", hook)

    assert manager.dispatch("pre_tool_call", call()).payload == {"path": "notes.txt"}


def test_what_a_failing_hook_edited_in_place_stays(
    manager: HookManager, add: Add, call: Call
) -> None:
    def hook(ctx: Any) -> None:
        ctx.payload["edited"] = True
        raise ZeroDivisionError

    add("pre_tool_call", hook)

    assert manager.dispatch("pre_tool_call", call(payload={})).payload == {"edited": True}


# What is told


@pytest.mark.parametrize(
    ("on_error", "effect", "outcome"),
    [("allow", "ignored", "proceeded"), ("deny", "applied", "aborted")],
)
def test_a_failure_is_recorded(
    manager: HookManager, add: Add, call: Call, events: Events, on_error: str, effect: str, outcome: str
) -> None:
    add("pre_tool_call", broken, name="p", on_error=on_error)

    try:
        manager.dispatch("pre_tool_call", call())
    except HookAborted:
        pass

    (event,) = events
    (record,) = event.records
    assert (record.plugin, record.hook) == ("p", "broken")
    assert (record.verdict, record.effect) == ("error", effect)
    assert (event.outcome, event.error_count, event.hook_count) == (outcome, 1, 1)


@pytest.mark.parametrize("function", [broken, broken_async])
def test_a_record_has_the_exceptions_class_and_place_and_not_its_text(
    manager: HookManager, add: Add, call: Call, events: Events, function: Any
) -> None:
    add("pre_tool_call", function)

    manager.dispatch("pre_tool_call", call())

    error = events[0].records[0].error
    assert error is not None
    assert error.startswith("ZeroDivisionError at ")
    assert "test_failure:" in error
    assert "secret" not in error


def test_a_failure_is_logged_with_plugin_distribution_and_version(
    manager: HookManager,
    one_hook: Callable[..., Any],
    call: Call,
    caplog: pytest.LogCaptureFixture,
) -> None:
    manager._add(
        one_hook("pre_tool_call", broken), "guard", distribution="acme-guard", version="1.2"
    )

    with caplog.at_level(logging.WARNING, "hookcore"):
        manager.dispatch("pre_tool_call", call())

    (record,) = caplog.records
    text = record.getMessage()
    assert "plugin guard (acme-guard 1.2): hook broken at pre_tool_call failed" in text
    assert "ZeroDivisionError" in text


@pytest.mark.parametrize("on_error", ["allow", "deny"])
def test_the_log_never_has_the_exceptions_text(
    manager: HookManager,
    add: Add,
    call: Call,
    caplog: pytest.LogCaptureFixture,
    on_error: str,
) -> None:
    add("pre_tool_call", broken, on_error=on_error)

    try:
        manager.dispatch("pre_tool_call", call())
    except HookAborted:
        pass

    assert len(caplog.records) == 1
    assert "secret" not in caplog.text


def test_an_abort_is_not_logged_as_a_failure(
    manager: HookManager, add: Add, call: Call, caplog: pytest.LogCaptureFixture
) -> None:
    add("pre_tool_call", lambda ctx: False)

    with pytest.raises(HookAborted):
        manager.dispatch("pre_tool_call", call())
    assert caplog.records == []


def test_a_failing_hook_hides_no_later_abort(manager: HookManager, add: Add, call: Call) -> None:
    add("pre_tool_call", broken)
    add("pre_tool_call", lambda ctx: False, name="guard")

    with pytest.raises(HookAborted, match="guard"):
        manager.dispatch("pre_tool_call", call())
