"""Functions as the dispatcher calls them: with the point's arguments, by position."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from contextlib import aclosing
from typing import Any

from hookcore_specs import Kind

from .points import PointSpec
from .signatures import parameters_of
from .validation import Candidate, is_async

__all__ = ["by_position"]


def by_position(candidate: Candidate, spec: PointSpec) -> Callable[..., Any]:
    """Return a callable that takes the point's arguments by position."""
    function = candidate.function
    if candidate.free_names:
        return function
    names = tuple(parameter.name for parameter in parameters_of(function))
    if names == spec.parameters:
        return function
    if not names:
        return _without_arguments(function)
    if spec.kind is Kind.WRAP:
        return _in_order(function)
    return function


def _in_order(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a wrap that takes ``ctx`` first, of the same form as one that takes it second."""
    if inspect.isgeneratorfunction(function):

        def generate(ctx: Any, call_next: Any) -> Any:
            return (yield from function(call_next, ctx))

        return generate
    if inspect.isasyncgenfunction(function):

        async def stream(ctx: Any, call_next: Any) -> Any:
            async with aclosing(function(call_next, ctx)) as events:
                async for event in events:
                    yield event

        return stream
    return lambda ctx, call_next: function(call_next, ctx)


def _without_arguments(function: Callable[[], Any]) -> Callable[[Any], Any]:
    if inspect.isgeneratorfunction(function):

        def generate(_ctx: Any) -> Any:
            return (yield from function())

        return generate
    if is_async(function):

        async def wait(_ctx: Any) -> Any:
            return await function()

        return wait
    return lambda _ctx: function()
