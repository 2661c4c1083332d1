"""The answers of a model's side, as events that know the bytes they came in."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any, Final

import aiohttp

from hookcore.wires import Wire, strict

from ..relay.reading import blocks, is_compressed, limited

__all__ = [
    "UNREACHABLE",
    "AnswerError",
    "NoAnswerError",
    "Received",
    "checked",
    "received",
    "whole",
]

UNREACHABLE: Final = (aiohttp.ClientError, asyncio.TimeoutError)
"""The errors of a connection."""


class NoAnswerError(Exception):
    """The model's side says no, and what it says passes as it is.

    Args:
        answer: the answer.
        body: its body.
    """

    def __init__(self, answer: aiohttp.ClientResponse, body: bytes) -> None:
        super().__init__(f"the model's side answers with the status {answer.status}")
        self.answer, self.body = answer, body


class AnswerError(Exception):
    """An answer cannot be judged."""


class Received(dict[str, Any]):
    """An event of a stream.

    Args:
        event: the event.
        data: its data.
        raw: all of its bytes.
    """

    def __init__(self, event: dict[str, Any], data: bytes, raw: bytes) -> None:
        super().__init__(event)
        self.data, self.raw = data, raw


async def checked(answer: aiohttp.ClientResponse) -> aiohttp.ClientResponse:
    """Return an answer that holds a response.

    Raises:
        NoAnswerError: it holds none.
        AnswerError: policies would not see what it holds.
    """
    if 300 <= answer.status < 400:  # noqa: PLR2004
        raise AnswerError("the model's side sends elsewhere, which policies would not see")
    if not 200 <= answer.status < 300:  # noqa: PLR2004
        raise NoAnswerError(answer, await limited(answer.content, "the answer"))
    if is_compressed(answer.headers.get("Content-Encoding")):
        raise AnswerError("the model's side compresses its answers against our wish")
    return answer


async def received(
    answer: aiohttp.ClientResponse,
    wire: Wire,
    told: Callable[[bytes | None], object],
    idle: Callable[[], Awaitable[None]],
) -> AsyncIterator[dict[str, Any]]:
    """Yield the events of a stream.

    Args:
        answer: the answer that streams.
        wire: its format.
        told: is told the bytes of what is no event, and None of the mark at the end.
        idle: is called when no more events are there yet.

    Raises:
        AnswerError: what comes is no event.
        TooLargeError: an event is larger than is taken.
    """
    async for block in blocks(answer.content, idle):
        if block.data is None or not block.data.strip():
            told(block.raw)
        elif block.data.strip() == wire.ends_with:
            told(None)
        else:
            yield Received(_object(block.data), block.data, block.raw)


async def whole(answer: aiohttp.ClientResponse) -> tuple[Any, bytes]:
    """Return an answer that came whole, and its bytes.

    Raises:
        AnswerError: it is no JSON.
        TooLargeError: it is larger than is taken.
    """
    data = await limited(answer.content, "the answer")
    try:
        return strict.read(data), data
    except strict.UnreadableError as error:
        raise AnswerError(f"the answer cannot be judged: {error}") from error


def _object(data: bytes) -> dict[str, Any]:
    try:
        value = strict.read(data)
    except strict.UnreadableError as error:
        raise AnswerError(f"an event cannot be judged: {error}") from error
    if not isinstance(value, dict):
        raise AnswerError("an event cannot be judged: it is no object")
    return value
