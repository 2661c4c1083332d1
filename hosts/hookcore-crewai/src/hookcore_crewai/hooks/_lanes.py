"""The plan of a dispatch at each point, worked out whenever the manager's plans change.

CrewAI dispatches at every call; with this, most of what a dispatch has to know is one look-up away.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from hookcore import HookManager
from hookcore.hosting import Plan

from ._base import is_ours
from ._binding import Lane, binding
from ._explicit import dispatch_foreign
from ._foreign import Reducer
from ._prepare import KNOWN, STANDARD_REDUCERS, dispatch_boundary, dispatch_call, finish

__all__ = ["dispatch_other", "lanes_of"]

_NOBODYS = object()


def lanes_of(manager: HookManager) -> dict[str, Lane | None]:
    """Return each point's lane by name; None for a point without hooks."""
    return {
        name: None if plan is None else _lane(manager, plan)
        for name, plan in manager.parts.plans.live.items()
    }


def _lane(manager: HookManager, plan: Plan) -> Lane:
    # Contexts that are not about a call take the longer way, whoever dispatches them.
    reducer: Any = STANDARD_REDUCERS.get(plan.spec.name, _NOBODYS)
    kind, after = KNOWN.get(reducer, (None, False))
    return reducer, kind, bool(after), plan.ready().loop, partial(finish, manager, plan)


def dispatch_other(point: str, ctx: Any, reducer: Reducer | None, *, verbose: bool) -> None:
    """Do a dispatch that is not the point's usual one."""
    manager = binding.manager
    plan = manager.parts.plans.live[point]
    if plan is None:
        return  # the last hook has gone meanwhile
    usual = STANDARD_REDUCERS.get(plan.spec.name)
    kind, after = KNOWN[usual]
    if reducer is not usual or not is_ours(ctx, kind):
        dispatch_foreign(point, ctx, reducer, verbose=verbose)
        return
    ctx.quiet = not verbose
    if after is None:
        dispatch_boundary(manager, plan, ctx)
    else:
        dispatch_call(manager, plan, ctx, after=after)


binding.make_lanes = lanes_of
