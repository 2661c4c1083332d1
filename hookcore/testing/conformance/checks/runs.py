"""The runs around it all."""

from __future__ import annotations

import asyncio
from typing import Any

from hookcore_specs import Abort, hookimpl

from ....hosting.checks import MESSAGE, REASON
from ..case import Case, call, expect, hook_at, same
from ..registry import RUN, check


@check(*RUN, "run_finished")
async def a_run_begins_and_ends_once(case: Case) -> None:
    await case.run(*case.steps())
    same(len(case.recorder.begun), 1, "the runs that began")
    same(case.statuses("run_finished"), ["ok"], "the ends of runs")
    same(case.recorder.runs()[0][1], None, "the parent's id")


@check(*RUN, "pre_tool_call", "pre_model_call")
async def all_that_happens_in_a_run_has_its_id(case: Case) -> None:
    ids: set[str | None] = set()
    for point in ("pre_tool_call", "post_tool_call", "pre_model_call", "post_model_call"):
        case.at(point, lambda ctx: ids.add(ctx.run_id))
    await case.run([call("add", a=1, b=2)], "done")
    same(ids, {case.recorder.begun[0].run_id}, "the ids")


@check("pre_run", "pre_model_call")
async def the_input_may_be_changed(case: Case) -> None:
    def change(ctx: Any) -> None:
        ctx.texts().replace(lambda text: text.replace("original", "changed"))

    case.at("pre_run", change)
    result = await case.run("done", text="the original question")
    result.answered("done")
    expect("the changed question" in result.sent, f"the provider was sent {result.sent}")
    expect("original" not in result.sent, f"the provider was sent {result.sent}")


@check("execution_start")
async def a_run_may_be_denied_at_its_start(case: Case) -> None:
    await _denied_before(case, "execution_start")


@check("input")
async def a_run_may_be_denied_at_its_input(case: Case) -> None:
    await _denied_before(case, "input")


@check("pre_run")
async def a_run_may_be_denied_before_it(case: Case) -> None:
    await _denied_before(case, "pre_run")


@check("post_run")
async def a_result_may_be_denied_after_the_run(case: Case) -> None:
    await _denied_after(case, "post_run")


@check("output")
async def an_output_may_be_denied(case: Case) -> None:
    await _denied_after(case, "output")


@check("execution_end")
async def a_result_may_be_denied_at_the_end(case: Case) -> None:
    await _denied_after(case, "execution_end")


@check("output")
async def an_output_may_be_changed(case: Case) -> None:
    def change(ctx: Any) -> None:
        ctx.texts().replace(lambda text: text.replace("original", "changed"))

    case.at("output", change)
    result = await case.run("the original answer")
    result.answered("the changed answer")


@check("run_finished", "pre_model_call")
async def a_run_that_a_policy_stops_ends_once(case: Case) -> None:
    await case.run("done", text="STOP")
    ends = case.statuses("run_finished")
    expect(len(ends) == 1 and ends[0] != "ok", f"the ends of runs: {ends}")


@check("run_finished")
async def a_run_that_fails_ends_once(case: Case) -> None:
    await case.run()
    same(case.statuses("run_finished"), ["error"], "the ends of runs")


@check("tool_finished", modes=["async", "stream"], in_loop=True)
async def what_is_cancelled_ends_once(case: Case) -> None:
    job = case.job([call("slow", n=2)], "done")
    task = asyncio.ensure_future(case.driver(case.manager).run(case.way, job))
    await asyncio.wait_for(case.office.started.wait(), 30)
    task.cancel()
    await asyncio.wait([task])
    for _ in range(20):
        await asyncio.sleep(0)
    same(case.recorder.tools(), [("slow", "cancelled")], "the ends of calls")
    if case.fires("run_finished"):
        same(case.statuses("run_finished"), ["cancelled"], "the ends of runs")


@check("pre_tool_call", heavy=True)
async def fifty_runs_at_once_keep_their_scopes_and_ids_apart(case: Case) -> None:
    seen: list[tuple[int, Any, Any]] = []
    driver = case.driver(case.manager)

    def tag(number: int) -> Any:
        return hook_at(
            "pre_tool_call", lambda ctx: seen.append((number, ctx.tool_input, ctx.run_id))
        )

    async def one(number: int) -> Any:
        job = case.job([call("lookup", f"c{number}", key=str(number))], f"answer {number}")
        with case.manager.scope(tag(number)):
            return await case.lead(driver, job)

    results = await asyncio.gather(*map(one, range(50)))
    for number, result in enumerate(results):
        result.answered(f"answer {number}")
    mixed = [item for item in seen if item[1]["key"] != str(item[0])]
    same(mixed, [], "the calls that another run's policy has judged")
    same(sorted(number for number, _, _ in seen), list(range(50)), "the runs that were judged")
    if case.fires("execution_start"):
        same(len({run_id for _, _, run_id in seen}), 50, "the number of the runs' ids")


@check(*RUN, heavy=True)
async def fifty_runs_at_once_keep_their_parents_apart(case: Case) -> None:
    driver = case.driver(case.manager)
    inner: dict[str | None, str | None] = {}
    case.at("execution_start", lambda ctx: inner.update({ctx.run_id: ctx.parent_run_id}))

    async def one(number: int) -> str | None:
        async with case.manager.run({}, message="all", session_id=f"s{number}") as run:
            result = await case.lead(driver, case.job(f"answer {number}"))
            result.answered(f"answer {number}")
        return run.run_id

    outer = await asyncio.gather(*map(one, range(50)))
    parents = [inner[run_id] for run_id in inner if run_id not in outer]
    same(sorted(map(str, parents)), sorted(map(str, outer)), "the parents' ids")


@check("pre_model_call", heavy=True)
async def fifty_requests_at_once_keep_their_scopes_apart(case: Case) -> None:
    seen: list[tuple[int, str]] = []
    driver = case.driver(case.manager)

    async def one(number: int) -> Any:
        text = f"question {number}."
        hook = hook_at("pre_model_call", lambda ctx: seen.append((number, str(ctx.texts()))))
        with case.manager.scope(hook):
            return await case.lead(driver, case.job(f"answer {number}", text=text))

    for number, result in enumerate(await asyncio.gather(*map(one, range(50)))):
        result.answered(f"answer {number}")
    mixed = [(number, text) for number, text in seen if f"question {number}." not in text]
    same(mixed, [], "the requests that another run's policy has judged")
    same(sorted(number for number, _ in seen), list(range(50)), "the runs that were judged")


@check("pre_tool_call")
async def a_scope_around_the_program_holds_inside_and_nowhere_else(case: Case) -> None:
    class Deny:
        @hookimpl(tools=["add"], gate=True)
        def pre_tool_call(self, ctx: Any) -> Any:  # noqa: ARG002 - found by its name
            return Abort(REASON, message=MESSAGE)

    driver = case.driver(case.manager)
    with case.manager.scope(Deny()):
        await case.lead(driver, case.job([call("add", a=1, b=2)], "done"))
    same(case.office.calls, [], "the calls inside the scope")
    await case.lead(driver, case.job([call("add", a=1, b=2)], "done"))
    same(case.office.names(), ["add"], "the calls after it")


@check(*RUN)
async def a_run_of_the_programs_own_is_the_parent(case: Case) -> None:
    driver = case.driver(case.manager)
    async with case.manager.run({}, message="all") as run:
        (await case.lead(driver, case.job("done"))).answered("done")
    same(case.recorder.runs()[-1][1], run.run_id, "the parent's id")


async def _denied_before(case: Case, point: str) -> None:
    case.at(point, lambda _: Abort(REASON, message=MESSAGE))
    result = await case.run("done")
    result.denied()
    same(result.requests, [], "the requests that reached the provider")


async def _denied_after(case: Case, point: str) -> None:
    case.at(point, lambda _: Abort(REASON, message=MESSAGE))
    result = await case.run("the original answer")
    result.denied()
    expect("original" not in repr(result.answer), f"the program has {result.answer!r}")
