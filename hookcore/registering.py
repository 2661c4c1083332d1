"""``@on``: a function as a hook, registered where it stands."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from hookcore_specs import HookOptions, OnError, StreamMode
from hookcore_specs.markers import DEFAULT_WINDOW

from .hooks.dialect import Registration
from .hooks.marks import OnMark, add_mark
from .process import get_manager

__all__ = ["on"]

_F = TypeVar("_F", bound=Callable[..., Any])


def on(
    point: str,
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
) -> Callable[[_F], _F]:
    """Make a function a hook of the process-wide manager; return it unchanged.

    On a method in a class body it only leaves a mark; ``register(obj)`` or ``scope(obj)`` binds it.

    Args:
        point: the point, as an enum member or a string.
        tools: names or globs of the tools it is for (tool points only).
        agents: roles, names or globs of the agents it is for.
        priority: lower runs first; 100 when nobody says otherwise.
        on_error: what a failure of the hook does: ``"allow"``, ``"deny"`` or ``"raise"``.
        timeout: seconds after which the hook has failed.
        offload: run a plain function in a worker thread under an async host.
        gate: only lets pass or aborts, and judges the final value.
        stream: how it meets a streamed response: ``"buffer"``, ``"window"``, ``"observe"``.
        window: the characters that ``stream="window"`` holds back.

    Raises:
        TypeError, ValueError: an option has a wrong type or value.
        RegistrationError: the function cannot be a hook of the point.
    """
    options = HookOptions.checked(
        tools=tools,
        agents=agents,
        priority=priority,
        on_error=on_error,
        timeout=timeout,
        offload=offload,
        gate=gate,
        stream=stream,
        window=window,
    )
    mark = OnMark(str(point), options)

    def decorate(function: _F) -> _F:
        if stands_in_a_class(function):
            add_mark(function, mark)
        else:
            get_manager().register_hook(Registration(function, mark))
            add_mark(function, mark)
        return function

    return decorate


def stands_in_a_class(function: Any) -> bool:
    """Return whether a function is being defined in the body of a class."""
    if isinstance(function, (staticmethod, classmethod)):
        return True
    if hasattr(function, "__self__"):
        return False
    holder, _, _ = str(getattr(function, "__qualname__", "")).rpartition(".")
    return bool(holder) and not holder.endswith("<locals>")
