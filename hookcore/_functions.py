"""``@manager.tool``: a function whose every call is a tool call."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal

from ._validation import is_async

if TYPE_CHECKING:
    from .manager import HookManager

__all__ = ["governed"]


def governed(
    manager: HookManager,
    function: Callable[..., Any],
    name: str | None,
    on_denied: Literal["raise", "return"],
) -> Callable[..., Any]:
    """Return a function that calls ``function`` through the tool-call boundary.

    The arguments become the tool input by the parameters' names, defaults left out; a method's
    ``self`` stays outside of it.
    """
    signature = inspect.signature(function)
    tool_name = name or str(getattr(function, "__name__", type(function).__name__))
    receiver = _receiver(function, signature)
    binding = _Binding(signature, receiver)

    if is_async(function):

        @functools.wraps(function)
        async def acall(*args: Any, **kwargs: Any) -> Any:
            own, arguments = binding.bind(args, kwargs)
            return await manager.acall_tool(
                tool_name,
                arguments,
                lambda given: binding.call(function, own, given),
                tool=function,
                on_denied=on_denied,
            )

        return acall

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        own, arguments = binding.bind(args, kwargs)
        return manager.call_tool(
            tool_name,
            arguments,
            lambda given: binding.call(function, own, given),
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


class _Binding:
    """Turns a call's arguments into a tool input, and a tool input into arguments."""

    def __init__(self, signature: inspect.Signature, receiver: str | None) -> None:
        self._signature = signature
        self._receiver = receiver

    def bind(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
        """Return a method's receiver (None for a function) and the tool input."""
        bound = self._signature.bind(*args, **kwargs).arguments
        own = bound.pop(self._receiver, None) if self._receiver is not None else None
        arguments: dict[str, Any] = {}
        for name, value in bound.items():
            if self._signature.parameters[name].kind is inspect.Parameter.VAR_KEYWORD:
                arguments.update(value)
            elif self._signature.parameters[name].kind is inspect.Parameter.VAR_POSITIONAL:
                arguments[name] = list(value)
            else:
                arguments[name] = value
        return own, arguments

    def call(self, function: Callable[..., Any], own: Any, arguments: dict[str, Any]) -> Any:
        """Call the function with a tool input, the hooks' one."""
        rest = dict(arguments)
        args: list[Any] = []
        for parameter in self._signature.parameters.values():
            if parameter.name == self._receiver:
                args.append(own)
            elif parameter.kind is inspect.Parameter.VAR_POSITIONAL:
                args.extend(rest.pop(parameter.name, ()))
            elif parameter.kind is not inspect.Parameter.POSITIONAL_ONLY and not self._positional:
                continue
            elif parameter.kind in _BY_POSITION and parameter.name in rest:
                args.append(rest.pop(parameter.name))
        return function(*args, **rest)

    @property
    def _positional(self) -> bool:
        kinds = [item.kind for item in self._signature.parameters.values()]
        return inspect.Parameter.VAR_POSITIONAL in kinds


_BY_POSITION = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
