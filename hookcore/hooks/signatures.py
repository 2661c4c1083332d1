"""Signatures of functions, remembered: reading one costs more than registering a hook."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any
from weakref import WeakKeyDictionary

__all__ = ["parameters_of"]

_known: WeakKeyDictionary[Any, tuple[inspect.Parameter, ...]] = WeakKeyDictionary()


def parameters_of(function: Callable[..., Any]) -> tuple[inspect.Parameter, ...]:
    """Return the parameters that a callable is called with.

    Raises:
        TypeError, ValueError: it has no signature that can be read.
    """
    if inspect.ismethod(function) and inspect.isfunction(function.__func__):
        found = _known.get(function.__func__)
        if found is None:
            found = _known[function.__func__] = _read(function)
        return found
    return _read(function)


def _read(function: Callable[..., Any]) -> tuple[inspect.Parameter, ...]:
    return tuple(inspect.signature(function).parameters.values())
