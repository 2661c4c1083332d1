"""Hooks that are HTTP requests: quicker than programs, where a client has such hooks."""

from __future__ import annotations

import socket
from collections.abc import Mapping
from typing import Any, Final

from hookctl.failure import BrokenError

from ..dialects import CLIENTS as DIALECTS
from ..hook.thin import UnsafeError
from ..serve.places import Http, places
from .client import SECONDS

__all__ = ["address", "handler", "is_ours", "takes_http"]

_ROLES: Final = ("tool_before", "tool_after", "tool_failed", "tool_batch")
# A program at the beginning and at each prompt starts the daemon that the requests then find.
_PATH: Final = "/v1/hooks/claude-code/"


def takes_http(client: str, event: str) -> bool:
    """Tell whether a client's event is one that a request may ask about.

    Args:
        client: the client's name.
        event: its name for the event.
    """
    found = DIALECTS[client].events.get(event)
    return client == "claude-code" and found is not None and found.role in _ROLES


def address(*, dry_run: bool = False) -> Http:
    """Return where the daemon answers requests, which stays the same; a port is chosen once.

    Args:
        dry_run: choose none.

    Raises:
        BrokenError: the file that says where cannot be read or written.
    """
    try:
        where = places()
        http = where.http()
        if http.port or dry_run:
            return http
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port: int = free.getsockname()[1]
        return where.keep(Http(port, http.token))
    except (UnsafeError, OSError, ValueError) as error:
        raise BrokenError(f"where the daemon answers cannot be told: {error}") from error


def handler(http: Http, event: str) -> dict[str, Any]:
    """Return the handler of an event that asks by a request.

    Args:
        http: where the daemon answers.
        event: the client's name for the event.
    """
    return {
        "type": "http",
        "url": f"{http.url}{_PATH}{event}",
        "headers": {"Authorization": f"Bearer {http.token}"},
        "onFailure": "block",
        "timeout": SECONDS,
    }


def is_ours(told: Mapping[str, Any]) -> bool:
    """Tell whether a handler is one of ours, of this installation or of another."""
    url = told.get("url")
    return isinstance(url, str) and url.startswith("http://127.0.0.1:") and _PATH in url
