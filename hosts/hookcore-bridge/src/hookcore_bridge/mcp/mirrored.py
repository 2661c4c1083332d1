"""Headers that say again what a message says, since the revision 2026-07-28."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from typing import Any, Final

from ..relay.headers import Headers

__all__ = ["contradiction", "with_name"]

_METHOD: Final = "Mcp-Method"
_NAME: Final = "Mcp-Name"
_NAMING: Final = ("name", "uri", "taskId")
_OPENS, _CLOSES = "=?base64?", "?="


def contradiction(headers: Mapping[str, str], message: Any) -> str | None:
    """Return how the headers contradict the message; None when they do not.

    A server that goes by the headers would do something else than what was judged.

    Args:
        headers: the request's, found in any spelling.
        message: the message.
    """
    method, name = headers.get(_METHOD), headers.get(_NAME)
    given = message if isinstance(message, dict) else {}
    if method is not None and method != given.get("method"):
        return f"the header {_METHOD} is not the message's method"
    if name is not None and _decoded(name) != _name_of(given):
        return f"the header {_NAME} is not the name in the message"
    return None


def with_name(headers: Headers, message: dict[str, Any]) -> Headers:
    """Return headers that name what the message does, where they name anything.

    Args:
        headers: the request's.
        message: the message as policies left it.
    """
    name = _name_of(message)
    return [
        (key, _encoded(name))
        if key.lower() == _NAME.lower() and isinstance(name, str)
        else (key, value)
        for key, value in headers
    ]


def _name_of(message: dict[str, Any]) -> Any:
    params = message.get("params")
    given = params if isinstance(params, dict) else {}
    return next((given[key] for key in _NAMING if key in given), None)


def _decoded(value: str) -> str | None:
    if not (value.startswith(_OPENS) and value.endswith(_CLOSES)):
        return value
    try:
        return base64.b64decode(value[len(_OPENS) : -len(_CLOSES)], validate=True).decode()
    except ValueError:
        return None


def _encoded(name: str) -> str:
    if name.isascii() and name.isprintable() and name == name.strip() and _OPENS not in name:
        return name
    return f"{_OPENS}{base64.b64encode(name.encode('utf-8', 'replace')).decode()}{_CLOSES}"
