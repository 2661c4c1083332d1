"""Dispatches that a compiled plan does not cover: foreign contexts, and lists of hooks."""

from __future__ import annotations

import copy
from collections import OrderedDict
from collections.abc import Callable
from typing import Any

from hookcore import HookManager
from hookcore.hosting import ALL, Hook, Plan, Registry

from ._base import CrewContext, is_ours
from ._binding import binding
from ._bus import connect_if_serving
from ._calls import LLMCallHookContext, ToolCallHookContext
from ._dialect import CREWAI
from ._foreign import ForeignContext, Reducer, calling_origin
from ._lists import registration

__all__ = ["dispatch_foreign", "dispatch_with", "run_listed"]

HookFn = Callable[..., Any]

_MOST_KEPT = 64
_LAST = 1 << 40
_ATTRIBUTES = {
    "pre_model_call": "messages",
    "post_model_call": "response",
    "pre_tool_call": "tool_input",
    "post_tool_call": "tool_result",
}

# The plans of lists of hooks; the key holds the hooks, so that their identities stay theirs.
_plans: OrderedDict[tuple[Any, ...], tuple[tuple[HookFn, ...], Plan]] = OrderedDict()


def dispatch_foreign(point: str, ctx: Any, reducer: Reducer | None, *, verbose: bool) -> Any:
    """Run a point's chain on an object that is no context of ours, or with another reducer."""
    manager = binding.manager
    plan = manager.parts.plans.of(point)
    if plan.hooks:
        _run_foreign(manager, plan, ctx, reducer, verbose=verbose)
    return ctx


def run_listed(
    point: str, ctx: Any, hooks: tuple[HookFn, ...], reducer: Reducer | None, *, verbose: bool
) -> Any:
    """Run a list of hooks as a dispatch of a point."""
    manager = binding.manager
    connect_if_serving(manager)
    _run_foreign(manager, _plan_of(manager, point, hooks), ctx, reducer, verbose=verbose)
    return ctx


def dispatch_with(point: str, ctx: CrewContext, hooks: tuple[HookFn, ...]) -> None:
    """Run a point's chain with some more hooks, after the global ones and before the scopes'."""
    manager = binding.manager
    plan = manager.parts.plans.of(point)
    more = [
        _placed(hook, number) for number, hook in enumerate(_plan_of(manager, point, hooks).hooks)
    ]
    ctx.arrive(point)
    binding.describe(ctx)
    whole = Plan(plan.spec, [*plan.hooks, *more])
    steps = manager.parts.plans.steps(whole, ctx, ALL, asynchronous=False)
    if steps is not None:
        manager.parts.services.drive(steps)


def _placed(hook: Hook, number: int) -> Hook:
    twin = copy.copy(hook)
    twin.key = (*hook.key[:-2], _LAST, number)
    return twin


def _plan_of(manager: HookManager, point: str, hooks: tuple[HookFn, ...]) -> Plan:
    key = (id(manager), point, *map(id, hooks))
    found = _plans.get(key)
    if found is not None:
        return found[1]
    registry = Registry(manager.parts.table)
    for hook in hooks:
        registry.add_function(registration(point, hook, None))
    spec = manager.parts.table.find(point)
    plan = Plan(spec, registry.hooks_at(spec.name))
    _plans[key] = (hooks, plan)
    while len(_plans) > _MOST_KEPT:
        _plans.popitem(last=False)
    return plan


def _run_foreign(
    manager: HookManager, plan: Plan, ctx: Any, reducer: Reducer | None, *, verbose: bool
) -> None:
    point = plan.spec.name
    attribute = _payload_attribute(point, ctx)
    ours = is_ours(ctx)
    if ours:
        ctx.arrive(point)
    stand_in = ForeignContext(ctx, reducer or _replace_payload, attribute, quiet=not verbose)
    if ours:
        stand_in.attributes = ctx.attributes
    binding.describe(stand_in)
    foreign = Plan(plan.spec, map(_for_origin, plan.hooks))
    steps = manager.parts.plans.steps(foreign, stand_in, ALL, asynchronous=False)
    try:
        if steps is not None:
            manager.parts.services.drive(steps)
    finally:
        stand_in.push()


def _replace_payload(ctx: Any, result: Any) -> bool:
    # Our call contexts have a payload that CrewAI's have not: there a result means nothing.
    about_a_call = isinstance(ctx, (LLMCallHookContext, ToolCallHookContext))
    if result is None or about_a_call or not hasattr(ctx, "payload"):
        return False
    ctx.payload = result
    return True


def _payload_attribute(point: str, ctx: Any) -> str | None:
    if is_ours(ctx):
        return "payload"
    for name in (_ATTRIBUTES.get(point), "payload"):
        if name is not None and hasattr(ctx, name):
            return name
    return None


def _for_origin(hook: Hook) -> Hook:
    """Return a hook of CrewAI's that gets the caller's object; any other hook as it is."""
    if hook.dialect is not CREWAI:
        return hook
    twin = copy.copy(hook)
    twin.call = calling_origin(hook.call)
    twin.original = hook.original
    return twin
