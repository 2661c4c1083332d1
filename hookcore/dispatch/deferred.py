"""Values that are not there yet, which nobody can judge: generators and awaitables."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Generator
from inspect import isawaitable, iscoroutine
from typing import Any

from ..errors import WrongResultError
from ..later import stand_in
from .plain import ATOMS, is_one_of

__all__ = ["gives_items", "refuse_deferred"]

_OF_PYTHON = frozenset({"builtins", "itertools"})
_is_future = is_one_of(stand_in("concurrent.futures", "Future"))


def gives_items(value: Any) -> bool:
    """Return whether a value gives its items while it is read: a generator, or map, zip and such.

    Iterators of other libraries may be more than that (a file, a cursor) and are values.
    """
    kind = type(value)
    if kind in ATOMS or kind is dict or kind is list:
        return False
    if isinstance(value, (Generator, AsyncGenerator)):
        return True
    return kind.__module__ in _OF_PYTHON and hasattr(kind, "__next__")


def refuse_deferred(value: Any, who: str) -> None:
    """Refuse a generator, a lazy iterator, a future, a coroutine or another awaitable as a value.

    Args:
        value: what was given as a payload or a result.
        who: who gave it, for the message.

    Raises:
        WrongResultError: it is one of these.
    """
    kind = type(value)
    if kind in ATOMS or kind is dict or kind is list:
        return
    if isawaitable(value):
        if iscoroutine(value):
            value.close()
        raise WrongResultError(f"{who} gave an awaitable, which is no value: await it first")
    if _is_future(value):
        raise WrongResultError(f"{who} gave a Future, which is no value: ask it for its result")
    if gives_items(value):
        raise WrongResultError(
            f"{who} gave a {kind.__name__}, which is no value: return a list, or take the yield out"
        )
