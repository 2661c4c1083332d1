"""JSON-RPC messages: their ids, and the answers that a proxy gives by itself."""

from __future__ import annotations

from typing import Any, Final

from hookcore.wires.strict import UnreadableError, guessed, read, same, write

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
