"""Extensions around tools: mutation, the onion, failures, parallel batches."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from hookcore import HookAborted, hookimpl
from hookcore_agent import EventType, ToolCall, tool
from hookcore_agent.lifecycle import Extension, ToolResult, current_tool_call_id

pytestmark = pytest.mark.asyncio


def answers(messages: list[Any]) -> list[str]:
    return [message.content for message in messages if message.role == "tool"]


class PlusOne(Extension):
    """Adds one to an argument, and its name to the result."""

    async def on_tool_call(self, context: Any, call: Any, call_next: Any) -> ToolResult:
        call.arguments["a"] += 1
        result = await call_next()
        return ToolResult(f"{self.name}({result.content})")


async def test_arguments_are_changed_from_outside_in_and_the_result_from_inside_out(
    make_agent: Any,
) -> None:
    inner, outer = PlusOne(name="inner", priority=9), PlusOne(name="outer", priority=1)
    result = await make_agent(inner, outer).run("hi")
    assert answers(result.messages) == ["outer(inner(5))"]


async def test_a_middleware_may_answer_without_the_tool(make_agent: Any) -> None:
    called: list[str] = []

    class Cache(Extension):
        async def on_tool_call(self, context: Any, call: Any, call_next: Any) -> ToolResult:
            return ToolResult("cached")

    def add(a: int, b: int) -> None:
        """Add."""
        called.append("add")

    result = await make_agent(Cache(), tools=[add]).run("hi")
    assert (answers(result.messages), called) == (["cached"], [])


async def test_a_middleware_that_calls_twice_runs_the_tool_twice(make_agent: Any) -> None:
    called: list[str] = []

    class Twice(Extension):
        async def on_tool_call(self, context: Any, call: Any, call_next: Any) -> ToolResult:
            await call_next()
            result: ToolResult = await call_next()
            return result

    def add(a: int, b: int) -> int:
        """Add."""
        called.append("add")
        return a + b

    result = await make_agent(Twice(), tools=[add]).run("hi")
    assert (answers(result.messages), called) == (["3"], ["add", "add"])


async def test_what_before_tool_changes_shows_in_history_too(make_agent: Any) -> None:
    class Change(Extension):
        async def before_tool(self, context: Any, call: Any) -> None:
            call.arguments["a"] = 40

    agent = make_agent(Change())
    result = await agent.run("hi")
    stored = result.messages[1]["tool_calls"][0]["function"]["arguments"]
    assert (json.loads(stored), answers(result.messages)) == ({"a": 40, "b": 2}, ["42"])


async def test_new_arguments_of_before_tool_reach_the_tool(make_agent: Any) -> None:
    class Change(Extension):
        async def before_tool(self, context: Any, call: Any) -> None:
            call.arguments = {"a": 5, "b": 5}

    assert answers((await make_agent(Change()).run("hi")).messages) == ["10"]


async def test_arguments_that_are_no_dict_fail_the_request(make_agent: Any) -> None:
    class Wrong(Extension):
        async def before_tool(self, context: Any, call: Any) -> None:
            call.arguments = None

    with pytest.raises(Exception, match="no dict for add"):
        await make_agent(Wrong()).run("hi")


async def test_after_tool_may_change_the_message_and_sees_no_error(make_agent: Any) -> None:
    seen: list[Any] = []

    class Mask(Extension):
        async def after_tool(self, context: Any, call: Any, result: Any, error: Any) -> None:
            seen.append((call.name, result.content, result.is_error, error))
            result.content += "!"

    result = await make_agent(Mask(name="a"), Mask(name="b")).run("hi")
    assert seen == [("add", "3", False, None), ("add", "3!", False, None)]
    assert answers(result.messages) == ["3!!"]


async def test_after_tool_gets_the_original_error_and_may_change_its_text(
    make_agent: Any,
) -> None:
    problem = OSError("disk full at sector 7")
    seen: list[Any] = []

    def add(a: int, b: int) -> int:
        """Fail."""
        raise problem

    class Soften(Extension):
        async def after_tool(self, context: Any, call: Any, result: Any, error: Any) -> None:
            seen.append(error)
            result.content = "it did not work"

    agent = make_agent(Soften(), tools=[add])
    events = [event async for event in agent.stream("hi", "s")]
    [failed] = [event for event in events if event.type == EventType.TOOL_FAILED]
    assert seen == [problem]
    assert (failed.payload.content, failed.payload.is_error) == ("it did not work", True)


async def test_after_tool_may_turn_a_failure_into_a_result(make_agent: Any) -> None:
    def add(a: int, b: int) -> int:
        """Fail."""
        raise OSError("no")

    class Recover(Extension):
        async def after_tool(self, context: Any, call: Any, result: Any, error: Any) -> None:
            result.content, result.is_error = "0", False

    events = [event async for event in make_agent(Recover(), tools=[add]).stream("hi")]
    [done] = [event for event in events if event.type == EventType.TOOL_COMPLETED]
    assert done.payload.content == "0"


async def test_a_failure_in_after_tool_keeps_the_result_out_and_fails_the_request(
    make_agent: Any, journal: Any
) -> None:
    agent = make_agent(journal([], fails={"after_tool": RuntimeError("no")}))
    with pytest.raises(RuntimeError):
        await agent.run("hi", "s")
    assert answers(agent.session("s").messages) == ["not completed: the request failed"]


async def test_a_failing_middleware_is_a_failed_call_and_its_sibling_succeeds(
    make_agent: Any,
) -> None:
    told: list[Any] = []
    problem = PermissionError("not for you")

    class Guard(Extension):
        async def on_tool_call(self, context: Any, call: Any, call_next: Any) -> Any:
            if call.arguments["a"] == 1:
                raise problem
            return await call_next()

        async def after_tool(self, context: Any, call: Any, result: Any, error: Any) -> None:
            told.append((call.id, error))

    calls = [ToolCall("add", {"a": n, "b": 0}, f"c{n}") for n in (1, 2)]
    result = await make_agent(Guard(), turns=[calls, "done"]).run("hi")
    assert sorted(answers(result.messages)) == ["2", "not for you"]
    assert sorted(told, key=str) == sorted([("c1", problem), ("c2", None)], key=str)


async def test_an_abort_in_the_middleware_is_a_denial(make_agent: Any) -> None:
    class Guard(Extension):
        async def on_tool_call(self, context: Any, call: Any, call_next: Any) -> Any:
            raise HookAborted("rule 7", message="No.")

    result = await make_agent(Guard()).run("hi")
    assert answers(result.messages) == ["denied by Guard.on_tool_call: No."]


async def test_a_gate_judges_what_the_middleware_passes_on(manager: Any, make_agent: Any) -> None:
    class Limit:
        @hookimpl(gate=True)
        def pre_tool_call(self, ctx: Any) -> None:
            if ctx.tool_input["a"] > 1:
                raise HookAborted("too much", message="Too much.")

    manager.register(Limit(), name="limit")
    result = await make_agent(PlusOne()).run("hi")
    assert answers(result.messages) == ["denied by limit.pre_tool_call: Too much."]


async def test_a_batch_is_judged_in_the_models_order_before_any_call_starts(
    make_agent: Any,
) -> None:
    log: list[str] = []

    class Watch(Extension):
        async def before_tool(self, context: Any, call: Any) -> None:
            await asyncio.sleep(0)
            log.append(f"{self.name}{call.id}")

        async def on_tool_call(self, context: Any, call: Any, call_next: Any) -> Any:
            log.append(f"+{self.name}{call.id}")
            return await call_next()

    calls = [ToolCall("add", {"a": n, "b": 0}, str(n)) for n in (1, 2, 3)]
    agent = make_agent(Watch(name="x"), Watch(name="y"), turns=[calls, "done"])
    async for event in agent.stream("hi"):
        log += ["started"] if event.type == EventType.TOOL_STARTED else []
    assert log[:7] == ["x1", "y1", "x2", "y2", "x3", "y3", "started"]
    assert sorted(log[7:]) == ["+x1", "+x2", "+x3", "+y1", "+y2", "+y3"]


async def test_after_tool_comes_one_call_after_the_other_in_the_order_of_completion(
    make_agent: Any,
) -> None:
    log: list[str] = []

    async def add(a: int, b: int) -> int:
        """Add, the first ones last."""
        await asyncio.sleep(0.02 * (3 - a))
        return a

    class Watch(Extension):
        async def after_tool(self, context: Any, call: Any, result: Any, error: Any) -> None:
            log.append(f"+{self.name}{call.id}")
            await asyncio.sleep(0.03)
            log.append(f"-{self.name}{call.id}")

    calls = [ToolCall("add", {"a": n, "b": 0}, str(n)) for n in (1, 2, 3)]
    agent = make_agent(Watch(name="x"), Watch(name="y"), turns=[calls, "done"], tools=[add])
    result = await agent.run("hi")
    assert log == [f"{sign}{who}{n}" for n in (3, 2, 1) for who in "xy" for sign in "+-"]
    assert answers(result.messages) == ["3", "2", "1"]


async def test_a_failing_before_tool_keeps_the_whole_batch_from_running(make_agent: Any) -> None:
    ran: list[int] = []

    def add(a: int, b: int) -> None:
        """Add."""
        ran.append(a)

    class Guard(Extension):
        async def before_tool(self, context: Any, call: Any) -> None:
            if call.arguments["a"] == 2:
                raise RuntimeError("no")

    calls = [ToolCall("add", {"a": n, "b": 0}) for n in (1, 2, 3)]
    agent = make_agent(Guard(), turns=[calls, "done"], tools=[add])
    with pytest.raises(RuntimeError):
        await agent.run("hi", "s")
    assert ran == []
    assert answers(agent.session("s").messages) == ["not completed: the request failed"] * 3


async def test_a_denied_call_of_a_batch_keeps_no_other_from_running(make_agent: Any) -> None:
    class Guard(Extension):
        async def before_tool(self, context: Any, call: Any) -> None:
            if call.arguments["a"] == 2:
                raise HookAborted("no", message="No.")

    calls = [ToolCall("add", {"a": n, "b": 0}) for n in (1, 2, 3)]
    result = await make_agent(Guard(), turns=[calls, "done"]).run("hi")
    assert sorted(answers(result.messages)) == ["1", "3", "denied by Guard.before_tool: No."]


async def test_parallel_chains_do_not_see_each_others_calls(make_agent: Any) -> None:
    seen: dict[str, Any] = {}

    class Watch(Extension):
        async def on_tool_call(self, context: Any, call: Any, call_next: Any) -> Any:
            before = current_tool_call_id()
            await asyncio.sleep(0)
            result = await call_next()
            seen[call.id] = (before, current_tool_call_id(), result.content)
            return result

    calls = [ToolCall("add", {"a": n, "b": 0}, str(n)) for n in (1, 2)]
    await make_agent(Watch(), turns=[calls, "done"]).run("hi")
    assert seen == {"1": ("1", "1", 1), "2": ("2", "2", 2)}


async def test_before_tool_knows_the_id_of_its_call(make_agent: Any) -> None:
    seen: list[str | None] = []

    class Watch(Extension):
        async def before_tool(self, context: Any, call: Any) -> None:
            seen.append(current_tool_call_id())

    await make_agent(Watch()).run("hi")
    assert seen == ["c1"]


async def test_unknown_tools_and_bad_arguments_pass_no_method(
    make_agent: Any, journal: Any
) -> None:
    log: list[str] = []
    calls = [ToolCall("nothing"), ToolCall("add", "{")]
    await make_agent(journal(log), turns=[calls, "done"]).run("hi")
    assert not {"before_tool", "after_tool"} & set(log)


async def test_serial_calls_have_a_batch_of_their_own(make_agent: Any) -> None:
    @tool(parallel=False)
    def alone(n: int) -> int:
        """Run alone."""
        return n

    calls = [ToolCall("alone", {"n": n}) for n in (1, 2)]
    agent = make_agent(turns=[calls, "done"], tools=[alone])
    events = [event async for event in agent.stream("hi")]
    started = [event.payload for event in events if event.type == EventType.TOOL_STARTED]
    assert [len(batch) for batch in started] == [1, 1]


async def test_plain_methods_serve_as_well(make_agent: Any) -> None:
    class Plain(Extension):
        def before_tool(self, context: Any, call: Any) -> None:  # type: ignore[override]
            call.arguments["a"] = 7

        def on_tool_call(self, context: Any, call: Any, call_next: Any) -> Any:
            return call_next()

    assert answers((await make_agent(Plain()).run("hi")).messages) == ["9"]


async def test_calls_of_one_id_are_kept_apart(make_agent: Any) -> None:
    class Watch(Extension):
        async def after_tool(self, context: Any, call: Any, result: Any, error: Any) -> None:
            result.content += f" of {call.arguments['a']}"

    calls = [ToolCall("add", {"a": n, "b": 0}, "same") for n in (1, 2)]
    result = await make_agent(Watch(), turns=[calls, "done"]).run("hi")
    assert sorted(answers(result.messages)) == ["1 of 1", "2 of 2"]
    assert len({m.tool_call_id for m in result.messages if m.role == "tool"}) == 2


async def test_a_message_cannot_be_changed_after_the_gates_have_judged_the_result(
    manager: Any, make_agent: Any
) -> None:
    class Look:
        @hookimpl(gate=True)
        def post_tool_call(self, ctx: Any) -> None:
            judged.append(ctx.tool_result)
            held[0].content = "something else"

    class Hold(Extension):
        async def after_tool(self, context: Any, call: Any, result: Any, error: Any) -> None:
            result.content = "fine"
            held.append(result)

    judged: list[Any] = []
    held: list[Any] = []
    manager.register(Look())
    result = await make_agent(Hold()).run("hi")
    assert (judged, answers(result.messages)) == (["fine"], ["fine"])


async def test_parts_of_a_message_that_an_extension_made_stay_parts(make_agent: Any) -> None:
    parts = [{"type": "text", "text": "three"}]

    class Parts(Extension):
        async def after_tool(self, context: Any, call: Any, result: Any, error: Any) -> None:
            result.content = parts

    result = await make_agent(Parts()).run("hi")
    assert result.messages[2].content == parts
