"""CrewAI's dispatcher: its functions, each a few lines over the one manager.

``dispatch`` gives the context to :meth:`HookManager.dispatch`. What is CrewAI's own (how answers
are read, that a failure shows in yellow) travels with each registered hook as its dialect.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from hookcore.hosting import source_name
from hookcore_specs import HookAborted

from ._base import is_ours
from ._binding import binding
from ._explicit import run_listed
from ._filters import is_method, sanitized, with_filters
from ._foreign import Reducer
from ._lanes import dispatch_other
from ._lists import LISTS, HookList
from ._points import EXECUTION_BOUNDARY_POINTS, InterceptionPoint
from ._prepare import hand_over
from ._scopes import get_scoped_hooks, refresh, register_scoped, scoped_hooks

__all__ = [
    "EXECUTION_BOUNDARY_POINTS",
    "HookAborted",
    "HookFn",
    "InterceptionPoint",
    "Reducer",
    "clear",
    "clear_all",
    "dispatch",
    "get_global_hook_list",
    "get_hooks",
    "get_scoped_hooks",
    "on",
    "register",
    "register_scoped",
    "run_hooks",
    "scoped_hooks",
    "source_name",
    "unregister",
]

HookFn = Callable[..., Any]
_F = TypeVar("_F", bound=HookFn)


def get_global_hook_list(point: str) -> HookList:
    """Return the live list of a point's hooks; it is the same object for the process's life."""
    return LISTS[point]


def register(point: str, hook: HookFn) -> None:
    """Register a hook as the last one of a point.

    Raises:
        RegistrationError: it cannot be called with a context.
    """
    LISTS[point].append(hook)


def unregister(point: str, hook: HookFn) -> bool:
    """Unregister a hook, also one that was registered with filters; say whether it was there."""
    return LISTS[point].discard(hook)


def get_hooks(point: str) -> list[HookFn]:
    """Return the hooks of a point, without those of scopes."""
    return list(LISTS[point])


def clear(point: str) -> int:
    """Unregister all hooks of a point and return how many there were."""
    return LISTS[point].empty()


def clear_all() -> None:
    """Unregister all hooks of all points; scopes and installed policies stay."""
    for hooks in LISTS.values():
        hooks.empty()


def dispatch(point: str, ctx: Any, *, reducer: Reducer | None = None, verbose: bool = True) -> Any:
    """Run all hooks of a point: policies and registered hooks as one chain, then the scopes'.

    Args:
        point: the point.
        ctx: what the hooks get; any object.
        reducer: reads what a hook returned into the context; by default what is not None
            replaces ``ctx.payload``.
        verbose: whether failures of hooks are printed.

    Returns:
        the context.

    Raises:
        HookAborted: a hook stopped the operation.
        UnknownPointError: there is no such point.
    """
    # The common case in line: a function more would cost a tenth of the dispatch of one hook.
    if binding.busy:
        _prepare(point, ctx)
    try:
        lane = binding.lanes[point]
    except KeyError:
        raise binding.manager.parts.plans.misused(point) from None
    if lane is None:
        return ctx
    wanted, kind, after, run, finish = lane
    if reducer is not wanted or type(ctx) is not kind:
        dispatch_other(point, ctx, reducer, verbose=verbose)
        return ctx
    ctx.quiet = not verbose
    if ctx._settled is not after:
        ctx.arrive(point)
    given = ctx.payload
    left = run(ctx)
    if left is not None:
        finish(ctx, left)
    if ctx.payload is not given and not after:
        hand_over(ctx, given)
    return ctx


def _prepare(point: str, ctx: Any) -> None:
    """Take note of the scope, and of what the host knows."""
    refresh()
    if is_ours(ctx) and binding.manager.parts.plans.live.get(point) is not None:
        binding.describe(ctx)


def run_hooks(
    point: str,
    ctx: Any,
    hooks: list[HookFn],
    *,
    reducer: Reducer | None = None,
    verbose: bool = True,
) -> Any:
    """Run the given hooks, and no others, as a dispatch of a point.

    Args:
        point: the point.
        ctx: what the hooks get; any object.
        hooks: the hooks, in order.
        reducer: reads what a hook returned into the context.
        verbose: whether failures of hooks are printed.

    Returns:
        the context.

    Raises:
        HookAborted: a hook stopped the operation.
    """
    if not hooks:
        return ctx
    return run_listed(point, ctx, tuple(hooks), reducer, verbose=verbose)


def on(
    point: str, *, agents: list[str] | None = None, tools: list[str] | None = None
) -> Callable[[_F], _F]:
    """Make a function a hook of a point; return it unchanged.

    A method in a class body is only marked: ``@CrewBase`` binds it to each instance.

    Args:
        point: the point.
        agents: the roles that it is for, exactly as they are written.
        tools: the tools that it is for; any spelling that sanitises to the same name.

    Raises:
        RegistrationError: the function cannot be called with a context.
    """
    names = sanitized(tools)

    def decorate(function: _F) -> _F:
        hook = with_filters(function, agents, names)
        method = is_method(function)
        if not method:
            register(point, hook)
        _stamp(function, point, agents, names, None if method else hook)
        return function

    return decorate


def _stamp(function: Any, point: str, agents: Any, tools: Any, registered: HookFn | None) -> None:
    """Leave on a function what CrewAI leaves there; a bound method takes no attributes."""
    try:
        marks = getattr(function, "_interception_marks", ())
        function._interception_marks = ((point, agents, tools), *marks)
        function._interception_point = point
        if tools:
            function._filter_tools = tools
        if agents:
            function._filter_agents = agents
        if registered is not None:
            function._registered_hook = registered
    except AttributeError:
        return


def _wrap_with_filters(func: HookFn, agents: list[str] | None, tools: list[str] | None) -> HookFn:
    return with_filters(func, agents, sanitized(tools))


def _resolve_hooks(point: str) -> list[HookFn]:
    return [*LISTS[point], *get_scoped_hooks(point)]
