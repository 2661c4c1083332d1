"""Telling a stream or a coroutine from a result, so that none is taken for the other."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from inspect import isawaitable, iscoroutine
from typing import Any

from ..errors import WrongResultError
from ..waiting.requests import AwaitBody, Steps

__all__ = ["WHOLE", "refuse_coroutine", "refuse_iterator", "refuse_stream"]

# Asking whether a result is awaitable costs more than all else that an idle call does.
_CERTAINLY_THERE = frozenset({type(None), bool, bytes, dict, float, int, list, str, tuple})


WHOLE = _CERTAINLY_THERE - {dict}
"""Types whose values are there as a whole, and hold no stream in a field."""


def refuse_coroutine(result: Any) -> Any:
    """Return a result, unless it is to be awaited, by a host that does not await.

    Raises:
        TypeError: it is to be awaited; a coroutine is closed.
    """
    if type(result) not in _CERTAINLY_THERE and isawaitable(result):
        if iscoroutine(result):
            result.close()
        raise TypeError(
            "the function returned an awaitable to a host that does not await: "
            "call it through the boundary's async twin, such as acall_tool or acall_model"
        )
    return result


def refuse_stream(response: Any, *, asynchronous: bool) -> Steps:
    """Refuse a stream as the response of a call that does not stream; close it.

    A stream is an iterator, plain or async; what can be iterated once and has no length, such as
    the event streams of HTTP clients; a context manager, in which clients hand out streams; and a
    dict or an object that has an iterator in one of its public fields.

    Args:
        response: what the model answered with.
        asynchronous: whether the host awaits.

    Raises:
        WrongResultError: it is one; nothing of it was read.
    """
    if not _is_stream(response):
        return
    closed = _closed(response)
    if asynchronous and isawaitable(closed):
        yield AwaitBody(closed)
        closed = None
    _refuse(response, closed)


def refuse_iterator(response: Any) -> None:
    """Refuse a stream like :func:`refuse_stream`, where nothing can be awaited.

    Raises:
        WrongResultError: it is one; nothing of it was read.
    """
    if _is_stream(response):
        _refuse(response, _closed(response))


def _is_stream(response: Any) -> bool:
    if type(response) in WHOLE:
        return False
    return _streams(response) or any(map(_is_iterator, _fields(response)))


def _closed(response: Any) -> Any:
    """Close a stream that can be closed; return what its closing gave, which may be awaitable."""
    for name in ("close", "aclose"):
        close = getattr(response, name, None)
        if callable(close):
            return close()
    return None


def _refuse(response: Any, closed: Any) -> None:
    if hasattr(closed, "close"):
        closed.close()  # a coroutine that nobody here can await
    raise WrongResultError(
        f"the model answered with a stream ({type(response).__qualname__}), which no policy "
        "could judge as a response: call it through stream_model() or astream_model()"
    )


def _is_iterator(value: Any) -> bool:
    kind = type(value)
    return hasattr(kind, "__next__") or hasattr(kind, "__anext__")


def _streams(response: Any) -> bool:
    kind = type(response)
    if isinstance(response, (type, Mapping)) or hasattr(kind, "model_fields"):
        return False
    if _is_iterator(response) or hasattr(kind, "__aiter__"):
        return True
    if hasattr(kind, "__enter__") or hasattr(kind, "__aenter__"):
        return True
    once = hasattr(kind, "__iter__") and not hasattr(kind, "__len__")
    return once and not dataclasses.is_dataclass(kind)


def _fields(response: Any) -> Iterator[Any]:
    if isinstance(response, type):
        return
    fields = response if isinstance(response, Mapping) else getattr(response, "__dict__", {})
    for name, value in fields.items():
        if not str(name).startswith("_"):
            yield value
