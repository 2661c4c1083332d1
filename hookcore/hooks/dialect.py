"""The answers of hooks of another system's API: the extension point of the adapters in compat."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from hookcore_specs import HookContext

from .marks import OnMark

__all__ = ["Dialect", "Registration"]


@dataclass(frozen=True, slots=True)
class Dialect:
    """The meaning of what another system's hooks return, and the way their failures are told.

    Args:
        settle: called as ``settle(hook, ctx, result, before)`` where a hook returned something or
            bound ``ctx.payload``; it makes the answer the payload and says whether it changed it.
            It raises :exc:`HookAborted` for an abort, anything else for a failure.
        report: called as ``report(hook, ctx, error)`` beside the log when a hook has failed; it
            raises :exc:`HookAborted` where the other system means an abort by such an error.
    """

    settle: Callable[[Any, HookContext, Any, Any], bool]
    report: Callable[[Any, HookContext, BaseException], object]


@dataclass(frozen=True, slots=True)
class Registration:
    """A function to register for one point, in its own dialect.

    Args:
        function: the hook; it takes the context.
        mark: the point and the options.
        dialect: how its answers are read.
        source: what an abort that names no source gets.
        removed: called when the hook has been unregistered, by whomever.
    """

    function: Callable[..., Any]
    mark: OnMark
    dialect: Dialect | None = None
    source: Any = None
    removed: Callable[[], object] | None = None
