"""Telling a stream from a response, so that none is taken for the other."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from inspect import isawaitable
from typing import Any

from ..errors import WrongResultError
from ..waiting.requests import AwaitBody, Steps

__all__ = ["refuse_stream"]


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
    if not _streams(response) and not any(map(_is_iterator, _fields(response))):
        return
    for name in ("close", "aclose"):
        close = getattr(response, name, None)
        if not callable(close):
            continue
        closed = close()
        if asynchronous and isawaitable(closed):
            yield AwaitBody(closed)
        elif hasattr(closed, "close"):
            closed.close()  # a coroutine that nobody here can await
        break
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
