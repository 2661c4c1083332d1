"""The answers that a proxy over HTTP gives by itself, and the reading of what it is sent."""

from __future__ import annotations

from collections.abc import Awaitable
from typing import Any

from aiohttp import web

from ..relay.reading import is_compressed, limited
from ..relay.sse import TooLargeError
from . import rpc
from .sides import Verdict

__all__ = ["RefusedError", "is_message", "own_answer", "read_body", "refusal", "settled"]


class RefusedError(Exception):
    """A request goes no further.

    Args:
        status: the status of the answer.
        text: why.
    """

    def __init__(self, status: int, text: str) -> None:
        super().__init__(text)
        self.status, self.text = status, text


async def settled(verdict: Verdict | Awaitable[Verdict]) -> Verdict:
    """Return a decision that policies may still be asked for."""
    return verdict if isinstance(verdict, Verdict) else await verdict


def own_answer(verdict: Verdict) -> web.Response:
    """Return the answer to a message that goes no further."""
    if verdict.answer is None:
        return web.Response(status=202)
    status = 400 if verdict.answer.get("id") is None else 200
    return web.Response(
        body=rpc.write(verdict.answer), status=status, content_type="application/json"
    )


def refusal(status: int, text: str, code: int = rpc.INVALID_REQUEST) -> web.Response:
    """Return the answer to what cannot be judged."""
    body = rpc.write(rpc.error(None, code, text))
    return web.Response(body=body, status=status, content_type="application/json")


async def read_body(request: web.Request) -> bytes:
    """Return the body of a request.

    Raises:
        RefusedError: it is compressed, or too large.
    """
    if is_compressed(request.headers.get("Content-Encoding")):
        raise RefusedError(415, "compressed messages are not taken")
    try:
        return await limited(request.content, "the message")
    except TooLargeError as error:
        raise RefusedError(413, str(error)) from error


def is_message(value: Any) -> bool:
    """Return whether a value is a message of the protocol's."""
    return isinstance(value, dict) and ("result" in value or "error" in value or "method" in value)
