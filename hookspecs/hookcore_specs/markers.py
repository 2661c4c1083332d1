"""The markers ``hookimpl`` and ``hookspec``: pluggy's own, with hookcore's options beside them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any, Final, Literal, TypeVar, overload

import pluggy

from .contexts import HookContext
from .points import Kind

__all__ = [
    "PROJECT_NAME",
    "HookOptions",
    "HookimplMarker",
    "HookspecMarker",
    "OnError",
    "SpecOptions",
    "StreamMode",
    "hook_options",
    "hookimpl",
    "hookspec",
    "spec_options",
]

PROJECT_NAME: Final = "hookcore"
OnError = Literal["allow", "deny", "raise"]
StreamMode = Literal["buffer", "window", "observe"]
DEFAULT_WINDOW: Final = 1024

_F = TypeVar("_F", bound=Callable[..., Any])
_HOOK_ATTRIBUTE: Final = "hookcore_options"
_SPEC_ATTRIBUTE: Final = "hookcore_spec_options"


@dataclass(frozen=True, slots=True)
class HookOptions:
    """The options that an author gives to one hook, checked when they are made."""

    tools: tuple[str, ...] | None = None
    agents: tuple[str, ...] | None = None
    priority: int | None = None
    on_error: OnError | None = None
    timeout: float | None = None
    offload: bool = False
    gate: bool = False
    stream: StreamMode = "buffer"
    window: int = DEFAULT_WINDOW

    @classmethod
    def checked(
        cls,
        *,
        tools: Iterable[str] | None = None,
        agents: Iterable[str] | None = None,
        priority: int | None = None,
        on_error: OnError | None = None,
        timeout: float | None = None,
        offload: bool = False,
        gate: bool = False,
        stream: StreamMode = "buffer",
        window: int = DEFAULT_WINDOW,
    ) -> HookOptions:
        """Return options, or raise :exc:`TypeError` or :exc:`ValueError` that names the bad one."""
        if priority is not None and (isinstance(priority, bool) or not isinstance(priority, int)):
            raise TypeError(f"priority= takes a whole number, not {priority!r}")
        _check_choice("on_error", on_error, (None, "allow", "deny", "raise"))
        _check_choice("stream", stream, ("buffer", "window", "observe"))
        if isinstance(window, bool) or not isinstance(window, int) or window < 1:
            raise ValueError(f"window= takes a positive number of characters, not {window!r}")
        if window != DEFAULT_WINDOW and stream != "window":
            raise ValueError('window= has a meaning only with stream="window"')
        for name, flag in (("offload", offload), ("gate", gate)):
            if not isinstance(flag, bool):
                raise TypeError(f"{name}= takes True or False, not {flag!r}")
        return cls(
            tools=name_patterns("tools", tools),
            agents=name_patterns("agents", agents),
            priority=priority,
            on_error=on_error,
            timeout=checked_timeout(timeout),
            offload=offload,
            gate=gate,
            stream=stream,
            window=window,
        )


def checked_timeout(timeout: float | None) -> float | None:
    """Return ``timeout`` (seconds) as a float; raise when it is not a positive number."""
    if timeout is None:
        return None
    if isinstance(timeout, bool) or not isinstance(timeout, int | float):
        raise TypeError(f"timeout= takes a number of seconds, not {timeout!r}")
    if not 0 < timeout < float("inf"):
        raise ValueError(f"timeout= takes a positive number of seconds, not {timeout!r}")
    return float(timeout)


def name_patterns(option: str, patterns: Iterable[str] | None) -> tuple[str, ...] | None:
    """Return name patterns as a tuple; raise :exc:`TypeError` for a bare string or a non-string."""
    if patterns is None:
        return None
    if isinstance(patterns, str | bytes):
        raise TypeError(f"{option}= takes a list of names or globs: write {option}=[{patterns!r}]")
    result = tuple(patterns)
    for pattern in result:
        if not isinstance(pattern, str) or not pattern:
            raise TypeError(f"{option}= takes non-empty strings, not {pattern!r}")
    if not result:
        raise ValueError(f"{option}=[] would match nothing: leave it out to match everything")
    return result


def _check_choice(option: str, value: object, choices: tuple[object, ...]) -> None:
    if value not in choices:
        words = ", ".join(repr(choice) for choice in choices if choice is not None)
        raise ValueError(f"{option}= takes one of {words}, not {value!r}")


class HookimplMarker:
    """Decorator that marks a function as a hook implementation (see :data:`hookimpl`)."""

    __slots__ = ("_mark",)

    def __init__(self) -> None:
        self._mark = pluggy.HookimplMarker(PROJECT_NAME)

    @overload
    def __call__(self, function: _F) -> _F: ...

    @overload
    def __call__(
        self,
        function: None = None,
        *,
        tools: Iterable[str] | None = None,
        agents: Iterable[str] | None = None,
        priority: int | None = None,
        on_error: OnError | None = None,
        timeout: float | None = None,
        offload: bool = False,
        gate: bool = False,
        stream: StreamMode = "buffer",
        window: int = DEFAULT_WINDOW,
        tryfirst: bool = False,
        trylast: bool = False,
        wrapper: bool = False,
        optionalhook: bool = False,
        specname: str | None = None,
    ) -> Callable[[_F], _F]: ...

    def __call__(
        self,
        function: _F | None = None,
        *,
        tryfirst: bool = False,
        trylast: bool = False,
        wrapper: bool = False,
        optionalhook: bool = False,
        specname: str | None = None,
        **options: Any,
    ) -> Any:
        """Mark ``function``; with keywords only, return the decorator that marks.

        Args:
            function: the hook: one argument ``ctx``; at wrap points ``ctx, call_next``.
            tools: names or globs of the tools it is for (tool points only).
            agents: roles, names or globs of the agents it is for.
            priority: lower runs first; 100 when nobody says otherwise.
            on_error: what a failure of the hook does: ``"allow"``, ``"deny"`` or ``"raise"``.
            timeout: seconds after which the hook has failed.
            offload: run a plain function in a worker thread under an async host.
            gate: only lets pass or aborts, and judges the final value.
            stream: how it meets a streamed response: ``"buffer"`` judges all of it before any of
                it leaves; ``"window"`` is called with the text held back so far and may rewrite
                it; ``"observe"`` is told the whole response afterwards and changes nothing.
            window: the characters that ``stream="window"`` holds back; more than 8,192 make it
                ``"buffer"``.
            tryfirst: run before the hooks without it (pluggy).
            trylast: run after the hooks without it (pluggy).
            wrapper: a generator with one ``yield`` around the rest of the chain (pluggy).
            optionalhook: no error when no point has this name (pluggy).
            specname: the point's name, when the function's own differs (pluggy).
            **options: the options above the line of pluggy's, by their names.

        Raises:
            TypeError, ValueError: an option has a wrong type or value.
        """
        for name in options:
            if name not in HookOptions.__slots__:
                near = get_close_matches(name, HookOptions.__slots__, n=1)
                meant = f": did you mean {near[0]}=?" if near else ""
                raise TypeError(f"hookimpl has no option {name!r}{meant}")
        checked = HookOptions.checked(**options)
        if tryfirst and trylast:
            raise ValueError("tryfirst= and trylast= exclude each other")

        def decorate(target: _F) -> _F:
            self._mark(
                target,
                tryfirst=tryfirst,
                trylast=trylast,
                wrapper=wrapper,
                optionalhook=optionalhook,
                specname=specname,
            )
            setattr(target, _HOOK_ATTRIBUTE, checked)
            return target

        return decorate if function is None else decorate(function)


@dataclass(frozen=True, slots=True)
class SpecOptions:
    """What a point is: its kind, the type of its payload and the context its hooks receive."""

    kind: Kind = Kind.INTERCEPT
    payload: type | tuple[type, ...] = object
    context: type[HookContext] = HookContext
    false_aborts: bool = False
    """Whether a returned ``False`` is an abort, as in CrewAI's pre points."""
    write_back: bool = False
    """Whether a replacement is written into the host's own list."""
    after_body: bool = False
    """Whether the payload is what the body gave, so that a replacement settles its error."""
    ends_run: bool = False
    """Whether a run that no host opened is over when the dispatch is."""
    streams: bool = False
    """Whether hooks may meet a streamed payload in pieces, with ``stream=``."""
    tool_filter: bool = False
    """Whether hooks may be narrowed with ``tools=``; true where the context has a tool's name."""


class HookspecMarker:
    """Decorator that marks a function as the specification of a point (see :data:`hookspec`)."""

    __slots__ = ("_mark",)

    def __init__(self) -> None:
        self._mark = pluggy.HookspecMarker(PROJECT_NAME)

    @overload
    def __call__(self, function: _F) -> _F: ...

    @overload
    def __call__(
        self,
        function: None = None,
        *,
        kind: Kind | str = Kind.INTERCEPT,
        payload: type | tuple[type, ...] = object,
        context: type[HookContext] = HookContext,
        false_aborts: bool = False,
        write_back: bool = False,
        after_body: bool = False,
        ends_run: bool = False,
        streams: bool = False,
        tool_filter: bool | None = None,
    ) -> Callable[[_F], _F]: ...

    def __call__(
        self,
        function: _F | None = None,
        *,
        kind: Kind | str = Kind.INTERCEPT,
        payload: type | tuple[type, ...] = object,
        context: type[HookContext] = HookContext,
        false_aborts: bool = False,
        write_back: bool = False,
        after_body: bool = False,
        ends_run: bool = False,
        streams: bool = False,
        tool_filter: bool | None = None,
    ) -> Any:
        """Mark ``function`` as a point's specification.

        Args:
            function: takes ``ctx``; at wrap points ``ctx, call_next``.
            kind: a :class:`Kind` or its name; intercept by default.
            payload: the type, or types, that a replacement must have; any by default.
            context: the context class that hosts dispatch at this point.
            false_aborts: whether a returned ``False`` aborts.
            write_back: whether a replacement is written into the host's own list.
            after_body: whether the point stands behind an operation, so that the payload is what
                came out of it, and a replacement puts a value in the place of its error.
            ends_run: whether the states of a run that no host opened are dropped here.
            streams: whether hooks may take a streamed payload in pieces, with ``stream=``.
            tool_filter: whether ``tools=`` has a meaning; when None, where the context has a
                ``tool_name``.

        Raises:
            ValueError: ``kind`` names no kind.
            TypeError: ``payload`` is no type, or ``context`` no context class.
        """
        try:
            checked_kind = Kind(kind)
        except ValueError:
            known = ", ".join(repr(str(member)) for member in Kind)
            raise ValueError(f"kind= takes one of {known}, not {kind!r}") from None
        types = payload if isinstance(payload, tuple) else (payload,)
        if not types or not all(isinstance(item, type) for item in types):
            raise TypeError(f"payload= takes a type or a tuple of types, not {payload!r}")
        if not (isinstance(context, type) and issubclass(context, HookContext)):
            raise TypeError(f"context= takes a subclass of HookContext, not {context!r}")
        if tool_filter is None:
            tool_filter = hasattr(context, "tool_name")
        options = SpecOptions(
            checked_kind,
            payload,
            context,
            false_aborts=false_aborts,
            write_back=write_back,
            after_body=after_body,
            ends_run=ends_run,
            streams=streams,
            tool_filter=tool_filter,
        )

        def decorate(target: _F) -> _F:
            self._mark(target)
            if after_body:
                context.settled_points.add(target.__name__)
            setattr(target, _SPEC_ATTRIBUTE, options)
            return target

        return decorate if function is None else decorate(function)


def hook_options(function: object) -> HookOptions:
    """Return the options that :data:`hookimpl` left on ``function`` (defaults for pluggy's own)."""
    options = getattr(function, _HOOK_ATTRIBUTE, None)
    return options if isinstance(options, HookOptions) else HookOptions()


def spec_options(function: object) -> SpecOptions:
    """Return the options that :data:`hookspec` left on ``function`` (defaults for pluggy's own)."""
    options = getattr(function, _SPEC_ATTRIBUTE, None)
    return options if isinstance(options, SpecOptions) else SpecOptions()


hookimpl: Final = HookimplMarker()
"""Marks a hook implementation: ``@hookimpl`` or ``@hookimpl(tools=["delete_*"], gate=True)``."""

hookspec: Final = HookspecMarker()
"""Marks a point's specification: ``@hookspec`` or ``@hookspec(kind="observe", payload=dict)``."""
