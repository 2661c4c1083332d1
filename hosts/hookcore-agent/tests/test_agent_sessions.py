"""Sessions: kept, busy, steered, queued, limited, repaired."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from hookcore import HookManager
from hookcore_agent import (
    Agent,
    AgentIterationLimitError,
    AgentProtocolError,
    EventType,
    KeepLast,
    ScriptedModel,
    Session,
    SessionBusyError,
    ToolCall,
    tool,
)

pytestmark = pytest.mark.asyncio


def contents(messages: list[Any]) -> list[Any]:
    return [message.content for message in messages]


def ping() -> str:
    """Answer."""
    return "pong"


async def test_a_named_session_goes_on_where_it_ended(manager: HookManager) -> None:
    agent = Agent("a", ScriptedModel(["one", "two"]), hooks=manager)
    await agent.run("first", session="s")
    result = await agent.run("second", session="s")
    assert contents(result.messages) == ["first", "one", "second", "two"]


async def test_without_a_session_every_request_begins_anew(manager: HookManager) -> None:
    agent = Agent("a", ScriptedModel(["one", "two"]), hooks=manager)
    first = await agent.run("first")
    second = await agent.run("second")
    assert contents(second.messages) == ["second", "two"]
    assert first.session_id != second.session_id
    assert agent._sessions == {}


async def test_a_forgotten_session_begins_anew(manager: HookManager) -> None:
    agent = Agent("a", ScriptedModel(["one", "two"]), hooks=manager)
    await agent.run("first", session="s")
    agent.forget("s")
    assert contents((await agent.run("second", session="s")).messages) == ["second", "two"]


async def test_a_session_survives_json(manager: HookManager) -> None:
    first = Agent("a", ScriptedModel([[ToolCall("ping")], "one"]), [ping], hooks=manager)
    done = await first.run("first")
    restored = Session("s", json.loads(json.dumps(done.messages)))
    second = Agent("a", ScriptedModel(["two"]), [ping], hooks=manager)
    result = await second.run("second", restored)
    assert contents(result.messages) == ["first", "", "pong", "one", "second", "two"]


async def test_a_second_request_of_a_session_is_refused_with_its_phase(
    manager: HookManager,
) -> None:
    agent = Agent("a", ScriptedModel(["hello"]), hooks=manager)
    stream = agent.stream("hi", "s")
    await anext(stream)
    with pytest.raises(SessionBusyError, match=r"session s .*generating"):
        await agent.run("again", "s")
    with pytest.raises(SessionBusyError, match="in progress"):
        agent.forget("s")
    await stream.aclose()


async def test_a_session_is_free_again_after_a_refusal(manager: HookManager) -> None:
    agent = Agent("a", ScriptedModel(["hello", "again"]), hooks=manager)
    stream = agent.stream("hi", "s")
    await anext(stream)
    with pytest.raises(SessionBusyError):
        await agent.run("again", "s")
    assert [event.type async for event in stream][-1] == EventType.RUN_COMPLETED
    assert (await agent.run("again", "s")).output == "again"


async def test_different_sessions_are_served_at_the_same_time(manager: HookManager) -> None:
    barrier = asyncio.Event()
    waiting: list[str] = []

    async def meet(request: Any) -> Any:
        waiting.append(request.session_id)
        if len(waiting) == 3:
            barrier.set()
        await asyncio.wait_for(barrier.wait(), 5)
        yield_back = request.messages[-1].content
        return f"echo {yield_back}"

    agent = Agent("a", ScriptedModel(meet), hooks=manager)
    results = await asyncio.gather(*(agent.run(f"m{n}", f"s{n}") for n in range(3)))
    assert [result.output for result in results] == ["echo m0", "echo m1", "echo m2"]


async def test_queued_input_is_taken_up_after_the_answer_in_the_same_run(
    manager: HookManager, points: list[tuple[str, Any]]
) -> None:
    agent: Agent

    def first(request: Any) -> str:
        assert agent.enqueue("and then?", "s")
        return "one"

    agent = Agent("a", ScriptedModel([first, "two"]), hooks=manager)
    result = await agent.run("hi", "s")
    assert contents(result.messages) == ["hi", "one", "and then?", "two"]
    names = [name for name, _ in points]
    assert (names.count("pre_run"), names.count("pre_turn")) == (1, 2)


async def test_steering_skips_tool_calls_that_have_not_begun(
    manager: HookManager, points: list[tuple[str, Any]]
) -> None:
    agent: Agent

    def first(request: Any) -> list[ToolCall]:
        assert agent.steer("stop", "s")
        return [ToolCall("ping", {}, "c1"), ToolCall("ping", {}, "c2")]

    agent = Agent("a", ScriptedModel([first, "stopped"]), [ping], hooks=manager)
    result = await agent.run("hi", "s")
    skipped = "skipped: the user sent new input before this tool ran"
    assert contents(result.messages) == ["hi", "", skipped, skipped, "stop", "stopped"]
    names = [name for name, _ in points]
    assert not [name for name in names if "tool_call" in name or name == "tool_finished"]
    assert (names.count("pre_run"), names.count("post_turn")) == (1, 2)


async def test_steering_skips_what_is_left_of_a_batch_in_progress(manager: HookManager) -> None:
    agent: Agent
    ran: list[int] = []

    @tool(parallel=False)
    def work(n: int) -> str:
        """Work."""
        ran.append(n)
        agent.steer("stop", "s")
        return "worked"

    calls = [ToolCall("work", {"n": n}, f"c{n}") for n in (1, 2)]
    agent = Agent("a", ScriptedModel([calls, "stopped"]), [work], hooks=manager)
    result = await agent.run("hi", "s")
    assert ran == [1]
    assert [m.content for m in result.messages if m.role == "tool"] == [
        "worked",
        "skipped: the user sent new input before this tool ran",
    ]


async def test_nothing_is_taken_once_the_answer_was_chosen(manager: HookManager) -> None:
    agent = Agent("a", ScriptedModel(["hello"]), hooks=manager)
    async for event in agent.stream("hi", "s"):
        if event.type == EventType.RUN_COMPLETED:
            assert not agent.steer("too late", "s")
    assert not agent.enqueue("too late", "s")


async def test_the_limit_of_model_calls_ends_the_request(manager: HookManager) -> None:
    agent = Agent(
        "a", ScriptedModel(lambda _: [ToolCall("ping")]), [ping], hooks=manager, max_iterations=3
    )
    with pytest.raises(AgentIterationLimitError, match="3 times for one input"):
        await agent.run("hi", "s")
    assert sum(message.role == "assistant" for message in agent.session("s").messages) == 3


async def test_the_limit_counts_for_each_input_anew(manager: HookManager) -> None:
    agent: Agent

    def first(request: Any) -> str:
        agent.enqueue("more", "s")
        return "one"

    agent = Agent("a", ScriptedModel([first, "two"]), hooks=manager, max_iterations=1)
    assert (await agent.run("hi", "s")).output == "two"


async def test_calls_that_a_lost_request_left_open_are_answered_before_the_model_sees_them(
    manager: HookManager,
) -> None:
    call = {"id": "c1", "type": "function", "function": {"name": "ping", "arguments": "{}"}}
    lost: list[dict[str, Any]] = [
        {"role": "user", "content": "hi"},
        {"role": "assistant", "content": "", "tool_calls": [call]},
    ]
    model = ScriptedModel(["hello"])
    await Agent("a", model, [ping], hooks=manager).run("still there?", Session("s", lost))
    roles = [message.role for message in model.requests[0].messages]
    assert roles == ["user", "assistant", "tool", "user"]
    assert "no result was recorded" in model.requests[0].messages[2].content


async def test_a_request_without_an_input_stores_nothing(manager: HookManager) -> None:
    agent = Agent("a", ScriptedModel([]), hooks=manager)
    with pytest.raises(AgentProtocolError, match="needs an input"):
        await agent.run(None, "s")
    assert agent.session("s").messages == []


async def test_compaction_shortens_between_the_turn_and_the_model(manager: HookManager) -> None:
    model = ScriptedModel(["one", "two", "three"])
    agent = Agent("a", model, hooks=manager, compaction=KeepLast(2))
    await agent.run("first", "s")
    kinds = [event.type async for event in agent.stream("second", "s")]
    assert kinds[:3] == [
        EventType.COMPACTION_STARTED,
        EventType.COMPACTION_COMPLETED,
        EventType.MODEL_STARTED,
    ]
    assert contents(list(model.requests[1].messages)) == ["one", "second"]
    assert contents(agent.session("s").messages) == ["one", "second", "two"]


@pytest.mark.parametrize("most", [1, 2, 3])
async def test_compaction_never_parts_an_answer_from_its_call(
    manager: HookManager, most: int
) -> None:
    calls = [ToolCall("ping", {}, "c1"), ToolCall("ping", {}, "c2")]
    model = ScriptedModel([calls, "done"])
    agent = Agent("a", model, [ping], hooks=manager, compaction=KeepLast(most))
    await agent.run("hi")
    sent = model.requests[1].messages
    asked = {call["id"] for message in sent for call in message.get("tool_calls", ())}
    answered = {message["tool_call_id"] for message in sent if message.role == "tool"}
    assert (asked, answered) == ({"c1", "c2"}, {"c1", "c2"})


async def test_keep_last_refuses_a_number_that_keeps_nothing() -> None:
    with pytest.raises(ValueError, match="positive number"):
        KeepLast(0)


@pytest.mark.parametrize(
    ("options", "asked", "kept"), [({}, 500, 501), ({"compaction": None}, 700, 701)]
)
async def test_a_conversation_keeps_its_last_500_messages_unless_it_is_told_otherwise(
    manager: HookManager, options: dict[str, Any], asked: int, kept: int
) -> None:
    model = ScriptedModel(["ok"])
    agent = Agent("a", model, hooks=manager, **options)
    session = Session(messages=[{"role": "user", "content": f"{n}"} for n in range(699)])
    await agent.run("hi", session)
    assert (len(model.requests[0].messages), len(session.messages)) == (asked, kept)
