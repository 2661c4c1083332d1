"""Traces that tell that a plugin's class is as it was, so that it need not be looked into again."""

from __future__ import annotations

import inspect
from types import FunctionType
from typing import Any
from weakref import ref

__all__ = ["content_of", "is_unchanged", "traces_of"]


def content_of(plugin: Any) -> list[Any] | None:
    """Return what an object and its class hold now; None for modules, classes and functions.

    Two contents that :func:`is_unchanged` finds alike give the same hooks.
    """
    if inspect.ismodule(plugin) or inspect.isclass(plugin) or inspect.isroutine(plugin):
        return None
    kind = type(plugin)
    own = getattr(plugin, "__dict__", {})
    return [value for base in kind.__mro__[:-1] for value in base.__dict__.values()] + [
        *own.values()
    ]


def traces_of(content: list[Any]) -> list[Any]:
    """Return what tells a content from a later one, without keeping it alive."""
    return list(map(_trace, content))


def is_unchanged(traces: list[Any], content: list[Any]) -> bool:
    """Return whether a content is what it was when its traces were taken."""
    return traces == traces_of(content)


def _trace(value: Any) -> tuple[Any, int]:
    """Return what tells an attribute of a class from another one later, without keeping it."""
    function = getattr(value, "__func__", value)
    if type(function) is not FunctionType:
        return id(value), 0
    return ref(function), len(function.__dict__)  # it may be marked later
