"""What of a plugin wants to be a hook, and how such a function is called."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterator
from contextlib import aclosing
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pluggy

from hookcore_specs import HookOptions, Kind, hook_options

from ..errors import RegistrationError
from .hook import PluginDefaults
from .marks import OnMark, marks_of
from .options import OperatorOptions
from .points import PointSpec, suggestion
from .validation import Candidate, is_async

__all__ = ["by_position", "candidates_of", "chosen", "defaults_of", "on_candidate"]


def by_position(candidate: Candidate, spec: PointSpec) -> Callable[..., Any]:
    """Return a callable that takes the point's arguments by position."""
    function = candidate.function
    if candidate.free_names:
        return function
    names = tuple(inspect.signature(function).parameters)
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


def candidates_of(pm: pluggy.PluginManager, plugin: Any, where: str) -> Iterator[Candidate]:
    """Yield what a plugin marks with ``@hookimpl`` or ``@on``, in the order of the names."""
    if inspect.isroutine(plugin) or isinstance(plugin, functools.partial):
        for mark in marks_of(plugin):
            yield on_candidate(plugin, mark, where)
        return
    for name in dir(plugin):
        if name.startswith("__"):
            continue  # no hook has such a name, and every object has dozens of them
        flags = pm.parse_hookimpl_opts(plugin, name)
        if flags is not None:
            function = getattr(plugin, name)
            yield Candidate(
                where=f"{where}: hook {name}",
                point=flags.get("specname") or name,
                function=function,
                options=hook_options(function),
                flags=flags,
            )
        for mark in marks_of(inspect.getattr_static(plugin, name, None)):
            yield on_candidate(getattr(plugin, name), mark, f"{where}: hook {name}")


def on_candidate(function: Callable[..., Any], mark: OnMark, where: str) -> Candidate:
    """Return the candidate that one ``@on`` mark makes of a function."""
    wrapper = inspect.isgeneratorfunction(function)
    return Candidate(where, mark.point, function, mark.options, {"wrapper": wrapper}, True)


def defaults_of(plugin: Any, where: str) -> PluginDefaults:
    """Return the author's defaults, which stand as attributes on the plugin.

    Raises:
        RegistrationError: one of them has a wrong type or value.
    """
    if inspect.isroutine(plugin):
        return PluginDefaults()
    values = {name: getattr(plugin, name, None) for name in ("on_error", "priority", "timeout")}
    # ``def priority(self)`` is some other framework's word, not a default of ours.
    given: dict[str, Any] = {name: None if callable(v) else v for name, v in values.items()}
    try:
        options = HookOptions.checked(**given)
    except (TypeError, ValueError) as error:
        raise RegistrationError(f"{where}: {error} (an attribute of the plugin)", plugin) from None
    return PluginDefaults(options.on_error, options.priority, options.timeout)


def chosen(
    found: list[tuple[Candidate, PointSpec]], operator: OperatorOptions, where: str
) -> list[tuple[Candidate, PointSpec]]:
    """Return the candidates at the points that the operator chose; all when he chose none.

    Raises:
        RegistrationError: he names a point where the plugin has no hook.
    """
    if operator.points is None:
        return found
    have = {spec.name for _, spec in found}
    for point in operator.points:
        if point not in have:
            raise RegistrationError(
                f"{where}: the configuration's points = [...] names {point!r}, where it has no "
                f"hook{suggestion(point, have)} (it has hooks at {', '.join(sorted(have))})"
            )
    return [(candidate, spec) for candidate, spec in found if spec.name in operator.points]
