"""The marks that ``@on`` leaves on functions."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from hookcore_specs import HookOptions

__all__ = ["OnMark", "add_mark", "marks_of"]

_ATTRIBUTE = "__hookcore_on__"


@dataclass(frozen=True, slots=True)
class OnMark:
    """One ``@on``: the point and the options; marks add up when decorators are stacked."""

    point: str
    options: HookOptions


def add_mark(function: Callable[..., Any], mark: OnMark) -> bool:
    """Leave a mark on a function; return False when it takes no attributes (a bound method)."""
    if isinstance(function, (staticmethod, classmethod)):
        function = function.__func__  # where they are looked for
    try:
        setattr(function, _ATTRIBUTE, (mark, *marks_of(function)))
    except AttributeError:
        return False
    return True


def marks_of(function: Any) -> tuple[OnMark, ...]:
    """Return the marks on a function, the outermost decorator's first."""
    if isinstance(function, (staticmethod, classmethod)):
        function = function.__func__
    if not callable(function) or inspect.isclass(function):
        return ()
    marks = getattr(function, _ATTRIBUTE, ())
    return marks if isinstance(marks, tuple) else ()
