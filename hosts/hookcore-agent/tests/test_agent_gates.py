"""Gates everywhere, telemetry, nesting: what the runtime hands to the dispatcher stands copying."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from hookcore import HookDispatchedEvent, HookManager, InterceptionPoint, Kind, hookimpl
from hookcore_agent import Agent, ModelResponse, ScriptedModel, ToolCall
from hookcore_agent.lifecycle import Extension

pytestmark = pytest.mark.asyncio


def add(a: int, b: int) -> int:
    """Add two numbers."""
    return a + b


def adding(manager: HookManager, *extensions: Any, **options: Any) -> Agent:
    first = ModelResponse("", [ToolCall("add", {"a": 1, "b": 2}, "c1"), ToolCall("add", "{", "c2")])
    return Agent("adder", ScriptedModel([first, "three"]), [add], extensions, manager, **options)


class Everything(Extension):
    """Changes what it can."""

    async def on_tool(self, context: Any) -> None:
        context.register_server_tool("search")

    async def on_message(self, context: Any) -> None:
        context.input_message.content += "!"

    async def before_turn(self, context: Any) -> None:
        context.state.add_message({"role": "system", "content": "hint"})
        context.persist()

    async def before_tool(self, context: Any, call: Any) -> None:
        call.arguments["a"] = 10

    async def after_tool(self, context: Any, call: Any, result: Any, error: Any) -> None:
        result.content = f"<{result.content}>"


def gates(manager: HookManager) -> list[str]:
    judged: list[str] = []
    hooks: dict[str, Any] = {}
    for point in InterceptionPoint:
        if manager.points[point].kind is not Kind.INTERCEPT:
            continue

        gate = _noting(judged, str(point))
        hooks[str(point)] = staticmethod(hookimpl(specname=str(point), gate=True)(gate))
    manager.register(type("Gates", (), hooks)(), name="gates")
    return judged


def _noting(judged: list[str], point: str) -> Any:
    def hook(ctx: Any) -> None:
        judged.append(point)

    return hook


async def test_gates_at_every_point_change_nothing(manager: HookManager) -> None:
    plain = await adding(manager, Everything()).run("hi")
    judged = gates(manager)
    agent = adding(manager, Everything())
    gated = await agent.run("hi", "s")
    assert gated.messages == plain.messages
    assert [type(message) for message in gated.messages] == [
        type(message) for message in plain.messages
    ]
    assert agent.session("s").messages == plain.messages
    assert {"setup_tools", "setup_state", "pre_turn", "post_turn", "output"} <= set(judged)


async def test_gates_see_the_tools_input_as_an_extension_left_it(manager: HookManager) -> None:
    seen: list[Any] = []

    class Look:
        @hookimpl(gate=True)
        def pre_tool_call(self, ctx: Any) -> None:
            seen.append(ctx.tool_input)

    manager.register(Look())
    result = await adding(manager, Everything()).run("hi")
    assert seen == [{"a": 10, "b": 2}]
    assert "<12>" in [message.content for message in result.messages]


async def test_events_name_extensions_as_the_plugins_that_they_are(manager: HookManager) -> None:
    events: list[HookDispatchedEvent] = []
    manager.subscribe(events.append)
    await adding(manager, Everything(name="mine")).run("hi", "s")
    at = {event.interception_point: event for event in events}
    record = at["pre_tool_call"].records[0]
    assert (record.plugin, record.hook) == ("mine", "before_tool")
    assert (at["pre_tool_call"].session_id, at["pre_tool_call"].tool) == ("s", "add")
    assert {event.agent for event in events} == {"adder"}


async def test_edits_are_tracked_where_the_manager_tracks_them(manager: HookManager) -> None:
    manager.tracks_mutations = True
    outcomes: dict[str, str] = {}

    def note(event: HookDispatchedEvent) -> None:
        outcomes[event.interception_point] = event.outcome

    manager.subscribe(note)
    await adding(manager, Everything()).run("hi")
    assert outcomes["pre_tool_call"] == "modified"
    assert outcomes["pre_turn"] == "modified"
    assert outcomes["setup_message"] == "modified"


async def test_a_cancelled_parent_ends_its_sub_agents_each_boundary_once(
    manager: HookManager, points: list[tuple[str, Any]]
) -> None:
    running = asyncio.Semaphore(0)

    async def hang() -> None:
        """Hang."""
        running.release()
        await asyncio.Event().wait()

    child = Agent("child", ScriptedModel(lambda _: [ToolCall("hang")]), [hang])
    calls = [ToolCall("child", {"text": str(n)}) for n in range(2)]
    parent = Agent("parent", ScriptedModel([calls]), [child], hooks=manager)
    task = asyncio.ensure_future(parent.run("go"))
    for _ in range(2):
        await running.acquire()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    ends = [(name, status) for name, status in points if name.endswith("_finished")]
    cancelled = [name for name, status in ends if status == "cancelled"]
    assert sorted(cancelled) == sorted(
        [*["tool_finished"] * 4, *["turn_finished"] * 3, *["run_finished"] * 3]
    )
    assert (parent.active_sessions, child.active_sessions) == ((), ())


async def test_a_hook_that_asks_an_agent_is_not_entered_by_that(manager: HookManager) -> None:
    asked: list[str] = []
    helper = Agent("helper", ScriptedModel(lambda _: "yes"), hooks=manager)

    class Judge:
        @hookimpl(gate=True)
        async def setup_message(self, ctx: Any) -> None:
            asked.append((await helper.run(f"may I: {ctx.payload}?")).output)

    manager.register(Judge())
    result = await Agent("a", ScriptedModel(["hello"]), hooks=manager).run("hi")
    assert (result.output, asked) == ("hello", ["yes"])
