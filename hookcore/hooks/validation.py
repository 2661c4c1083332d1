"""Checks of hook implementations before pluggy sees them: never a silent no-op."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import FunctionType
from typing import Any
from weakref import WeakKeyDictionary

from hookcore_specs import HookOptions, Kind

from ..errors import RegistrationError
from ..naming.names import check_name_pattern
from ..naming.suggest import did_you_mean
from .points import PointSpec, PointTable
from .signatures import parameters_of

__all__ = ["Candidate", "check_candidate", "is_async"]

_KEYWORD_TRAPS: dict[Any, str] = {
    inspect.Parameter.KEYWORD_ONLY: "is keyword-only, and hooks are called by position",
    inspect.Parameter.VAR_KEYWORD: "collects keywords, and would always be empty",
    inspect.Parameter.VAR_POSITIONAL: "collects positions, and would hide a wrong signature",
}


@dataclass(frozen=True, slots=True)
class Candidate:
    """A function that wants to be a hook, before it is one."""

    where: str
    """The plugin and the attribute, for messages."""
    point: str
    function: Callable[..., Any]
    options: HookOptions
    flags: Mapping[str, Any]
    """pluggy's options: wrapper, hookwrapper, tryfirst, trylast, optionalhook, specname."""
    free_names: bool = False
    """True when the parameters may have any name, as an ``@on`` function's may."""


def is_async(function: Callable[..., Any]) -> bool:
    """Tell whether calling ``function`` gives a coroutine, as far as is known without calling."""
    while isinstance(function, functools.partial):
        function = function.func
    if inspect.iscoroutinefunction(function):
        return True
    call = getattr(type(function), "__call__", None)  # noqa: B004 - the method itself is wanted
    return inspect.iscoroutinefunction(call)


def check_candidate(candidate: Candidate, table: PointTable) -> PointSpec | None:
    """Return the point's spec, or None for an optional hook whose point does not exist.

    Raises:
        RegistrationError: what is wrong, where, and how to mend it.
    """
    spec = table.get(candidate.point)
    if spec is None:
        if candidate.flags.get("optionalhook"):
            return None
        raise _refused(
            candidate,
            f"there is no point {candidate.point!r}{did_you_mean(candidate.point, table)}",
        )
    if not callable(candidate.function):
        kind = type(candidate.function).__name__
        raise _refused(candidate, f"it is {kind}, which cannot be called as a hook")
    passed = _passed_of(candidate.function)
    if passed is not None and _what_was_checked(candidate, spec) in passed:
        return spec
    for check in (_check_signature, _check_shape, _check_options):
        problem = check(candidate, spec)
        if problem:
            raise _refused(candidate, problem)
    if passed is not None:
        passed.append(_what_was_checked(candidate, spec))
    return spec


# What a method has passed already: scopes register the same class again and again.
_passed: WeakKeyDictionary[Any, list[tuple[Any, ...]]] = WeakKeyDictionary()


def _what_was_checked(candidate: Candidate, spec: PointSpec) -> tuple[Any, ...]:
    return spec, candidate.options, candidate.free_names, tuple(candidate.flags.items())


def _passed_of(function: Any) -> list[tuple[Any, ...]] | None:
    if not inspect.ismethod(function) or type(function.__func__) is not FunctionType:
        return None
    return _passed.setdefault(function.__func__, [])


def _refused(candidate: Candidate, problem: str) -> RegistrationError:
    return RegistrationError(f"{candidate.where} cannot be registered: {problem}")


def _check_signature(candidate: Candidate, spec: PointSpec) -> str | None:
    try:
        parameters = list(parameters_of(candidate.function))
    except (TypeError, ValueError):
        return None  # a built-in without a signature: it takes what it is given
    for parameter in parameters:
        trap = _KEYWORD_TRAPS.get(parameter.kind)
        optional = parameter.default is not inspect.Parameter.empty
        if trap and not (candidate.free_names and (optional or trap[0] == "c")):
            return f"its parameter {parameter.name!r} {trap}: take ({', '.join(spec.parameters)})"
    return _check_names(candidate, spec, parameters)


def _check_names(
    candidate: Candidate, spec: PointSpec, parameters: list[inspect.Parameter]
) -> str | None:
    positional = [item for item in parameters if item.kind in _POSITIONAL]
    needed = [item for item in positional if item.default is inspect.Parameter.empty]
    if candidate.free_names:
        takes_rest = any(item.kind is inspect.Parameter.VAR_POSITIONAL for item in parameters)
        count = len(spec.parameters)
        if len(needed) > count or (len(positional) < count and not takes_rest):
            return f"it must take {count} argument(s) ({', '.join(spec.parameters)})"
        return None
    if _lacks_self(candidate.function, spec):
        return f"it has no self: a method takes (self, {', '.join(spec.parameters)})"
    names = [item.name for item in parameters]
    for name in names:
        if name not in spec.parameters:
            return (
                f"its parameter {name!r} is not one of the point's "
                f"({', '.join(spec.parameters)}), and pluggy passes arguments by name"
            )
    if spec.kind is Kind.WRAP and set(spec.parameters) - set(names):
        return f"a hook at a wrap point takes ({', '.join(spec.parameters)})"
    return None


def _lacks_self(function: Callable[..., Any], spec: PointSpec) -> bool:
    # The plugin itself would be bound to what looks like the context.
    if not inspect.ismethod(function):
        return False
    first = next(iter(inspect.signature(function.__func__).parameters), None)
    return first in spec.parameters


_POSITIONAL = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)


def _check_shape(candidate: Candidate, spec: PointSpec) -> str | None:
    if candidate.flags.get("hookwrapper"):
        return "hookwrapper=True is pluggy's old form: use wrapper=True"
    if spec.kind is Kind.WRAP:
        return _wrap_shape(candidate.function)
    if inspect.isasyncgenfunction(candidate.function):
        return "an async generator is a hook only at the wrap points"
    if spec.kind is Kind.COLLECT and is_async(candidate.function):
        return f"{spec.name} may fire on any thread, so its hooks are plain functions"
    return _wrapper_shape(candidate, spec)


def _wrap_shape(function: Callable[..., Any]) -> str | None:
    generator = inspect.isgeneratorfunction(function) or inspect.isasyncgenfunction(function)
    if generator or is_async(function):
        return None
    return (
        "a hook at a wrap point is an 'async def' that awaits call_next, an async generator, "
        "or a plain generator with one yield"
    )


def _wrapper_shape(candidate: Candidate, spec: PointSpec) -> str | None:
    generator = inspect.isgeneratorfunction(candidate.function)
    wrapper = bool(candidate.flags.get("wrapper"))
    if generator and not wrapper:
        return "it is a generator: mark it with wrapper=True, or return instead of yielding"
    if wrapper and spec.kind is not Kind.INTERCEPT:
        return f"wrapper=True has no meaning at {spec.name}, which is a {spec.kind} point"
    if wrapper and not generator:
        return "wrapper=True takes a plain generator function with one yield"
    return None


def _check_options(candidate: Candidate, spec: PointSpec) -> str | None:
    options, point = candidate.options, spec.name
    wraps = bool(candidate.flags.get("wrapper")) or spec.kind is Kind.WRAP
    is_chain_end = spec.kind is Kind.INTERCEPT and not wraps
    unkept = "cannot be kept by a hook that stands around others: leave it out"
    plain = not is_async(candidate.function)
    rules = (
        (
            options.tools is not None and not spec.has_tool,
            f"tools= has no meaning at {point}: only tool points have a tool to compare",
        ),
        (
            options.gate and not is_chain_end,
            "gate=True has no meaning here: a gate is a plain hook at an intercept point",
        ),
        (wraps and options.timeout is not None, f"timeout= {unkept}"),
        (wraps and options.offload, f"offload=True {unkept}"),
        (
            options.offload and not (plain and spec.kind in (Kind.INTERCEPT, Kind.OBSERVE)),
            "offload=True is for plain functions of intercept and observe points",
        ),
        (
            options.timeout is not None and spec.kind is Kind.COLLECT,
            f"timeout= has no meaning at {point}, whose hooks only answer yes or no",
        ),
        (
            options.stream == "window" and (options.gate or wraps),
            'stream="window" is for plain hooks: a gate, or a wrapper=True hook, judges the whole',
        ),
        (
            options.stream == "observe" and options.gate,
            'stream="observe" has no meaning for a gate, whose verdict counts',
        ),
        (
            options.stream != "buffer" and not spec.options.streams,
            f"stream= has no meaning at {point}, whose payload does not stream",
        ),
    )
    return next((problem for broken, problem in rules if broken), None) or _check_filters(options)


def _check_filters(options: HookOptions) -> str | None:
    for name, patterns in (("tools", options.tools), ("agents", options.agents)):
        for pattern in patterns or ():
            try:
                check_name_pattern(pattern)
            except ValueError as error:
                return f"{name}= has the pattern {pattern!r}, which matches no name: {error}"
    return None
