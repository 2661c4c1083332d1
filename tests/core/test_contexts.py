"""The contexts: what they hold, and the two meanings of a call's payload."""

from __future__ import annotations

import gc
import weakref
from typing import Any

import pytest

from hookcore import (
    EventContext,
    GatewayContext,
    HookContext,
    HookManager,
    MessageContext,
    ModelCallContext,
    RunContext,
    SessionContext,
    SetupContext,
    StepContext,
    ToolCallContext,
    TurnContext,
)
from hookcore.dispatch.contexts import clone, fields_of

CONTEXTS: list[type[HookContext]] = [
    EventContext,
    GatewayContext,
    HookContext,
    MessageContext,
    ModelCallContext,
    RunContext,
    SessionContext,
    SetupContext,
    StepContext,
    ToolCallContext,
    TurnContext,
]


@pytest.mark.parametrize("context", CONTEXTS)
def test_every_context_takes_the_common_fields_by_keyword(context: type[HookContext]) -> None:
    given = {
        "payload": {"a": 1},
        "agent": "ops",
        "run_id": "r",
        "parent_run_id": "p",
        "session_id": "s",
        "call_id": "c",
        "attributes": {"crew": "x"},
        "dry_run": True,
    }

    ctx = context(**given)  # type: ignore[arg-type]

    assert {name: getattr(ctx, name) for name in given} == given


@pytest.mark.parametrize("context", CONTEXTS)
def test_every_context_is_slotted(context: type[HookContext]) -> None:
    with pytest.raises(AttributeError):
        context().misspelt = 1  # type: ignore[attr-defined]


@pytest.mark.parametrize("context", CONTEXTS)
def test_no_context_takes_positional_arguments(context: Any) -> None:
    with pytest.raises(TypeError):
        context({"a": 1})


def test_contexts_can_be_weakly_referenced() -> None:
    ctx = HookContext()
    reference = weakref.ref(ctx)

    del ctx
    gc.collect()

    assert reference() is None


def test_each_context_has_its_own_attributes() -> None:
    HookContext().attributes["x"] = 1

    assert HookContext().attributes == {}


def test_before_a_tool_call_the_input_is_the_payload() -> None:
    ctx = ToolCallContext(tool_name="x", payload={"a": 1})

    ctx.tool_input = {"a": 2}

    assert ctx.payload == {"a": 2}


def test_tool_input_may_be_given_instead_of_the_payload() -> None:
    assert ToolCallContext(tool_name="x", tool_input={"a": 1}).payload == {"a": 1}


def test_before_a_tool_call_there_is_no_result() -> None:
    assert ToolCallContext(tool_name="x", payload={}).tool_result is None


def test_before_a_tool_call_a_result_cannot_be_set() -> None:
    ctx = ToolCallContext(tool_name="x", payload={}, point="pre_tool_call")

    with pytest.raises(AttributeError, match="no tool_result to replace before the call"):
        ctx.tool_result = "x"


def test_after_a_tool_call_the_result_is_the_payload_and_the_input_stays_readable() -> None:
    ctx = ToolCallContext(tool_name="x", payload={"a": 1})

    ctx.settle("done")

    assert (ctx.payload, ctx.tool_result, ctx.tool_input) == ("done", "done", {"a": 1})


def test_after_a_tool_call_assigning_the_result_replaces_the_payload() -> None:
    ctx = ToolCallContext(tool_name="x", tool_input={}, tool_result="done")

    ctx.tool_result = "redacted"

    assert ctx.payload == "redacted"


def test_a_host_may_dispatch_a_post_point_with_the_result_as_payload(manager: HookManager) -> None:
    ctx = ToolCallContext(tool_name="x", tool_input={"a": 1}, payload="done")
    ctx.point = "post_tool_call"

    assert (ctx.tool_result, ctx.tool_input) == ("done", {"a": 1})


def test_settling_twice_keeps_the_first_input() -> None:
    ctx = ToolCallContext(tool_name="x", payload={"a": 1})

    ctx.settle("one")
    ctx.settle("two")

    assert (ctx.tool_input, ctx.payload) == ({"a": 1}, "two")


def test_a_model_calls_messages_are_the_hosts_own_list() -> None:
    messages: list[Any] = []

    ctx = ModelCallContext(messages=messages)

    assert ctx.payload is messages


def test_after_a_model_call_the_response_is_the_payload() -> None:
    ctx = ModelCallContext(messages=["hi"])

    ctx.settle("hello")

    assert (ctx.response, ctx.messages) == ("hello", ["hi"])


def test_boundary_contexts_say_how_they_ended() -> None:
    error = ValueError("x")

    ctx = RunContext(status="failed", error=error, entered=True)

    assert (ctx.status, ctx.error, ctx.entered) == ("failed", error, True)


def test_a_step_knows_its_kind_and_name() -> None:
    ctx = StepContext(kind="task", step_name="research")

    assert (ctx.kind, ctx.step_name) == ("task", "research")


def test_a_representation_shows_no_payload() -> None:
    assert "secret" not in repr(ToolCallContext(tool_name="x", payload={"key": "secret"}))


def test_a_clone_has_all_fields_and_its_own_attributes() -> None:
    ctx = ToolCallContext(tool_name="x", payload={"a": 1}, agent="ops", attributes={"crew": "c"})

    twin = clone(ctx, {"a": 2})
    twin.attributes["crew"] = "other"

    same = [name for name in fields_of(type(ctx)) if name not in ("payload", "attributes")]
    assert all(getattr(twin, name) == getattr(ctx, name) for name in same)
    assert (ctx.attributes, twin.payload) == ({"crew": "c"}, {"a": 2})


def test_a_hosts_own_context_is_cloned_with_its_own_fields() -> None:
    class DeployContext(HookContext):
        def __init__(self, *, target: str, **common: Any) -> None:
            super().__init__(**common)
            self.target = target

    twin = clone(DeployContext(target="prod", payload=1), 2)

    assert (type(twin), twin.target, twin.payload) == (DeployContext, "prod", 2)
