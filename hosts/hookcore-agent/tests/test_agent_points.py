"""Every point fires, at its place, and every boundary that begins has one end."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from hookcore import HookAborted, HookManager, InterceptionPoint
from hookcore.testing import kept_runs
from hookcore_agent import Agent, ExternalEvent, ScriptedModel, ToolCall

pytestmark = pytest.mark.asyncio

Points = list[tuple[str, Any]]


def add(a: int, b: int) -> int:
    """Add two numbers."""
    return a + b


def adding_agent(manager: HookManager, **options: Any) -> Agent:
    turns = [[ToolCall("add", {"a": 1, "b": 2})], "three"]
    return Agent("adder", ScriptedModel(turns), [add], hooks=manager, **options)


def names(points: Points) -> list[str]:
    """Return the points without the events between extensions, which have a test of their own."""
    return [name for name, _ in points if name != "extension_event"]


MODEL_CALL = [
    "model_resolve",
    "prompt_build",
    "pre_model_call",
    "wrap_model_call",
    "model_input",
    "post_model_call",
    "model_output",
    "model_finished",
]


async def test_a_tool_turn_and_an_answer_turn_fire_all_points_in_order(
    manager: HookManager, points: Points
) -> None:
    await adding_agent(manager).run("1 + 2?")
    assert names(points) == [
        "setup_tools",
        "setup_state",
        "setup_message",
        "execution_start",
        "input",
        "pre_run",
        "pre_turn",
        *MODEL_CALL,
        "pre_tool_call",
        "wrap_tool_call",
        "post_tool_call",
        "tool_finished",
        "post_turn",
        "turn_finished",
        "pre_turn",
        *MODEL_CALL,
        "post_turn",
        "turn_finished",
        "post_run",
        "output",
        "execution_end",
        "run_finished",
    ]


async def test_every_point_of_an_agent_fires(manager: HookManager, points: Points) -> None:
    agent = adding_agent(manager)
    await agent.run("1 + 2?")
    agent.emit_external_event(ExternalEvent("ping"))
    elsewhere = {
        "gateway_start",
        "gateway_stop",
        "heartbeat_tick",
        "session_start",
        "session_end",
        "message_received",
        "message_sending",
        "message_sent",
        "pre_step",
        "post_step",
        "step_finished",
        "hook_dispatched",
    }
    assert {name for name, _ in points} == {str(point) for point in InterceptionPoint} - elsewhere


async def test_all_ends_say_ok_after_a_success(manager: HookManager, points: Points) -> None:
    await adding_agent(manager).run("1 + 2?")
    ends = [(name, status) for name, status in points if name.endswith("_finished")]
    assert {status for _, status in ends} == {"ok"}
    assert [name for name, _ in ends] == [
        "model_finished",
        "tool_finished",
        "turn_finished",
        "model_finished",
        "turn_finished",
        "run_finished",
    ]


async def test_a_failing_model_ends_each_boundary_once_as_an_error(
    manager: HookManager, points: Points
) -> None:
    agent = Agent("a", ScriptedModel([ConnectionError("gone")]), hooks=manager)
    with pytest.raises(ConnectionError):
        await agent.run("hi")
    ends = [(name, status) for name, status in points if name.endswith("_finished")]
    assert ends == [
        ("model_finished", "error"),
        ("turn_finished", "error"),
        ("run_finished", "error"),
    ]


async def test_a_refused_setup_begins_no_run(
    manager: HookManager, points: Points, policy: Any
) -> None:
    def refuse(ctx: Any) -> None:
        raise HookAborted("no tools today")

    policy("setup_tools", refuse)
    with pytest.raises(HookAborted, match="no tools today"):
        await adding_agent(manager).run("hi")
    assert names(points) == ["setup_tools"]


async def test_a_cancelled_request_ends_each_boundary_once_as_cancelled(
    manager: HookManager, points: Points
) -> None:
    entered = asyncio.Event()

    async def hang() -> None:
        """Wait for ever."""
        entered.set()
        await asyncio.Event().wait()

    agent = Agent("a", ScriptedModel([[ToolCall("hang")]]), [hang], hooks=manager)
    task = asyncio.ensure_future(agent.run("hi"))
    await entered.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    ends = [(name, status) for name, status in points if name.endswith("_finished")]
    assert ends == [
        ("model_finished", "ok"),
        ("tool_finished", "cancelled"),
        ("turn_finished", "cancelled"),
        ("run_finished", "cancelled"),
    ]
    assert agent.active_sessions == ()


async def test_contexts_carry_the_ids_of_the_run(manager: HookManager, policy: Any) -> None:
    seen: list[tuple[Any, ...]] = []

    def note(ctx: Any) -> None:
        seen.append((ctx.run_id, ctx.session_id, ctx.agent.name))

    for point in ("setup_tools", "pre_run", "pre_turn", "prompt_build", "pre_tool_call"):
        policy(point, note, name=point)
    result = await adding_agent(manager).run("1 + 2?", session="s1")
    assert set(seen) == {(result.run_id, "s1", "adder")}


async def test_what_a_plugin_keeps_at_setup_is_there_in_the_run_and_gone_after_it(
    manager: HookManager, policy: Any
) -> None:
    kept: list[Any] = []

    from hookcore import hookimpl

    def put(self: Any, ctx: Any) -> None:
        ctx.state["seen"] = True

    def get(self: Any, ctx: Any) -> None:
        kept.append(ctx.state.get("seen"))

    keeper = type(
        "Keeper",
        (),
        {"setup_tools": hookimpl(put), "execution_end": hookimpl(get)},
    )()
    manager.register(keeper)
    await adding_agent(manager).run("1 + 2?")
    assert kept == [True]
    assert kept_runs(manager) == 0


async def test_a_request_of_an_agent_without_hooks_needs_no_plugin(manager: HookManager) -> None:
    result = await adding_agent(manager).run("1 + 2?")
    assert result.output == "three"
