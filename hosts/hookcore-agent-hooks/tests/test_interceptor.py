from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from typing import Any

import pytest

from hookcore import Abort, HookManager, ModelResponse, ToolCall, hookimpl
from hookcore.hosting.checks import MESSAGE, REASON, SECRET, checked

pytestmark = pytest.mark.asyncio


async def test_a_denial_has_the_message_and_never_the_reason(runtime: Any) -> None:
    manager, recorder = checked()
    verdict = await runtime(manager).pre("danger", x="1")
    assert verdict.message == MESSAGE
    assert verdict.reason.startswith("denied by ")
    assert REASON not in repr(verdict)
    assert recorder.tools() == [("danger", "denied")]


async def test_arguments_and_results_are_rewritten(runtime: Any) -> None:
    manager, recorder = checked()
    session = runtime(manager)
    assert await session.pre("add", a=1, b=2) == {"a": 11, "b": 2}
    assert await session.post("add", "13", a=11, b=2) == "13"
    await session.pre("lookup", key="k")
    assert await session.post("lookup", "raw-value", key="k") == "[replaced]"
    assert recorder.tools() == [("add", "ok"), ("lookup", "ok")]


async def test_what_nobody_changes_is_allowed(runtime: Any) -> None:
    session = runtime(HookManager())
    emitted = session.build.pre_tool_call(call_id="c0", name="add", args={"a": 1})
    verdict = await session.interceptor.intercept(emitted)
    assert verdict == {"decision": "allow"}


async def test_a_failed_tool_is_seen_to_fail(runtime: Any, hook_at: Any) -> None:
    errors: list[Any] = []
    manager, recorder = checked(hook_at("post_tool_call", lambda ctx: errors.append(ctx.error)))
    session = runtime(manager)
    await session.pre("fails", x="1")
    assert await session.post("fails", "it broke", failed=True, x="1") == "it broke"
    assert [str(error) for error in errors] == ["the tool failed: it broke"]
    assert recorder.tools() == [("fails", "error")]


async def test_a_hook_may_answer_for_a_failed_tool(runtime: Any, hook_at: Any) -> None:
    manager = HookManager()
    manager.register(hook_at("post_tool_call", lambda ctx: "sorry" if ctx.error else None))
    session = runtime(manager)
    await session.pre("fails", x="1")
    assert await session.post("fails", "it broke", failed=True, x="1") == "sorry"


async def test_messages_are_redacted_and_requests_stopped(runtime: Any) -> None:
    manager, recorder = checked()
    session = runtime(manager)
    (message,) = await session.asked(f"say {SECRET}")
    assert message == {"role": "user", "content": "say [gone]"}
    await session.answered("fine")
    assert (await session.asked("STOP")).message == MESSAGE
    assert recorder.statuses("model_finished") == ["ok", "denied"]


async def test_rich_contents_are_redacted(runtime: Any) -> None:
    manager, _ = checked()
    contents = [
        {"type": "text", "text": SECRET},
        {"type": "function_call", "call_id": "c", "name": "f", "arguments": f'{{"x": "{SECRET}"}}'},
        {"type": "function_result", "call_id": "c", "result": SECRET},
    ]
    messages = [{"role": "user", "content": contents}]
    sent = await runtime(manager).emit("pre_model_call", model_id="m", messages=messages)
    assert SECRET not in repr(sent)
    assert repr(sent).count("[gone]") == 3


@pytest.mark.parametrize(
    ("given", "content", "calls"),
    [
        ("changed", "changed", []),
        (ModelResponse("changed"), "changed", []),
        (
            ModelResponse("", [ToolCall("add", {"a": 1}, "c1")]),
            "",
            [{"id": "c1", "name": "add", "args": {"a": 1}}],
        ),
    ],
)
async def test_a_response_may_be_replaced(
    runtime: Any, hook_at: Any, given: Any, content: str, calls: list[Any]
) -> None:
    manager = HookManager()
    manager.register(hook_at("post_model_call", lambda _: given))
    session = runtime(manager)
    await session.asked("hi")
    assert await session.answered("original") == {
        "content": content,
        "tool_calls": calls,
        "finish_reason": "stop",
    }


async def test_a_denied_response_and_its_usage(runtime: Any, hook_at: Any) -> None:
    manager, recorder = checked()
    used: list[Any] = []
    manager.register(hook_at("model_finished", lambda ctx: used.append(ctx.usage)))
    session = runtime(manager)
    await session.asked("hi")
    assert (await session.answered("the LEAK is", usage={"output_tokens": 3})).message == MESSAGE
    await session.asked("hi")
    target = await session.answered("fine", usage={"output_tokens": 4})
    assert target == {"content": "fine", "tool_calls": [], "finish_reason": "stop"}
    assert recorder.statuses("model_finished") == ["denied", "ok"]
    assert used == [{"output_tokens": 3}, {"output_tokens": 4}]


@pytest.mark.parametrize("field", ["model", "tools"])
async def test_what_the_contract_cannot_change_is_refused(
    runtime: Any, hook_at: Any, field: str
) -> None:
    manager, recorder = checked()
    manager.register(hook_at("pre_model_call", lambda ctx: setattr(ctx, field, "other")))
    verdict = await runtime(manager).asked("hi", tools=[{"name": "add"}])
    assert verdict.decision.value == "deny"
    assert recorder.statuses("model_finished") == ["cancelled"]


async def test_a_run_is_from_the_input_to_the_output(runtime: Any, hook_at: Any) -> None:
    manager, recorder = checked()
    manager.register(hook_at("pre_run", lambda ctx: f"changed {ctx.payload}"))
    manager.register(hook_at("output", lambda ctx: ctx.payload.upper()))
    session = runtime(manager)
    await session.emit("agent_startup", tools_registered=["add"])
    async with manager.run({}, message="all") as outer:
        assert (await session.emit("input", content="hi"))["content"] == "changed hi"
        await session.asked("changed hi")
        await session.answered("fine")
        await session.pre("add", a=1, b=2)
        await session.post("add", "13", a=11, b=2)
        assert (await session.emit("output", content="fine"))["content"] == "FINE"
    await session.emit("agent_shutdown", reason="completed")
    (_, _), (run_id, parent) = recorder.runs()
    assert parent == outer.run_id
    assert recorder.statuses("run_finished") == ["ok", "ok"]
    inside = [end for end in recorder.endings if end.point != "run_finished"]
    assert {end.run_id for end in inside} == {run_id}
    assert str(recorder.begun[1].agent) == "main"


@pytest.mark.parametrize("point", ["execution_start", "input", "pre_run"])
async def test_a_run_may_be_denied_before_it(runtime: Any, hook_at: Any, point: str) -> None:
    manager, recorder = checked(hook_at(point, lambda _: Abort(REASON, message=MESSAGE)))
    assert (await runtime(manager).emit("input", content="hi")).message == MESSAGE
    assert recorder.statuses("run_finished") == ["denied"]


@pytest.mark.parametrize("point", ["post_run", "output", "execution_end"])
async def test_an_output_may_be_denied(runtime: Any, hook_at: Any, point: str) -> None:
    manager, recorder = checked(hook_at(point, lambda _: Abort(REASON, message=MESSAGE)))
    session = runtime(manager)
    await session.emit("input", content="hi")
    assert (await session.emit("output", content="fine")).message == MESSAGE
    assert recorder.statuses("run_finished") == ["denied"]


@pytest.mark.parametrize(("reason", "status"), [("error", "error"), ("cancelled", "cancelled")])
async def test_what_is_open_at_the_shutdown_ends_once(
    runtime: Any, reason: str, status: str
) -> None:
    manager, recorder = checked()
    session = runtime(manager)
    await session.emit("input", content="hi")
    await session.asked("hi")
    await session.pre("add", a=1, b=2)
    await session.emit("agent_shutdown", reason=reason)
    assert recorder.tools() == [("add", "cancelled")]
    assert recorder.statuses("model_finished") == [status]
    assert recorder.statuses("run_finished") == [status]


async def test_a_call_that_is_asked_about_again_has_ended_before(runtime: Any) -> None:
    manager, recorder = checked()
    session = runtime(manager)
    await session.emit("input", content="one")
    await session.pre("lookup", key="k")
    await session.asked("one")
    await session.pre("lookup", key="k")
    await session.asked("again")
    await session.emit("input", content="two")
    assert recorder.tools() == [("lookup", "cancelled")] * 2
    assert recorder.statuses("model_finished") == ["cancelled"] * 2
    assert recorder.statuses("run_finished") == ["cancelled"]
    await session.emit("agent_shutdown", reason="completed")


@pytest.mark.parametrize(
    ("point", "ask"),
    [
        ("post_tool_call", lambda session: session.post("add", "3", a=1)),
        ("post_model_call", lambda session: session.answered("fine")),
        ("output", lambda session: session.emit("output", content="fine")),
    ],
)
async def test_an_end_without_a_beginning_is_judged_all_the_same(
    runtime: Any, hook_at: Any, point: str, ask: Callable[[Any], Any]
) -> None:
    manager = HookManager()
    manager.register(hook_at(point, lambda _: Abort(REASON, message=MESSAGE), gate=True))
    assert (await ask(runtime(manager))).message == MESSAGE


async def test_a_wraps_own_answer_is_a_denial_of_the_call(runtime: Any) -> None:
    class Answering:
        @hookimpl
        async def wrap_tool_call(self, ctx: Any, call_next: Any) -> Any:
            return "seven"

    manager, recorder = checked(Answering())
    verdict = await runtime(manager).pre("add", a=1, b=2)
    assert "cannot be answered by a policy" in verdict.message
    assert recorder.tools() == [("add", "ok")]


async def test_a_policy_that_fails_denies(runtime: Any) -> None:
    manager, _ = checked()
    session = runtime(manager)
    verdict = await session.pre("broken", x="1")
    assert verdict.reason == "host_error:interceptor_failed"
    assert "the policy is broken" not in repr(verdict)


async def test_arguments_that_others_change_afterwards_are_told_of(
    runtime: Any, caplog: pytest.LogCaptureFixture
) -> None:
    session = runtime(HookManager())
    await session.pre("add", a=1, b=2)
    with caplog.at_level(logging.WARNING, logger="hookcore_agent_hooks"):
        await session.post("add", "9", a=7, b=2)
    (line,) = [record.getMessage() for record in caplog.records]
    assert "the arguments of add were changed after the policies had judged them" in line


async def test_an_unknown_point_is_no_permission(runtime: Any) -> None:
    session = runtime(HookManager())
    context = {**session.build.input(content="hi"), "interception_point": "tomorrow"}
    with pytest.raises(ValueError, match="no interception point 'tomorrow'"):
        await session.interceptor.intercept(context)


async def test_fifty_calls_at_once_keep_apart(runtime: Any) -> None:
    manager, recorder = checked()
    session = runtime(manager)

    async def one(number: int) -> Any:
        await session.pre("add", f"c{number}", a=number, b=0)
        told = {"name": "add", "args": {"a": number + 10, "b": 0}, "value": str(number)}
        return await session.emit("post_tool_call", call_id=f"c{number}", **told)

    assert await asyncio.gather(*map(one, range(50))) == [str(number) for number in range(50)]
    assert recorder.tools() == [("add", "ok")] * 50
