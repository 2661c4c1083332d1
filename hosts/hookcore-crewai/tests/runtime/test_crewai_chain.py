"""Policies, ``@on`` hooks and legacy hooks are one chain in crews, flows and agents."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from crewai.flow.flow import Flow, listen, start
from crewai.hooks import InterceptionPoint, before_tool_call, on

from hookcore import HookManager, hookimpl

from .office import native, react

POINTS = [str(point.value) for point in InterceptionPoint]


class Watch:
    """A policy with a hook at all ten points."""

    def __init__(self) -> None:
        self.seen: list[tuple[str, Any]] = []

    def points(self) -> list[str]:
        return [point for point, _ in self.seen]

    def contexts(self, point: str) -> list[Any]:
        return [ctx for name, ctx in self.seen if name == point]


def _hook(point: str) -> Any:
    def hook(self: Watch, ctx: Any) -> None:
        self.seen.append((point, ctx))

    hook.__name__ = point
    return hookimpl(hook)


for _point in POINTS:
    setattr(Watch, _point, _hook(_point))


@pytest.fixture
def watch(manager: HookManager) -> Watch:
    policy = Watch()
    manager.register(policy)
    return policy


class Steps(Flow[Any]):
    @start()
    def first(self) -> str:
        return "a"

    @listen(first)
    def second(self, value: str) -> str:
        return value + "b"


CALL = ["pre_model_call", "post_model_call", "pre_tool_call", "post_tool_call"]
WHOLE = [
    "execution_start",
    "input",
    "pre_step",
    *CALL,
    "pre_model_call",
    "post_model_call",
    "post_step",
    "output",
    "execution_end",
]


def test_a_crew_dispatches_all_ten_points(office: Any, watch: Watch) -> None:
    assert office.crew(react("delete_file", path="x")).kickoff().raw == "done"
    assert watch.points() == WHOLE


def test_a_crew_dispatches_them_when_it_is_async(office: Any, watch: Watch) -> None:
    crew = office.crew(react("delete_file", path="x"))
    assert asyncio.run(crew.akickoff()).raw == "done"
    assert watch.points() == WHOLE


def test_a_crew_dispatches_them_in_another_thread(office: Any, watch: Watch) -> None:
    crew = office.crew(react("delete_file", path="x"))
    assert asyncio.run(crew.kickoff_async()).raw == "done"
    assert watch.points() == WHOLE


def test_native_tool_calls_are_dispatched(office: Any, watch: Watch) -> None:
    office.crew(native("delete_file", path="x")).kickoff()
    assert office.tool.ran == ["x"]
    assert watch.points().count("pre_tool_call") == watch.points().count("post_tool_call") == 1


def test_a_flow_dispatches_its_boundary_and_its_steps(watch: Watch) -> None:
    assert Steps().kickoff() == "ab"
    steps = ["pre_step", "post_step"] * 2
    assert watch.points() == ["execution_start", "input", *steps, "output", "execution_end"]


def test_a_flow_dispatches_them_when_it_is_async(watch: Watch) -> None:
    assert asyncio.run(Steps().kickoff_async()) == "ab"
    assert watch.points()[0] == "execution_start"
    assert watch.points()[-1] == "execution_end"


@pytest.mark.parametrize("asynchronous", [False, True])
def test_a_standalone_agent_dispatches_its_boundary_and_calls(
    office: Any, watch: Watch, *, asynchronous: bool
) -> None:
    agent = office.agent(react("delete_file", path="x"))
    if asynchronous:
        asyncio.run(agent.kickoff_async("go"))
    else:
        agent.kickoff("go")
    assert watch.points() == [
        "execution_start",
        "input",
        *CALL,
        "pre_model_call",
        "post_model_call",
        "output",
        "execution_end",
    ]


def test_policies_and_hooks_of_both_kinds_run_in_one_order(
    office: Any, manager: HookManager
) -> None:
    order: list[str] = []

    class Policy:
        @hookimpl
        def pre_tool_call(self, ctx: Any) -> None:
            order.append("policy")

    @on(InterceptionPoint.PRE_TOOL_CALL)
    def modern(ctx: Any) -> None:
        order.append("on")

    manager.register(Policy())

    @before_tool_call
    def legacy(ctx: Any) -> None:
        order.append("legacy")

    office.crew(react("delete_file", path="x")).kickoff()
    assert order == ["on", "policy", "legacy"]


def test_crew_task_and_agent_are_in_the_attributes(office: Any, watch: Watch) -> None:
    crew = office.crew(react("delete_file", path="x"))
    crew.kickoff()
    for point in ("pre_step", "pre_model_call", "pre_tool_call", "post_step"):
        attributes = watch.contexts(point)[0].attributes
        assert attributes["crew"] is crew
        assert attributes["task"] is crew.tasks[0]
        assert attributes["agent"] is crew.agents[0]


def test_the_flow_is_in_the_attributes_of_the_crew_that_it_runs(office: Any, watch: Watch) -> None:
    crew = office.crew()

    class Outer(Flow[Any]):
        @start()
        def run(self) -> str:
            return str(crew.kickoff().raw)

    flow = Outer()
    flow.kickoff()
    ctx = watch.contexts("pre_model_call")[0]
    assert ctx.attributes["flow"] is flow
    assert ctx.attributes["crew"] is crew
    outer, inner = watch.contexts("execution_start")
    assert inner.parent_run_id == outer.run_id
    assert ctx.run_id == inner.run_id


def test_what_crewai_runs_an_agent_with_is_no_flow_of_the_programs(
    office: Any, watch: Watch
) -> None:
    agent = office.agent(react("delete_file", path="x"))
    agent.kickoff("go")
    assert watch.points()[-1] == "execution_end"
    assert {tuple(ctx.attributes) for _, ctx in watch.seen} == {("agent",)}


def test_a_direct_call_knows_the_run_it_is_in(office: Any, watch: Watch) -> None:
    llm = office.model("hello", direct=True)

    class Asking(Flow[Any]):
        @start()
        def ask(self) -> str:
            return str(llm.call("hi"))

    flow = Asking()
    flow.kickoff()
    assert watch.contexts("pre_model_call")[0].attributes["flow"] is flow


def test_each_run_has_an_id_and_a_state_of_its_own(office: Any, manager: HookManager) -> None:
    counts: list[int] = []

    class Counter:
        @hookimpl
        def pre_model_call(self, ctx: Any) -> None:
            ctx.state["calls"] = ctx.state.get("calls", 0) + 1
            counts.append(ctx.state["calls"])

    manager.register(Counter())
    crew = office.crew(react("delete_file", path="x"))
    crew.kickoff()
    crew.kickoff()
    assert counts == [1, 2, 1]


def test_a_policy_rewrites_the_inputs_of_a_crew(office: Any, manager: HookManager) -> None:
    class Policy:
        @hookimpl
        def input(self, ctx: Any) -> dict[str, Any]:
            return {**ctx.payload, "topic": "bees"}

    manager.register(Policy())
    crew = office.crew()
    crew.tasks[0].description = "Write about {topic}"
    crew.kickoff(inputs={"topic": "secrets"})
    assert "Write about bees" in office.llm.texts()


def test_a_policy_replaces_tool_arguments(office: Any, manager: HookManager) -> None:
    class Policy:
        @hookimpl
        def pre_tool_call(self, ctx: Any) -> dict[str, Any]:
            return {"path": "/tmp/safe"}

    manager.register(Policy())
    office.crew(react("delete_file", path="/etc")).kickoff()
    office.crew(native("delete_file", path="/etc")).kickoff()
    assert office.tool.ran == ["/tmp/safe", "/tmp/safe"]


def test_a_scope_around_a_kickoff_holds_in_its_threads(office: Any, manager: HookManager) -> None:
    seen: list[str] = []

    class Policy:
        @hookimpl
        def pre_tool_call(self, ctx: Any) -> None:
            seen.append(ctx.tool_name)

    crew = office.crew(react("delete_file", path="x"))
    with manager.scope(Policy()):
        asyncio.run(crew.kickoff_async())
    office.crew(react("delete_file", path="x")).kickoff()
    assert seen == ["delete_file"]


def test_tool_calls_in_parallel_threads_are_in_the_scope_and_the_run(
    office: Any, manager: HookManager
) -> None:
    seen: list[tuple[str, str | None]] = []

    class Policy:
        @hookimpl
        def pre_tool_call(self, ctx: Any) -> None:
            seen.append((ctx.tool_input["path"], ctx.run_id))

    calls = [*native("delete_file", path="a"), *native("delete_file", path="b")]
    crew = office.crew(calls)
    with manager.scope(Policy()):
        crew.kickoff()
    assert sorted(path for path, _ in seen) == ["a", "b"]
    assert len({run_id for _, run_id in seen}) == 1


@pytest.mark.parametrize("tool", ["delete_file", "no_such_tool"])
def test_after_a_tool_call_hooks_see_failed_and_unknown_ones_too(
    office: Any, watch: Watch, tool: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*args: Any, **kwargs: Any) -> str:
        raise OSError("disk full")

    monkeypatch.setattr(type(office.tool), "_run", fail)
    office.crew(native(tool, path="x")).kickoff()
    assert [ctx.tool_name for ctx in watch.contexts("post_tool_call")] == [tool]


def test_a_text_at_output_is_what_kickoff_returns(office: Any) -> None:
    on(InterceptionPoint.OUTPUT)(lambda ctx: "just a text")
    assert office.crew().kickoff() == "just a text"


def test_a_run_that_fails_ends_once_and_its_error_stays(office: Any) -> None:
    ended: list[Any] = []

    @on(InterceptionPoint.EXECUTION_END)
    def end(ctx: Any) -> None:
        ended.append((ctx.status, str(ctx.error)))
        raise RuntimeError("a bug in the hook")

    on(InterceptionPoint.POST_STEP)(lambda ctx: "no task output")
    with pytest.raises(Exception, match="TaskOutput"):
        office.crew().kickoff()
    assert [status for status, _ in ended] == ["failed"]


class Gates:
    """A gate at all ten points, which lets everything pass."""

    def __init__(self) -> None:
        self.judged: list[str] = []


def _gate(point: str) -> Any:
    def gate(self: Gates, ctx: Any) -> None:
        self.judged.append(point)

    gate.__name__ = point
    return hookimpl(gate=True)(gate)


for _point in POINTS:
    setattr(Gates, _point, _gate(_point))


def test_gates_judge_all_ten_points_and_change_nothing(office: Any, manager: HookManager) -> None:
    gates = Gates()
    manager.register(gates)
    result = office.crew(react("delete_file", path="x")).kickoff()
    assert (result.raw, office.tool.ran, gates.judged) == ("done", ["x"], WHOLE)


def test_an_async_policy_holds_in_a_sync_and_in_an_async_crew(
    office: Any, manager: HookManager
) -> None:
    class Policy:
        @hookimpl
        async def pre_tool_call(self, ctx: Any) -> dict[str, Any]:
            await asyncio.sleep(0)
            return {"path": "safe"}

    manager.register(Policy())
    office.crew(react("delete_file", path="x")).kickoff()
    asyncio.run(office.crew(react("delete_file", path="x")).akickoff())
    assert office.tool.ran == ["safe", "safe"]


def test_a_timed_policy_holds_in_a_crew(office: Any, manager: HookManager) -> None:
    class Policy:
        @hookimpl(timeout=5)
        def pre_model_call(self, ctx: Any) -> list[Any]:
            return [*ctx.messages, {"role": "user", "content": "and be brief"}]

    manager.register(Policy())
    office.crew().kickoff()
    assert "and be brief" in office.llm.texts()
