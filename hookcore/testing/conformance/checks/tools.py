"""The calls of tools."""

from __future__ import annotations

import asyncio
from typing import Any

from hookcore_specs import Abort, hookimpl

from ....hosting.checks import MESSAGE, REASON
from ..case import Case, break_down, call, expect, hook_at, is_broken, same
from ..registry import MODEL, TOOL, check

_DANGER = [call("danger", x="1")]


@check(*TOOL)
async def a_denied_tool_never_starts(case: Case) -> None:
    result = await case.run(_DANGER, "done")
    result.answered("done")
    same(case.office.calls, [], "the tools that ran")


@check(*TOOL)
async def the_model_reads_the_message_of_a_denial(case: Case) -> None:
    result = await case.run(_DANGER, "done")
    expect(MESSAGE in result.result(), f"the model reads {result.result()!r}")


@check(*TOOL)
async def nobody_outside_reads_the_reason_of_a_denial(case: Case) -> None:
    result = await case.run(_DANGER, "done")
    expect(REASON not in result.sent, "the model reads the reason")
    expect(REASON not in result.outside, "the program reads the reason")


@check(*TOOL, "tool_finished")
async def a_denied_call_ends_once(case: Case) -> None:
    await case.run(_DANGER, "done")
    same(case.recorder.tools(), [("danger", "denied")], "the ends of calls")


@check(*TOOL)
async def rewritten_input_is_what_the_tool_gets(case: Case) -> None:
    await case.run([call("add", a=1, b=2)], "done")
    same(case.office.calls, [("add", 11, 2)], "the calls")


@check(*TOOL)
async def input_that_is_edited_in_place_is_what_the_tool_gets(case: Case) -> None:
    case.at("pre_tool_call", lambda ctx: ctx.tool_input.update(b=5), tools=["add"])
    await case.run([call("add", a=1, b=2)], "done")
    same(case.office.calls, [("add", 11, 5)], "the calls")


@check("post_tool_call")
async def a_replaced_result_is_what_the_model_reads(case: Case) -> None:
    result = await case.run([call("lookup", key="k")], "done")
    same(result.result(), "[replaced]", "the result that the model reads")
    expect("raw-value" not in result.sent, "the model reads what was replaced")


@check("post_tool_call")
async def a_result_whose_texts_are_rewritten_is_what_the_model_reads(case: Case) -> None:
    def shout(ctx: Any) -> None:
        ctx.texts().replace(str.upper)

    case.at("post_tool_call", shout, tools=["secret"])
    result = await case.run([call("secret", key="k")], "done")
    expect("THE PASSWORD" in result.result(), f"the model reads {result.result()!r}")


@check(*TOOL)
async def gates_judge_what_the_tool_gets(case: Case) -> None:
    seen: list[Any] = []
    case.at("pre_tool_call", lambda ctx: seen.append(dict(ctx.tool_input)), gate=True)
    await case.run([call("add", a=1, b=2)], "done")
    same(seen, [{"a": 11, "b": 2}], "what the gate was shown")


@check(*TOOL, features=["defaults"])
async def gates_see_the_defaults_of_a_tool(case: Case) -> None:
    seen: list[Any] = []

    def mail(text: str, to: str = "everybody") -> str:
        """Send mail."""
        return f"{text}, {to}"

    case.at("pre_tool_call", lambda ctx: seen.append(dict(ctx.tool_input)), gate=True)
    await case.run([call("mail", text="hi")], "done", tools={"mail": mail})
    same(seen, [{"text": "hi", "to": "everybody"}], "what the gate was shown")


@check("post_tool_call")
async def hooks_see_a_tools_own_failure(case: Case) -> None:
    errors: list[Any] = []
    case.at("post_tool_call", lambda ctx: errors.append(ctx.error), tools=["fails"])
    await case.run([call("fails", x="1")], "done")
    expect(errors and errors[0] is not None, f"the hook was shown {errors}")


@check("tool_finished")
async def a_tools_own_failure_ends_its_call_as_an_error(case: Case) -> None:
    await case.run([call("fails", x="1")], "done")
    same(case.recorder.tools(), [("fails", "error")], "the ends of calls")


@check(*TOOL)
async def a_tools_own_failure_goes_on_as_without_hooks(case: Case) -> None:
    bare = await case.lead(case.driver(None), case.job([call("fails", x="1")], "done"))
    result = await case.run([call("fails", x="1")], "done")
    same(type(result.error), type(bare.error), "the error")
    same(result.answer, bare.answer, "the answer")
    same(len(result.requests), len(bare.requests), "the number of requests")


@check("post_tool_call")
async def a_hook_may_answer_for_a_failed_tool(case: Case) -> None:
    case.at("post_tool_call", lambda ctx: "sorry" if ctx.error else None, tools=["fails"])
    result = await case.run([call("fails", x="1")], "done")
    same(result.result(), "sorry", "the result that the model reads")


@check(*TOOL)
async def a_policy_that_fails_is_told_to_the_host_and_not_to_the_model(case: Case) -> None:
    result = await case.run([call("broken", x="1")], "went on")
    expect(is_broken(result.error), f"what is raised is {result.error!r}")
    same(case.office.calls, [], "the tools that ran")
    same(len(result.requests), 1, "the number of requests")


@check("post_tool_call")
async def a_policy_that_fails_after_the_tool_is_told_to_the_host(case: Case) -> None:
    case.at("post_tool_call", break_down, tools=["add"], on_error="raise")
    result = await case.run([call("add", a=1, b=2)], "went on")
    expect(is_broken(result.error), f"what is raised is {result.error!r}")
    same(len(result.requests), 1, "the number of requests")


@check(*TOOL)
async def a_gate_that_fails_denies(case: Case) -> None:
    case.at("pre_tool_call", break_down, tools=["add"], gate=True)
    result = await case.run([call("add", a=1, b=2)], "done")
    result.answered("done")
    same(case.office.calls, [], "the tools that ran")
    expect("the policy is broken" not in result.sent, "the model reads the failure")


@check("post_tool_call")
async def a_denied_result_is_read_by_nobody(case: Case) -> None:
    case.at("post_tool_call", lambda _: Abort(REASON, message=MESSAGE), tools=["add"])
    result = await case.run([call("add", a=1, b=2)], "done")
    result.answered("done")
    expect(MESSAGE in result.result(), f"the model reads {result.result()!r}")
    expect(REASON not in result.sent, "the model reads the reason")


@check(*TOOL, "tool_finished", features=["call-ids"])
async def the_ids_of_calls_are_the_models(case: Case) -> None:
    await case.run([call("add", "id-1", a=1, b=2), call("danger", "id-2", x="")], "done")
    ends = [end for end in case.recorder.endings if end.point == "tool_finished"]
    found = {(end.name, end.call_id) for end in ends}
    same(found, {("add", "id-1"), ("danger", "id-2")}, "the ids")


@check(*TOOL)
async def each_call_of_a_response_is_judged(case: Case) -> None:
    calls = [call("add", a=1, b=1), call("danger", "c1", x=""), call("lookup", "c2", key="k")]
    result = await case.run(calls, "done")
    same(sorted(case.office.names()), ["add", "lookup"], "the tools that ran")
    expect(MESSAGE in result.result("c1"), "the model reads nothing of the denial")
    same(result.result("c0"), "12", "the result of the first call")


@check(*TOOL, "tool_finished", features=["parallel"], modes=["async", "stream"], in_loop=True)
async def parallel_calls_run_at_once_and_end_once_each(case: Case) -> None:
    slow = [call("slow", f"c{at}", n=3) for at in range(3)]
    await case.run([*slow, call("danger", "c3", x="")], "done")
    same(case.office.at_once, 3, "the calls that were under way together")
    wanted = [("danger", "denied"), *[("slow", "ok")] * 3]
    same(case.recorder.tools(), wanted, "the ends of calls")


@check(*TOOL, "tool_finished", features=["parallel"])
async def a_policy_that_fails_at_one_of_several_calls_stops_the_run(case: Case) -> None:
    calls = [call("broken", x="1"), call("add", "c1", a=1, b=2), call("secret", "c2", key="k")]
    result = await case.run(calls, "went on")
    expect(is_broken(result.error), f"what is raised is {result.error!r}, {result.answer!r}")
    same(len(result.requests), 1, "the number of requests")
    for _ in range(20):
        await asyncio.sleep(0)
    ends = case.recorder.tools()
    expect(("broken", "error") in ends, f"the ends of calls: {ends}")
    same(len({name for name, _ in ends}), len(ends), f"the ends of calls: {ends}")


@check(*TOOL, "tool_finished")
async def a_tool_that_there_is_not_leaves_nothing_open(case: Case) -> None:
    begun: list[str] = []
    case.at("pre_tool_call", lambda ctx: begun.append(ctx.tool_name), tools=["nowhere"])
    await case.run([call("nowhere", x="1")], "done")
    ends = [name for name, _ in case.recorder.tools()]
    same(ends, begun, "the ends of calls, beside those that were begun")


@check(*TOOL, features=["raw-arguments"])
async def arguments_that_do_not_parse_never_reach_the_tool(case: Case) -> None:
    broken = call("lookup")
    await case.run([type(broken)("lookup", "{nonsense", "c0")], "done")
    same(case.office.calls, [], "the calls")


@check("wrap_tool_call")
async def a_wrap_stands_around_the_tool(case: Case) -> None:
    order: list[str] = []

    class Around:
        @hookimpl(tools=["add"])
        def wrap_tool_call(self, ctx: Any, call_next: Any) -> Any:  # noqa: ARG002
            order.append(f"before {case.office.names()}")
            result = yield
            order.append(f"after {case.office.names()}")
            return result

    case.add(Around())
    await case.run([call("add", a=1, b=2)], "done")
    same(order, ["before []", "after ['add']"], "the order")


@check("wrap_tool_call", features=["async-wraps"], modes=["async", "stream"])
async def a_wrap_may_answer_in_the_tools_place(case: Case) -> None:
    class Answering:
        @hookimpl(tools=["add"])
        async def wrap_tool_call(self, ctx: Any, call_next: Any) -> Any:  # noqa: ARG002
            return "seven"

    case.add(Answering())
    result = await case.run([call("add", a=1, b=2)], "done")
    same(result.result(), "seven", "the result that the model reads")
    same(case.office.calls, [], "the calls")


@check(*TOOL, *MODEL)
async def a_tools_result_is_sent_redacted(case: Case) -> None:
    result = await case.run([call("secret", key="k")], "done")
    expect("hunter2" not in result.sent, "the secret reached the provider")
    expect("[gone]" in result.result(), f"the model reads {result.result()!r}")


@check("tool_finished")
async def observers_of_the_end_are_told_the_result_that_goes_on(case: Case) -> None:
    told: list[str] = []
    case.add(hook_at("tool_finished", lambda ctx: told.append(str(ctx.tool_result))))
    await case.run([call("lookup", key="k")], "done")
    expect(told and "[replaced]" in told[0], f"the observer was told {told}")
