"""A scope of CrewAI's own that the program entered before ``install()``: its hooks stay in force.

CrewAI's ``scoped_hooks()`` leaves them in a variable of its own, until the block ends.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable
from contextvars import ContextVar
from typing import Any

from ._scoped import put_hooks_in_force
from .hooks._lists import LISTS

__all__ = ["follow", "keep_in_force", "points"]

_THEIRS = object()

_followed: list[ContextVar[Any]] = []


def follow() -> Callable[[], None]:
    """Follow CrewAI's scopes when the calling execution is in one; return what ends that."""
    dispatch = importlib.import_module("crewai.hooks.dispatch")
    variable = vars(dispatch).get("_scoped_hooks_var")
    if isinstance(variable, ContextVar) and variable.get() is not None:
        _followed.append(variable)

    def end() -> None:
        if _followed:
            _followed.clear()
            put_hooks_in_force(_THEIRS, ())

    return end


def points() -> Iterable[str]:
    """Return the points that hooks of such a scope can be at."""
    return tuple(LISTS) if _followed else ()


def keep_in_force() -> None:
    """Let the calling execution have what CrewAI's scope around it has now."""
    for variable in _followed:
        scope: dict[Any, list[Any]] = variable.get() or {}
        put_hooks_in_force(
            _THEIRS,
            tuple(
                (str(getattr(point, "value", point)), hook)
                for point, hooks in list(scope.items())
                for hook in hooks
            ),
        )
