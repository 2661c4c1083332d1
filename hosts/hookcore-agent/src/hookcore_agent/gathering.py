"""Join what a tool gives piece by piece: a model is told all of it, and never of a generator."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from threading import Event
from typing import Any

__all__ = ["gathered"]


async def gathered(result: Any) -> Any:
    """Return a tool's result, with all that an iterator gives in the iterator's place.

    Texts are joined to one; other pieces become a list. A plain iterator is asked in a worker
    thread, and asked no further when the call was cancelled. What a generator returns counts when
    it has yielded nothing.

    Args:
        result: what the tool returned.
    """
    if isinstance(result, AsyncIterator):
        return _joined(await _from_loop(result), None)
    if isinstance(result, Iterator):
        left = Event()
        try:
            return _joined(*await asyncio.to_thread(_from_thread, result, left))
        finally:
            left.set()
    return result


async def _from_loop(pieces: AsyncIterator[Any]) -> list[Any]:
    try:
        return [piece async for piece in pieces]
    finally:
        close: Callable[[], Any] | None = getattr(pieces, "aclose", None)
        if close is not None:
            await close()


def _from_thread(pieces: Iterator[Any], left: Event) -> tuple[list[Any], Any]:
    made: list[Any] = []
    try:
        while not left.is_set():
            try:
                made.append(next(pieces))
            except StopIteration as end:
                return made, end.value
    finally:
        close: Callable[[], Any] | None = getattr(pieces, "close", None)
        if close is not None:
            close()
    return made, None


def _joined(pieces: list[Any], returned: Any) -> Any:
    if not pieces:
        return "" if returned is None else returned
    return "".join(pieces) if all(isinstance(piece, str) for piece in pieces) else pieces
