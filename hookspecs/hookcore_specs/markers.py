"""The markers ``hookimpl`` and ``hookspec``: pluggy's own, with hookcore's options beside them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, TypeVar, overload

import pluggy

from .contexts import HookContext
from .options import HookimplOptionsDict, HookOptions
from .points import Kind

if TYPE_CHECKING:
    from typing_extensions import Unpack

__all__ = [
    "PROJECT_NAME",
    "HookimplMarker",
    "HookspecMarker",
    "SpecOptions",
    "hook_options",
    "hookimpl",
    "hookspec",
    "spec_options",
]

PROJECT_NAME: Final = "hookcore"

_F = TypeVar("_F", bound=Callable[..., Any])
_HOOK_ATTRIBUTE: Final = "hookcore_options"
_SPEC_ATTRIBUTE: Final = "hookcore_spec_options"


class HookimplMarker:
    """Decorator that marks a function as a hook implementation (see :data:`hookimpl`)."""

    __slots__ = ("_mark",)

    def __init__(self) -> None:
        self._mark = pluggy.HookimplMarker(PROJECT_NAME)

    @overload
    def __call__(self, function: _F) -> _F: ...

    @overload
    def __call__(
        self, function: None = None, **options: Unpack[HookimplOptionsDict]
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
            tryfirst: run before the hooks without it (pluggy).
            trylast: run after the hooks without it (pluggy).
            wrapper: a generator with one ``yield`` around the rest of the chain (pluggy).
            optionalhook: no error when no point has this name (pluggy).
            specname: the point's name, when the function's own differs (pluggy).
            **options: see :class:`HookOptionsDict`.

        Raises:
            TypeError, ValueError: an option has a wrong type or value.
        """
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
    """The options of a point: its kind, the type of its payload and the context of its hooks."""

    kind: Kind = Kind.INTERCEPT
    payload: type | tuple[type, ...] = object
    context: type[HookContext] = HookContext
    false_aborts: bool = False
    """True when a returned ``False`` is an abort, as in CrewAI's pre points."""
    write_back: bool = False
    """True when a replacement is written into the host's own list."""
    after_body: bool = False
    """True when the payload is what the body gave, so that a replacement settles its error."""
    ends_run: bool = False
    """True when a run that no host opened is over when the dispatch is."""
    streams: bool = False
    """True when hooks may meet a streamed payload in pieces, with ``stream=``."""
    tool_filter: bool = False
    """True when hooks may be narrowed with ``tools=``; true where the context has a tool's name."""


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


def has_hook_options(function: object) -> bool:
    """Return whether :data:`hookimpl` left options on ``function``."""
    return isinstance(getattr(function, _HOOK_ATTRIBUTE, None), HookOptions)


def spec_options(function: object) -> SpecOptions:
    """Return the options that :data:`hookspec` left on ``function`` (defaults for pluggy's own)."""
    options = getattr(function, _SPEC_ATTRIBUTE, None)
    return options if isinstance(options, SpecOptions) else SpecOptions()


hookimpl: Final = HookimplMarker()
"""Marks a hook implementation: ``@hookimpl`` or ``@hookimpl(tools=["delete_*"], gate=True)``."""

hookspec: Final = HookspecMarker()
"""Marks a point's specification: ``@hookspec`` or ``@hookspec(kind="observe", payload=dict)``."""
