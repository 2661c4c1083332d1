"""The runtime as a whole: what it does without policies, and what it declares."""

from __future__ import annotations

from typing import Any

from hookcore_specs import hookimpl

from ....hosting import MODEL_POINTS, RUN_POINTS, TOOL_POINTS
from ....manager import HookManager
from ..case import Case, Result, same
from ..registry import check


async def _both(case: Case, *steps: Any, **options: Any) -> tuple[Result, Result]:
    """Return how a conversation ends in the runtime as it is, and under an empty manager."""
    bare = await case.lead(case.driver(None), case.job(*steps, **options))
    idle = await case.lead(case.driver(HookManager()), case.job(*steps, **options))
    return bare, idle


@check()
async def without_policies_an_answer_is_what_it_is_without_hookcore(case: Case) -> None:
    bare, idle = await _both(case, *case.steps(), text="a question")
    bare.answered("done")
    same(idle.answer, bare.answer, "the answer")
    same(idle.requests[-1].results, bare.requests[-1].results, "the tools' results")
    same(len(idle.requests), len(bare.requests), "the number of requests")


@check(modes=["stream"])
async def without_policies_a_stream_has_the_items_that_it_has_without_hookcore(case: Case) -> None:
    bare, idle = await _both(case, "alpha beta gamma")
    same(len(idle.job.shown), len(bare.job.shown), "the number of items")


@check()
async def what_fires_is_what_is_declared(case: Case) -> None:
    fired: set[str] = set()
    manager = HookManager()
    for point in (*RUN_POINTS, *MODEL_POINTS, *TOOL_POINTS):
        manager.register(_noting(point, fired))
    result = await case.lead(case.driver(manager), case.job(*case.steps()))
    result.answered("done")
    known = {*RUN_POINTS, *MODEL_POINTS, *TOOL_POINTS}
    declared = {str(point) for point in case.kind.host.points}
    same(fired, declared & known, "the points that fired, beside those that are declared")


def _noting(point: str, fired: set[str]) -> Any:
    """Return a plugin that notes that a point has fired."""

    def hook(ctx: Any) -> None:  # noqa: ARG001 - found by its name
        fired.add(point)

    def wrap(ctx: Any, call_next: Any) -> Any:  # noqa: ARG001 - found by its name
        fired.add(point)
        return (yield)

    options: dict[str, Any] = {"stream": "observe"} if point == "post_model_call" else {}
    function = wrap if point.startswith("wrap_") else hook
    marked = hookimpl(specname=point, **options)(function)
    return type("Noting", (), {"hook": staticmethod(marked)})()
