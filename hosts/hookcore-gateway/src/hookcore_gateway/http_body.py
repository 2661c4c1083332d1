"""The bodies of requests: read within a bound and a time, and JSON in one way of reading only."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any

from starlette.requests import ClientDisconnect

from .http_reply import Refused
from .shown import shown

if TYPE_CHECKING:
    from starlette.datastructures import Headers
    from starlette.requests import Request

__all__ = ["check_length", "json_body"]


def check_length(headers: Headers) -> None:
    """Check that a request says in one way how long its body is.

    Raises:
        Refused: it says so in two.
    """
    if "content-length" in headers and "transfer-encoding" in headers:
        # Whoever stands in front may have read another body, and what follows as its own.
        text = "Content-Length and Transfer-Encoding exclude each other"
        raise Refused(400, text, Connection="close")


async def json_body(request: Request, most: int, seconds: float) -> dict[str, Any]:
    """Return the JSON object that a request brings.

    Args:
        request: the request.
        most: how long its body may be, in bytes.
        seconds: how long it may take to come.

    Raises:
        Refused: it is too long, too slow or cut off, or it is no JSON object in UTF-8.
    """
    try:
        body = await asyncio.wait_for(_read(request, most), seconds)
    except asyncio.TimeoutError:
        raise Refused(408, "the body took too long to come", Connection="close") from None
    except ClientDisconnect:
        raise Refused(400, "the body is not complete") from None
    try:
        value = json.loads(body.decode(), object_pairs_hook=_once, parse_constant=_no_constant)
    except UnicodeDecodeError:
        raise Refused(400, "the body has to be UTF-8") from None
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, dict):
        raise Refused(400, "the body has to be a JSON object")
    return value


async def _read(request: Request, most: int) -> bytes:
    length = request.headers.get("content-length", "")
    body = bytearray()
    if not (length.isdecimal() and int(length) > most):
        async for piece in request.stream():
            body += piece
            if len(body) > most:
                break
        else:
            return bytes(body)
    raise Refused(413, f"a body has {most} bytes at most", Connection="close")


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object, in which a name stands once.

    What checks a body before it gets here may take the first of two values, and we the last one.
    """
    made: dict[str, Any] = {}
    for name, value in pairs:
        if name in made:
            raise Refused(400, f"the body has the name {shown(name)} twice")
        made[name] = value
    return made


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is no JSON")
