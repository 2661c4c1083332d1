"""Agents that call agents, and the runtime's own control flow."""

from __future__ import annotations

from typing import Any

from ....hosting.checks import MESSAGE, REASON
from ..case import Case, Result, break_down, call, expect, is_broken, same
from ..registry import MODEL, RUN, TOOL, check

_DANGER = [call("danger", "inner-0", x="1")]


async def _with_inner(case: Case, *steps: Any, by: str, **options: Any) -> tuple[Result, Result]:
    inner = case.job(*steps, **options)
    asked = call("other", "outer-0")
    if by == "sub-agent":
        asked = call("delegate", "outer-0", text=inner.text)
    outer = case.job([asked], "done", inner=inner, by=by)
    result = await case.lead(case.driver(case.manager), outer)
    return result, Result(inner)


@check(*TOOL, features=["sub-agent"])
async def the_tools_of_a_sub_agent_are_judged(case: Case) -> None:
    result, inner = await _with_inner(case, _DANGER, "inner done", by="sub-agent")
    result.answered("done")
    same(case.office.calls, [], "the tools that ran")
    expect(MESSAGE in inner.result("inner-0"), "the sub-agent's model reads no message")


@check(*MODEL, features=["sub-agent"])
async def the_requests_of_a_sub_agent_are_redacted(case: Case) -> None:
    _, inner = await _with_inner(
        case, [call("secret", "inner-0", key="k")], "inner done", by="sub-agent"
    )
    expect(inner.requests, "the sub-agent's provider was not asked")
    expect("hunter2" not in inner.sent, "the secret reached the sub-agent's provider")


@check(*RUN, "run_finished", features=["sub-agent"])
async def a_sub_agents_run_has_a_parent_and_each_ends_once(case: Case) -> None:
    await _with_inner(case, [call("add", "inner-0", a=1, b=2)], "inner done", by="sub-agent")
    runs = case.recorder.runs()
    same(len(runs), 2, "the number of runs")
    same(runs[1][1], runs[0][0], "the parent's id")
    same(case.statuses("run_finished"), ["ok", "ok"], "the ends of runs")


@check(*TOOL, "tool_finished", features=["sub-agent"])
async def a_sub_agents_calls_end_before_the_call_that_it_is(case: Case) -> None:
    await _with_inner(case, [call("add", "inner-0", a=1, b=2)], "inner done", by="sub-agent")
    ends = [end.name for end in case.recorder.endings if end.point == "tool_finished"]
    same(ends, ["add", "delegate"], "the order of the ends")


@check(*TOOL, features=["sub-agent"])
async def a_sub_agent_itself_may_be_denied(case: Case) -> None:
    case.at("pre_tool_call", lambda _: False, tools=["delegate"])
    result, inner = await _with_inner(case, "inner done", by="sub-agent")
    result.answered("done")
    same(inner.requests, [], "the requests of the sub-agent")


def _told_to_the_host(case: Case, outer: Result) -> None:
    expect(is_broken(outer.error), f"what is raised is {outer.error!r}, {outer.answer!r}")
    same(len(outer.requests), 1, "the number of the outer agent's requests")
    same(case.office.calls, [], "the tools that ran")


@check(*TOOL, features=["sub-agent"])
async def a_policy_that_fails_at_a_sub_agents_tool_is_told_to_the_host(case: Case) -> None:
    asked = [call("broken", "inner-0", x="1")]
    outer, inner = await _with_inner(case, asked, "went on", by="sub-agent")
    _told_to_the_host(case, outer)
    same(len(inner.requests), 1, "the number of the sub-agent's requests")


@check(*MODEL, "pre_tool_call", features=["sub-agent"])
async def a_policy_that_fails_at_a_sub_agents_request_is_told_to_the_host(case: Case) -> None:
    asked: list[Any] = []

    def fail_inside(ctx: Any) -> None:
        asked.append(ctx)
        if len(asked) == 2:  # noqa: PLR2004 - the first one is the outer agent's
            break_down(ctx)

    case.at("pre_model_call", fail_inside, on_error="raise")
    outer, inner = await _with_inner(case, "went on", by="sub-agent")
    _told_to_the_host(case, outer)
    same(inner.requests, [], "the sub-agent's requests")


@check(*RUN, "pre_run", "pre_tool_call", features=["sub-agent"])
async def a_policy_that_fails_before_a_sub_agents_run_is_told_to_the_host(case: Case) -> None:
    outer, inner = await _with_failing_run(case, "pre_run")
    _told_to_the_host(case, outer)
    same(inner.requests, [], "the sub-agent's requests")


@check(*RUN, "post_run", "pre_tool_call", features=["sub-agent"])
async def a_policy_that_fails_after_a_sub_agents_run_is_told_to_the_host(case: Case) -> None:
    outer, _ = await _with_failing_run(case, "post_run")
    _told_to_the_host(case, outer)


async def _with_failing_run(case: Case, point: str) -> tuple[Result, Result]:
    def fail_inside(ctx: Any) -> None:
        if ctx.parent_run_id is not None:
            break_down(ctx)

    case.at(point, fail_inside, on_error="raise")
    return await _with_inner(case, "inner done", by="sub-agent")


@check(*MODEL, "pre_tool_call", features=["sub-agent"])
async def nobody_reads_the_reason_of_a_sub_agents_denied_request(case: Case) -> None:
    outer, inner = await _with_inner(case, "went on", by="sub-agent", text="STOP")
    same(inner.requests, [], "the sub-agent's requests")
    expect(REASON not in outer.sent, "the outer agent's model reads the reason")
    expect(REASON not in outer.outside, "the program reads the reason")


@check(*TOOL, features=["hand-off"])
async def a_policy_that_fails_after_a_hand_off_is_told_to_the_host(case: Case) -> None:
    asked = [call("broken", "inner-0", x="1")]
    outer, inner = await _with_inner(case, asked, "went on", by="hand-off")
    _told_to_the_host(case, outer)
    same(len(inner.requests), 1, "the number of the other agent's requests")


@check(*TOOL, features=["hand-off"])
async def a_hand_off_passes_hooks_that_answer_for_failures(case: Case) -> None:
    case.at("post_tool_call", lambda ctx: "answered" if ctx.error else None)
    outer, inner = await _with_inner(case, "inner done", by="hand-off")
    outer.answered("inner done")
    same(len(inner.requests), 1, "the number of the other agent's requests")


@check(*TOOL, features=["hand-off"])
async def the_tools_after_a_hand_off_are_judged(case: Case) -> None:
    _, inner = await _with_inner(case, _DANGER, "inner done", by="hand-off")
    same(case.office.calls, [], "the tools that ran")
    expect(MESSAGE in inner.result("inner-0"), "the other agent's model reads no message")


@check(*MODEL, features=["hand-off"])
async def the_requests_after_a_hand_off_are_redacted(case: Case) -> None:
    _, inner = await _with_inner(
        case, [call("secret", "inner-0", key="k")], "inner done", by="hand-off"
    )
    expect(inner.requests, "the other agent's provider was not asked")
    expect("hunter2" not in inner.sent, "the secret reached the other agent's provider")


def _pay(paid: list[str]) -> Any:
    def pay(x: str) -> str:
        """Pay somebody."""
        paid.append(x)
        return "paid"

    return pay


@check(*TOOL, features=["pause"])
async def a_pause_passes_hooks_that_answer_for_failures(case: Case) -> None:
    paid: list[str] = []
    case.at("post_tool_call", lambda ctx: "answered" if ctx.error else None, tools=["pay"])
    job = case.job([call("pay", x="1")], "done", tools={"pay": _pay(paid)})
    driver = case.driver(case.manager)
    token = await driver.pause(case.way, job)
    same(paid, [], "what was paid before the approval")
    same(len(job.provider.requests), 1, "the requests before the approval")
    answer = await driver.resume(case.way, job, token)
    same(paid, ["1"], "what was paid after the approval")
    expect("done" in str(answer), f"the answer is {answer!r}")


@check(*TOOL, features=["pause"])
async def a_call_that_a_person_has_approved_is_judged(case: Case) -> None:
    paid: list[str] = []
    job = case.job([call("pay", x="1")], "done", tools={"pay": _pay(paid)})
    driver = case.driver(case.manager)
    token = await driver.pause(case.way, job)
    case.at("pre_tool_call", lambda _: False, tools=["pay"], gate=True)
    await driver.resume(case.way, job, token)
    same(paid, [], "what was paid")


@check(*TOOL, "tool_finished", features=["pause"])
async def a_pause_is_no_failure(case: Case) -> None:
    job = case.job([call("pay", x="1")], "done", tools={"pay": _pay([])})
    driver = case.driver(case.manager)
    token = await driver.pause(case.way, job)
    expect(set(case.recorder.tools()) <= {("pay", "cancelled")}, f"{case.recorder.tools()}")
    await driver.resume(case.way, job, token)
    same(case.recorder.tools()[-1], ("pay", "ok"), "the last end")
