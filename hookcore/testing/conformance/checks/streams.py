"""The responses that come in pieces."""

from __future__ import annotations

import asyncio
from typing import Any

from hookcore_specs import hookimpl

from ....hosting import Mode
from ....hosting.checks import Recorder
from ....manager import HookManager
from ..case import Case, call, expect, hook_at, same
from ..registry import check

_STREAM: tuple[Mode, ...] = ("stream",)


@check("post_model_call", modes=_STREAM)
async def nothing_of_a_judged_stream_leaves_before_the_verdict(case: Case) -> None:
    job = case.job("alpha beta gamma")
    seen: list[str] = []
    case.at("post_model_call", lambda _: seen.extend(job.shown), gate=True)
    result = await case.lead(case.driver(case.manager), job)
    result.answered("alpha beta gamma")
    expect("alpha" not in "".join(seen), f"before the verdict left {seen}")


@check("post_model_call", modes=_STREAM)
async def nothing_of_a_replaced_stream_leaves_in_any_form(case: Case) -> None:
    case.at("post_model_call", lambda _: "changed")
    result = await case.run("alpha beta gamma")
    result.answered("changed")
    expect("alpha" not in result.outside, f"the program reads {result.outside}")
    expect("gamma" not in result.outside, f"the program reads {result.outside}")


@check("post_model_call", modes=_STREAM)
async def a_window_hook_rewrites_every_form_of_the_text(case: Case) -> None:
    class Window:
        @hookimpl(stream="window")
        def post_model_call(self, ctx: Any) -> None:
            ctx.texts().replace(lambda text: text.replace("beta", "[gone]"))

    manager = HookManager()
    manager.register(Window())
    result = await case.lead(case.driver(manager), case.job("alpha beta gamma"))
    result.answered("alpha [gone] gamma")
    expect("beta" not in result.outside, f"the program reads {result.outside}")


@check("post_model_call", features=["pieces"], modes=_STREAM)
async def an_unjudged_stream_leaves_in_pieces(case: Case) -> None:
    class Observing:
        @hookimpl(stream="observe")
        def post_model_call(self, ctx: Any) -> None: ...

    manager = HookManager()
    manager.register(Observing())
    result = await case.lead(case.driver(manager), case.job("alpha beta gamma"))
    result.answered("alpha beta gamma")
    early = [item for item in result.job.shown if "alpha" in item and "gamma" not in item]
    expect(early, f"the program is shown {result.job.shown}")


@check("pre_model_call", "model_finished", modes=_STREAM)
async def a_stream_that_is_left_early_ends_once(case: Case) -> None:
    manager, recorder = HookManager(), Recorder()
    begun: list[str | None] = []
    manager.register(recorder)
    manager.register(hook_at("pre_model_call", lambda ctx: begun.append(ctx.call_id)))
    result = await case.lead(case.driver(manager), case.job("alpha beta gamma", leaves=True))
    for _ in range(20):
        await asyncio.sleep(0)
    expect(result.has_left, f"the program did not go away: {result.error!r}")
    ends = recorder.statuses("model_finished")
    same(len(ends), len(begun), "the ends of requests")
    if case.fires("run_finished"):
        same(len(recorder.statuses("run_finished")), len(recorder.begun), "the ends of runs")


@check("post_model_call", "pre_tool_call", modes=_STREAM)
async def calls_in_a_stream_are_whole_when_they_are_judged(case: Case) -> None:
    seen: list[str] = []
    case.at("post_model_call", lambda ctx: seen.append(str(ctx.texts())), gate=True)
    await case.run([call("lookup", key="a long key of several words")], "done")
    expect("a long key of several words" in seen[0], f"the gate was shown {seen}")
