"""JSON-RPC messages: read strictly, so that nobody can read them in another way than we did."""

from __future__ import annotations

import json
from typing import Any, Final

__all__ = [
    "INTERNAL_ERROR",
    "INVALID_PARAMS",
    "INVALID_REQUEST",
    "PARSE_ERROR",
    "REFUSED",
    "IdKey",
    "MalformedError",
    "UnreadableError",
    "error",
    "guessed",
    "id_key",
    "is_id",
    "read",
    "result",
    "same",
    "write",
]

PARSE_ERROR: Final = -32700
INVALID_REQUEST: Final = -32600
INVALID_PARAMS: Final = -32602
INTERNAL_ERROR: Final = -32603
REFUSED: Final = -1
"""The code by which MCP's clients say that a person refused; a policy refuses likewise."""

IdKey = tuple[str, Any]


class MalformedError(Exception):
    """A request or an answer is not what the protocol says, so that it cannot be judged."""


class UnreadableError(ValueError):
    """A message is no JSON, or JSON that two programs may read in two ways."""


def read(data: bytes) -> Any:
    """Return the value of a message.

    Args:
        data: the message, in UTF-8.

    Raises:
        UnreadableError: it is no JSON, says a key twice, or is nested too deeply.
    """
    try:
        return json.loads(
            data.decode("utf-8"), object_pairs_hook=_without_twins, parse_constant=_refused
        )
    except RecursionError:
        raise UnreadableError("it is nested too deeply") from None
    except UnreadableError:
        raise
    except ValueError as problem:
        # The exception holds the text, which is nobody's business.
        raise UnreadableError(f"it is no JSON ({type(problem).__name__})") from None


def guessed(data: bytes) -> Any:
    """Return what a message seems to say that could not be read strictly; None when that fails."""
    try:
        return json.loads(data)
    except (ValueError, RecursionError):
        return None


def _without_twins(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) != len(pairs):
        raise UnreadableError("it has a key twice")
    return made


def _refused(name: str) -> Any:
    raise UnreadableError(f"{name} is no JSON")


def write(message: Any) -> bytes:
    """Return a message in one line without its end; ASCII, since a text may be half a surrogate."""
    return json.dumps(message, separators=(",", ":")).encode("ascii")


def is_id(value: Any) -> bool:
    """Return whether a value is an id of MCP: a text or a whole number."""
    return type(value) is str or type(value) is int


def id_key(value: Any) -> IdKey:
    """Return what tells an id from all others: 1 and "1" are two."""
    return type(value).__name__, value


def error(id: Any, code: int, message: str) -> dict[str, Any]:  # noqa: A002 - the field's name
    """Return the answer that tells of an error."""
    return {"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": message}}


def result(id: Any, value: Any) -> dict[str, Any]:  # noqa: A002 - the field's name
    """Return the answer with a result."""
    return {"jsonrpc": "2.0", "id": id, "result": value}


def same(one: Any, other: Any) -> bool:
    """Return whether two JSON values are written alike: 1, 1.0 and true are three."""
    if type(one) is not type(other):
        return False
    if isinstance(one, dict):
        return list(one) == list(other) and all(same(one[key], other[key]) for key in one)
    if isinstance(one, list):
        return len(one) == len(other) and all(map(same, one, other))
    return bool(one == other)
