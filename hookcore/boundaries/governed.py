"""``@manager.tool``: a function whose every call is a tool call."""

from __future__ import annotations

import functools
import inspect
from collections import OrderedDict
from collections.abc import Callable
from inspect import isawaitable, iscoroutine
from typing import Any, Literal

from ..dispatch.copying import copy_payload, same
from ..dispatch.plain import ATOMS
from ..hooks.validation import is_async
from .failed import BodyFailed

__all__ = ["governed"]


def governed(  # noqa: C901 - one branch for each kind of function
    function: Callable[..., Any],
    name: str | None,
    on_denied: Literal["raise", "return"],
    *,
    call_tool: Callable[..., Any],
    acall_tool: Callable[..., Any],
    is_idle: Callable[[], bool],
    gone_on: Callable[[BodyFailed], Any],
) -> Callable[..., Any]:
    """Return a function that calls ``function`` through the tool-call boundary.

    The arguments become the tool input by the parameters' names, defaults included; a method's
    ``self`` stays outside of it. A generator function gives a generator again.

    Args:
        function: the function.
        name: the tool's name; the function's own when None.
        on_denied: ``"raise"`` HookAborted, or ``"return"`` a :class:`Denied`.
        call_tool: the boundary, for plain functions.
        acall_tool: the boundary, for async ones.
        is_idle: tells that nobody sees a call, so that its arguments need no names.
        gone_on: gives what such a call goes on with after its body has failed.
    """
    if isinstance(function, (classmethod, staticmethod)):
        inner = governed(
            function.__func__,
            name,
            on_denied,
            call_tool=call_tool,
            acall_tool=acall_tool,
            is_idle=is_idle,
            gone_on=gone_on,
        )
        return type(function)(inner)  # a class makes a method of it
    signature = inspect.signature(function)
    tool_name = name or str(getattr(function, "__name__", type(function).__name__))
    arguments_of = _Arguments(function, signature, _receiver(function, signature))

    if inspect.isasyncgenfunction(function):

        @functools.wraps(function)
        async def agenerate(*args: Any, **kwargs: Any) -> Any:
            own, arguments, left_out = arguments_of.bind(args, kwargs)
            items = await acall_tool(
                tool_name,
                arguments,
                lambda given: arguments_of.call(own, given, left_out),
                tool=function,
                on_denied=on_denied,
            )
            if not hasattr(items, "__aiter__"):  # a denial
                yield items
                return
            async for item in items:
                yield item

        return agenerate

    if is_async(function):

        @functools.wraps(function)
        async def acall(*args: Any, **kwargs: Any) -> Any:
            if is_idle():
                try:
                    result = await function(*args, **kwargs)
                    while isawaitable(result):
                        result = await result
                except BodyFailed as failed:
                    return gone_on(failed)
                return result
            own, arguments, left_out = arguments_of.bind(args, kwargs)
            return await acall_tool(
                tool_name,
                arguments,
                lambda given: arguments_of.call(own, given, left_out),
                tool=function,
                on_denied=on_denied,
            )

        return acall

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        if is_idle():
            try:
                result = function(*args, **kwargs)
            except BodyFailed as failed:
                return gone_on(failed)
            if type(result) in ATOMS or not isawaitable(result):
                return result
            if iscoroutine(result):
                result.close()
            raise TypeError(
                f"{tool_name} returned a coroutine and is no async function: make it one"
            )
        own, arguments, left_out = arguments_of.bind(args, kwargs)
        return call_tool(
            tool_name,
            arguments,
            lambda given: arguments_of.call(own, given, left_out),
            tool=function,
            on_denied=on_denied,
        )

    return call


def _receiver(function: Callable[..., Any], signature: inspect.Signature) -> str | None:
    """Return the name of a method's first parameter, when the function stands in a class body."""
    holder, _, _ = str(getattr(function, "__qualname__", "")).rpartition(".")
    first = next(iter(signature.parameters), None)
    in_class = bool(holder) and not holder.endswith("<locals>") and not inspect.ismethod(function)
    return first if in_class and first in ("self", "cls") else None


def _is_data(value: Any) -> bool:
    """Return whether a copy of a value is as good as the value, for those who ask and the tool."""
    if value is inspect.Parameter.empty:
        return False
    try:
        twin = copy_payload(value)
        return twin is value or bool(twin == value)
    except Exception:  # noqa: BLE001 - it cannot be copied, or answers no comparison
        return False


def _is_same(value: Any, default: Any) -> bool:
    if same(value, default):
        return True
    if type(value) is not type(default) or isinstance(value, (dict, list, tuple)):
        return False
    try:
        return bool(value == default)
    except Exception:  # noqa: BLE001 - a comparison may raise anything
        return False


class _Arguments:
    """Turns a call's arguments into a tool input, and a tool input into arguments."""

    def __init__(
        self, function: Callable[..., Any], signature: inspect.Signature, receiver: str | None
    ) -> None:
        self._function = function
        self._signature = signature
        self._receiver = receiver
        defaults = {name: item.default for name, item in signature.parameters.items()}
        #: The defaults that are data. A mark of something left out, or a service, is no argument.
        self._defaults = {name: value for name, value in defaults.items() if _is_data(value)}

    def bind(
        self, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> tuple[Any, dict[str, Any], frozenset[str]]:
        """Return a method's receiver (None for a function), the tool input, and what was left out.

        Raises:
            TypeError: the arguments do not fit the function, or two of them have one name.
        """
        bound = self._signature.bind(*args, **kwargs)
        given = bound.arguments
        left_out = frozenset(self._defaults.keys() - given.keys())
        own = given.pop(self._receiver, None) if self._receiver is not None else None
        arguments: dict[str, Any] = {}
        more: dict[str, Any] = {}
        for name, value in given.items():
            kind = self._signature.parameters[name].kind
            if kind is inspect.Parameter.VAR_KEYWORD:
                more = value
            else:
                arguments[name] = list(value) if kind is inspect.Parameter.VAR_POSITIONAL else value
        for name in more:
            if name in arguments or name in left_out:
                raise TypeError(f"two arguments are named {name!r}, and a tool input has one")
        for name in self._signature.parameters:  # in their order, for those who show the input
            if name in left_out:
                arguments[name] = copy_payload(self._defaults[name])
            elif name in arguments:
                arguments[name] = arguments.pop(name)
        return own, {**arguments, **more}, left_out

    def call(self, own: Any, arguments: dict[str, Any], left_out: frozenset[str]) -> Any:
        """Call the function with a tool input, the hooks' one.

        Args:
            own: a method's receiver.
            arguments: the tool input.
            left_out: the names that had their defaults; a function may keep something in those.
        """
        rest = {
            name: value
            for name, value in arguments.items()
            if name not in left_out or not _is_same(value, self._defaults[name])
        }
        bound = inspect.BoundArguments(self._signature, OrderedDict())
        for name, parameter in self._signature.parameters.items():
            if name == self._receiver:
                bound.arguments[name] = own
            elif parameter.kind is inspect.Parameter.VAR_POSITIONAL:
                bound.arguments[name] = tuple(rest.pop(name, ()))
            elif parameter.kind is not inspect.Parameter.VAR_KEYWORD and name in rest:
                bound.arguments[name] = rest.pop(name)
        # A position that a hook has emptied must not be filled by the next argument.
        bound.apply_defaults()
        return self._function(*bound.args, **bound.kwargs, **rest)
