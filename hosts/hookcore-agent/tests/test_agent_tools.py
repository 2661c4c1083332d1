"""Tools: validated arguments, failures, parallel and serial calls."""

from __future__ import annotations

import asyncio
import functools
import threading
from dataclasses import dataclass
from enum import Enum
from typing import Annotated, Any

import pytest
from pydantic import BaseModel, Field

from hookcore import HookManager
from hookcore_agent import (
    Agent,
    AgentProtocolError,
    EventType,
    RequestContext,
    ScriptedModel,
    Tool,
    ToolArgumentsError,
    ToolCall,
    ToolResult,
    current_tool_call_id,
    tool,
)

pytestmark = pytest.mark.asyncio


class Colour(Enum):
    RED = "red"


class Size(BaseModel):
    width: int


def answers(messages: list[Any]) -> list[Any]:
    return [message for message in messages if message["role"] == "tool"]


def agent_of(manager: HookManager, tools: list[Any], *calls: ToolCall, **options: Any) -> Agent:
    return Agent("a", ScriptedModel([list(calls), "done"]), tools, hooks=manager, **options)


async def test_arguments_come_as_the_annotations_say() -> None:
    got: dict[str, Any] = {}

    def paint(colour: Colour, size: Size, times: int = 1) -> None:
        """Paint."""
        got.update(colour=colour, size=size, times=times)

    await Tool(paint).invoke({"colour": "red", "size": {"width": "3"}, "times": "2"}, None)
    assert got == {"colour": Colour.RED, "size": Size(width=3), "times": 2}


async def test_a_missing_or_unknown_argument_names_itself_and_no_value() -> None:
    def add(a: int, b: int) -> int:
        """Add."""
        return a + b

    with pytest.raises(ToolArgumentsError) as caught:
        await Tool(add).invoke({"a": "my secret", "c": 1}, None)
    text = str(caught.value)
    assert all(part in text for part in ("a:", "b: Field required", "c: Extra inputs"))
    assert "my secret" not in text


async def test_bad_arguments_are_told_to_the_model_and_the_loop_goes_on(
    manager: HookManager,
) -> None:
    def add(a: int, b: int) -> int:
        """Add."""
        return a + b

    result = await agent_of(manager, [add], ToolCall("add", {"a": 1})).run("hi")
    [answer] = answers(result.messages)
    assert answer.is_error
    assert answer.content == "the arguments of add do not fit: b: Field required"
    assert result.output == "done"


async def test_the_schema_tells_descriptions_and_defaults() -> None:
    def find(query: Annotated[str, Field(description="what to find")], limit: int = 5) -> list[str]:
        """Find things.

        More words that no model needs.
        """
        return [query] * limit

    made = Tool(find)
    schema = made.parameters
    assert made.description == "Find things."
    assert schema["properties"]["query"]["description"] == "what to find"
    assert (schema["required"], schema["properties"]["limit"]["default"]) == (["query"], 5)
    assert schema["additionalProperties"] is False


async def test_a_parameter_may_have_any_name() -> None:
    def odd(_hidden: int, schema: str, model_config: str) -> str:
        """Do."""
        return f"{_hidden}{schema}{model_config}"

    assert await Tool(odd).invoke({"_hidden": 1, "schema": "a", "model_config": "b"}, None) == "1ab"


async def test_a_function_that_takes_all_keywords_gets_all() -> None:
    def collect(**values: Any) -> dict[str, Any]:
        """Collect."""
        return values

    assert await Tool(collect).invoke({"a": 1, "b": 2}, None) == {"a": 1, "b": 2}


async def test_a_positional_parameter_is_refused_when_the_tool_is_made() -> None:
    def add(*numbers: int) -> int:
        """Add."""
        return sum(numbers)

    with pytest.raises(AgentProtocolError, match="keyword parameter"):
        Tool(add)


async def test_the_request_is_given_and_is_no_argument(manager: HookManager) -> None:
    seen: list[str] = []

    async def who(context: RequestContext) -> None:
        """Tell."""
        seen.append(context.session_id)

    made = Tool(who)
    assert made.parameters["properties"] == {}
    await agent_of(manager, [made], ToolCall("who")).run("hi", "s7")
    assert seen == ["s7"]


async def test_a_plain_function_does_not_block_the_loop(manager: HookManager) -> None:
    threads: list[int] = []

    def slow() -> None:
        """Wait."""
        threads.append(threading.get_ident())

    await agent_of(manager, [slow], ToolCall("slow")).run("hi")
    assert threads != [threading.get_ident()]


async def test_results_are_text_or_json(manager: HookManager) -> None:
    @dataclass
    class Odd:
        def __str__(self) -> str:
            return "odd"

    values: list[Any] = ["text", {"a": [1]}, Size(width=1), None, ToolResult("inner"), Odd()]

    def give(index: int) -> Any:
        """Give."""
        return values[index]

    calls = [ToolCall("give", {"index": index}) for index in range(len(values))]
    result = await agent_of(manager, [give], *calls, parallel_tools=False).run("hi")
    assert [answer.content for answer in answers(result.messages)] == [
        "text",
        '{"a": [1]}',
        '{"width":1}',
        "null",
        "inner",
        '"odd"',
    ]


async def test_a_failing_tool_is_told_and_its_sibling_succeeds(manager: HookManager) -> None:
    async def fail() -> None:
        """Fail."""
        raise ConnectionError("no route")

    async def work() -> str:
        """Work."""
        return "worked"

    agent = agent_of(manager, [fail, work], ToolCall("fail"), ToolCall("work"))
    events = [event async for event in agent.stream("hi")]
    told = {
        event.type: event.payload.content
        for event in events
        if event.type in (EventType.TOOL_FAILED, EventType.TOOL_COMPLETED)
    }
    assert told == {EventType.TOOL_FAILED: "no route", EventType.TOOL_COMPLETED: "worked"}


async def test_a_tool_that_raises_without_a_text_is_told_by_its_class(
    manager: HookManager,
) -> None:
    async def fail() -> None:
        """Fail."""
        raise ConnectionError

    result = await agent_of(manager, [fail], ToolCall("fail")).run("hi")
    assert answers(result.messages)[0].content == "ConnectionError"


async def test_an_unknown_tool_is_told_to_the_model(manager: HookManager) -> None:
    result = await agent_of(manager, [], ToolCall("nothing")).run("hi")
    assert answers(result.messages)[0].content == "there is no tool nothing"


async def test_parallel_calls_run_together_and_serial_ones_after_them(
    manager: HookManager,
) -> None:
    log: list[str] = []
    both = asyncio.Event()

    async def parallel(name: str) -> None:
        """Run."""
        log.append(f"+{name}")
        if len(log) == 2:
            both.set()
        await asyncio.wait_for(both.wait(), 5)
        log.append(f"-{name}")

    @tool(parallel=False)
    async def serial() -> None:
        """Run alone."""
        log.append("serial")

    calls = [ToolCall("serial"), *(ToolCall("parallel", {"name": n}) for n in "ab")]
    await agent_of(manager, [parallel, serial], *calls).run("hi")
    assert (log[:2], sorted(log[2:4]), log[4:]) == (["+a", "+b"], ["-a", "-b"], ["serial"])


async def test_switched_off_all_calls_are_serial(manager: HookManager) -> None:
    running = 0
    most = 0

    async def work() -> None:
        """Work."""
        nonlocal running, most
        running += 1
        most = max(most, running)
        await asyncio.sleep(0)
        running -= 1

    calls = [ToolCall("work") for _ in range(3)]
    await agent_of(manager, [work], *calls, parallel_tools=False).run("hi")
    assert most == 1


async def test_one_event_tells_of_all_calls_that_start_together(manager: HookManager) -> None:
    async def work(n: int) -> None:
        """Work."""

    calls = [ToolCall("work", {"n": n}) for n in range(3)]
    events = [event async for event in agent_of(manager, [work], *calls).stream("hi")]
    [started] = [event for event in events if event.type == EventType.TOOL_STARTED]
    assert [call.arguments["n"] for call in started.payload] == [0, 1, 2]


async def test_cancellation_ends_all_handlers_before_the_request_ends(
    manager: HookManager,
) -> None:
    ended: list[int] = []
    running = asyncio.Semaphore(0)

    async def hang(n: int) -> None:
        """Hang."""
        running.release()
        try:
            await asyncio.Event().wait()
        finally:
            await asyncio.sleep(0)
            ended.append(n)

    agent = agent_of(manager, [hang], *(ToolCall("hang", {"n": n}) for n in range(3)))
    task = asyncio.ensure_future(agent.run("hi", "s"))
    for _ in range(3):
        await running.acquire()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert sorted(ended) == [0, 1, 2]
    told = [answer.content for answer in answers(agent.session("s").messages)]
    assert told == ["cancelled before completion"] * 3


async def test_each_call_knows_its_id(manager: HookManager) -> None:
    seen: list[str | None] = []

    def work() -> None:
        """Work."""
        seen.append(current_tool_call_id())

    await agent_of(manager, [work], ToolCall("work", {}, "c1"), ToolCall("work", {}, "c2")).run("x")
    assert sorted(seen, key=str) == ["c1", "c2"]
    assert current_tool_call_id() is None


async def test_two_tools_of_one_name_are_refused(manager: HookManager) -> None:
    def work() -> None:
        """Work."""

    with pytest.raises(AgentProtocolError, match="two tools named 'work'"):
        Agent("a", ScriptedModel([]), [work, Tool(work)], hooks=manager)


async def test_a_tool_may_emit_into_the_stream_and_publish_to_nobody(
    manager: HookManager,
) -> None:
    from hookcore_agent import AgentEvent

    async def report(context: RequestContext) -> None:
        """Report."""
        await context.emit(AgentEvent("custom", "progress", {"done": 1}))

    events = [event async for event in agent_of(manager, [report], ToolCall("report")).stream("x")]
    [progress] = [event for event in events if event.name == "progress"]
    assert (progress.payload, progress.phase) == ({"done": 1}, "running_tool")


async def test_a_partial_is_a_tool_without_what_it_has_already(manager: HookManager) -> None:
    def add(a: int, b: int) -> int:
        """Add."""
        return a + b

    made = Tool(functools.partial(add, b=2), name="add_two")
    assert await made.invoke({"a": "1"}, None) == 3


async def test_an_annotation_that_cannot_be_read_names_the_tool() -> None:
    class Local:
        pass

    def use(thing: Local) -> None:
        """Use."""

    with pytest.raises(AgentProtocolError, match=r"tool use: .*Local"):
        Tool(use)


async def test_a_policy_that_leaves_no_tools_by_name_at_setup_is_told_so(
    manager: HookManager, policy: Any
) -> None:
    policy("setup_tools", lambda ctx: ["add"])
    with pytest.raises(AgentProtocolError, match="dict of tools"):
        await agent_of(manager, []).run("hi")


async def test_an_error_among_the_calls_that_a_hook_replaced_leaves_no_call_unanswered(
    manager: HookManager, policy: Any
) -> None:
    def work() -> None:
        """Work."""

    def fail(ctx: Any) -> None:
        raise RuntimeError("broken policy")

    policy("pre_tool_call", fail, on_error="raise", name="broken")
    policy("post_turn", lambda ctx: "sorry" if ctx.error else None)
    result = await agent_of(manager, [work], ToolCall("work", {}, "c1")).run("hi")
    assert [message.role for message in result.messages] == [
        "user",
        "assistant",
        "tool",
        "assistant",
    ]
    assert result.output == "sorry"
