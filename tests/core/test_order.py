"""The order of hooks, and the way of the payload through them (rule 2)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from hookcore import Abort, HookAborted, HookManager, ModelCallContext, Replace, ToolCallContext

Add = Callable[..., str]
Call = Callable[..., ToolCallContext]


@pytest.fixture
def ran(manager: HookManager) -> Callable[[], list[str]]:
    """Return a function that tells the plugins of the chain in order."""
    return lambda: [hook.plugin for hook in manager.hooks("pre_tool_call")]


def test_hooks_run_in_the_order_of_registration(manager: HookManager, add: Add, call: Call) -> None:
    seen: list[str] = []
    for name in "abc":
        add("pre_tool_call", _noting(seen, name), name=name)

    manager.dispatch("pre_tool_call", call())

    assert seen == ["a", "b", "c"]


def _noting(seen: list[str], name: str) -> Callable[[Any], None]:
    def hook(ctx: Any) -> None:
        seen.append(name)

    return hook


def test_a_lower_priority_runs_first(add: Add, ran: Callable[[], list[str]]) -> None:
    add("pre_tool_call", lambda ctx: None, name="late", priority=200)
    add("pre_tool_call", lambda ctx: None, name="default")
    add("pre_tool_call", lambda ctx: None, name="early", priority=1)

    assert ran() == ["early", "default", "late"]


def test_tryfirst_and_trylast_beat_priorities(add: Add, ran: Callable[[], list[str]]) -> None:
    add("pre_tool_call", lambda ctx: None, name="last", trylast=True, priority=1)
    add("pre_tool_call", lambda ctx: None, name="normal")
    add("pre_tool_call", lambda ctx: None, name="first", tryfirst=True, priority=900)

    assert ran() == ["first", "normal", "last"]


def test_the_operators_priority_beats_the_authors_and_makes_the_hook_normal(
    add: Add, ran: Callable[[], list[str]]
) -> None:
    add("pre_tool_call", lambda ctx: None, name="first", tryfirst=True)
    add("pre_tool_call", lambda ctx: None, name="normal")
    add(
        "pre_tool_call",
        lambda ctx: None,
        name="moved",
        tryfirst=True,
        priority=1,
        operator={"priority": 300},
    )

    assert ran() == ["first", "normal", "moved"]


def test_scoped_hooks_run_after_global_ones(
    manager: HookManager, add: Add, one_hook: Callable[..., Any], call: Call
) -> None:
    seen: list[str] = []
    add("pre_tool_call", _noting(seen, "global"), trylast=True)

    with manager.scope(one_hook("pre_tool_call", _noting(seen, "scoped"), tryfirst=True)):
        manager.dispatch("pre_tool_call", call())

    assert seen == ["global", "scoped"]


def test_gates_are_told_last_whatever_their_priority(
    add: Add, ran: Callable[[], list[str]]
) -> None:
    add("pre_tool_call", lambda ctx: None, name="gate", gate=True, tryfirst=True, priority=1)
    add("pre_tool_call", lambda ctx: None, name="hook", trylast=True)

    assert ran() == ["hook", "gate"]


def test_each_hook_sees_what_the_one_before_it_made_of_the_payload(
    manager: HookManager, add: Add, call: Call
) -> None:
    def rebind(ctx: Any) -> None:
        ctx.payload = {**ctx.payload, "two": 2}

    add("pre_tool_call", lambda ctx: {**ctx.payload, "one": 1})
    add("pre_tool_call", rebind)
    add("pre_tool_call", lambda ctx: ctx.payload.update(three=3))

    ctx = manager.dispatch("pre_tool_call", call(payload={}))

    assert ctx.payload == {"one": 1, "two": 2, "three": 3}


def test_nobody_runs_after_an_abort(manager: HookManager, add: Add, call: Call) -> None:
    seen: list[str] = []
    add("pre_tool_call", lambda ctx: Abort("no"), name="a")
    add("pre_tool_call", _noting(seen, "b"))

    with pytest.raises(HookAborted):
        manager.dispatch("pre_tool_call", call())

    assert seen == []


def test_a_returned_abort_is_a_raised_one(manager: HookManager, add: Add, call: Call) -> None:
    add("pre_tool_call", lambda ctx: Abort("why", source="who", message="what"))

    with pytest.raises(HookAborted) as caught:
        manager.dispatch("pre_tool_call", call())

    error = caught.value
    assert (error.reason, error.source, error.message) == ("why", "who", "what")


def test_an_abort_without_a_source_gets_plugin_and_hook(
    manager: HookManager, add: Add, call: Call
) -> None:
    def check(ctx: Any) -> None:
        raise HookAborted("no")

    add("pre_tool_call", check, name="guard")

    with pytest.raises(HookAborted) as caught:
        manager.dispatch("pre_tool_call", call())

    assert caught.value.source == "guard.check"


@pytest.mark.parametrize("point", ["pre_tool_call", "pre_model_call"])
def test_false_aborts_at_the_points_where_crewai_has_it(
    manager: HookManager, add: Add, point: str
) -> None:
    contexts = {
        "pre_tool_call": ToolCallContext(tool_name="x", payload={}),
        "pre_model_call": ModelCallContext(messages=[]),
    }
    add(point, lambda ctx: False, name="guard")

    with pytest.raises(HookAborted, match="returned False"):
        manager.dispatch(point, contexts[point])


def test_replace_makes_none_a_payload(manager: HookManager, add: Add, call: Call) -> None:
    add("post_tool_call", lambda ctx: Replace(None))

    assert manager.dispatch("post_tool_call", call(payload="x")).payload is None


def test_none_is_no_replacement(manager: HookManager, add: Add, call: Call) -> None:
    add("post_tool_call", lambda ctx: None)

    assert manager.dispatch("post_tool_call", call(payload="x")).payload == "x"


def test_a_replacement_is_written_into_the_hosts_own_message_list(
    manager: HookManager, add: Add
) -> None:
    messages: list[Any] = ["a"]
    add("pre_model_call", lambda ctx: [*ctx.payload, "b"])

    ctx = manager.dispatch("pre_model_call", ModelCallContext(messages=messages))

    assert messages == ["a", "b"]
    assert ctx.payload is messages


def test_assigning_messages_is_written_into_the_hosts_list_too(
    manager: HookManager, add: Add
) -> None:
    messages: list[Any] = ["a"]

    def trim(ctx: ModelCallContext) -> None:
        ctx.messages = []

    add("pre_model_call", trim)
    manager.dispatch("pre_model_call", ModelCallContext(messages=messages))

    assert messages == []
