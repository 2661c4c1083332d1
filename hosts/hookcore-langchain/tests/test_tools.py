from __future__ import annotations

import asyncio
from importlib.util import find_spec
from typing import Any

import pytest

from hookcore import hookimpl
from hookcore.hosting.checks import MESSAGE, Office, PolicyBrokenError, checked

if find_spec("langchain"):
    from langchain_core.tools import StructuredTool

pytestmark = pytest.mark.asyncio


async def test_call_ids_are_the_models_and_the_run_is_one(script: Any, agent: Any, go: Any) -> None:
    manager, recorder = checked()
    model = script([("add", {"a": 1, "b": 2}), ("danger", {"x": ""})], "done")
    await go(agent(manager, model), "hi")
    ends = [end for end in recorder.endings if end.point == "tool_finished"]
    assert {(end.name, end.call_id) for end in ends} == {("add", "c0"), ("danger", "c1")}
    (run,) = recorder.begun
    assert {end.run_id for end in recorder.endings} == {run.run_id}


async def test_a_tools_own_failure_goes_on_as_it_is(script: Any, agent: Any, go: Any) -> None:
    manager, recorder = checked()
    with pytest.raises(ValueError, match="the tool broke"):
        await go(agent(manager, script([("fails", {"x": "1"})], "done")), "hi")
    assert recorder.tools() == [("fails", "error")]
    assert recorder.statuses("run_finished") == ["error"]


@pytest.mark.parametrize("way", ["sync", "async"])
async def test_an_interrupt_passes_untouched_and_is_resumed(
    way: str, script: Any, agent: Any
) -> None:
    from langgraph.checkpoint.memory import InMemorySaver
    from langgraph.types import Command, interrupt

    class Answering:
        @hookimpl(tools=["ask"])
        def post_tool_call(self, ctx: Any) -> Any:
            return "answered" if ctx.error else None

    def ask(question: str) -> str:
        """Ask a person."""
        return f"somebody said {interrupt(question)}"

    manager, recorder = checked(Answering())
    model = script([("ask", {"question": "ok?"})], "done")
    own = [StructuredTool.from_function(ask)]
    made = agent(manager, model, own, checkpointer=InMemorySaver())
    config = {"configurable": {"thread_id": "t1"}}

    async def run(given: Any) -> Any:
        if way == "sync":
            return await asyncio.to_thread(made.invoke, given, config)
        return await made.ainvoke(given, config)

    asked = await run({"messages": ["hi"]})
    assert asked["__interrupt__"][0].value == "ok?"
    assert recorder.tools() == [("ask", "cancelled")]
    answer = await run(Command(resume="yes"))
    assert answer["messages"][-1].content == "done"
    assert model.results() == {"ask": "somebody said yes"}
    assert recorder.tools() == [("ask", "cancelled"), ("ask", "ok")]
    assert [run.session_id for run in recorder.begun] == ["t1", "t1"]


@pytest.mark.parametrize("way", ["sync", "async"])
async def test_a_bare_tool_node_is_governed_and_swallows_no_policys_failure(
    way: str, script: Any, tools: list[Any], office: Office
) -> None:
    from langchain_core.messages import AIMessage
    from langgraph.graph import MessagesState, StateGraph

    from hookcore_langchain import govern, tool_node

    manager, recorder = checked()
    builder: Any = StateGraph(MessagesState)
    builder.add_node("tools", tool_node(tools, manager=manager, handle_tool_errors=True))
    builder.set_entry_point("tools")
    graph = govern(builder.compile(), manager)

    async def run(name: str, **args: Any) -> Any:
        call = {"name": name, "args": args, "id": "c0"}
        given = {"messages": [AIMessage("", tool_calls=[call])]}
        if way == "sync":
            return (await asyncio.to_thread(graph.invoke, given))["messages"][-1]
        return (await graph.ainvoke(given))["messages"][-1]

    assert MESSAGE in (await run("danger", x="1")).content
    assert (await run("add", a=1, b=1)).content == "12"
    failed = await run("fails", x="1")
    assert failed.status == "error"
    assert "the tool broke" in failed.content
    with pytest.raises(PolicyBrokenError):
        await run("broken", x="1")
    assert office.names() == ["add", "fails"]
    ends = [("add", "ok"), ("broken", "error"), ("danger", "denied"), ("fails", "error")]
    assert recorder.tools() == ends


async def test_a_wrap_may_answer_in_the_tools_place(
    script: Any, agent: Any, office: Office
) -> None:
    from hookcore_langchain import Hookcore

    class Answering:
        @hookimpl(tools=["add"])
        async def wrap_tool_call(self, ctx: Any, call_next: Any) -> Any:
            return 7

    manager, _ = checked(Answering())
    model = script([("add", {"a": 1, "b": 2})], "done")
    hooks = Hookcore(manager, modes=["async", "stream"])
    await agent(manager, model, middleware=[hooks]).ainvoke({"messages": ["hi"]})
    assert model.results() == {"add": "7"}
    assert office.calls == []
