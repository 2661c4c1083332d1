"""The messages about new requests, posted to where people look."""

from __future__ import annotations

import http.client
import json
import logging
import ssl
import time
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

from hookcore_stores import StoreAwayError

if TYPE_CHECKING:
    from collections.abc import Callable

    from ._signatures import Signatures
    from .requests import Request, Requests

__all__ = ["Notifier"]

_log = logging.getLogger("hookcore_approval")
_TIMEOUT_S: Final = 10.0
_FIRST_PAUSE_S: Final = 1.0
_LONGEST_PAUSE_S: Final = 60.0


class Notifier:
    """Posts each pending request once, and again while it was not taken.

    Args:
        url: where to; it is never shown, since it may hold a secret.
        requests: the store.
        signatures: signs the messages.
        clock: the time in seconds, for pauses.
    """

    def __init__(
        self,
        url: str,
        requests: Requests,
        signatures: Signatures,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._url = url
        self._requests = requests
        self._signatures = signatures
        self._clock = clock
        self._told: set[str] = set()
        self._next: dict[str, tuple[float, float]] = {}
        self._was_away = False

    def turn(self) -> int:
        """Post what is due; return how many messages were taken."""
        try:
            pending = self._requests.listed(pending=True)
        except StoreAwayError as error:
            if not self._was_away:
                _log.warning("new requests cannot be read: %s", error)
            self._was_away = True
            return 0
        self._was_away = False
        waiting = {request.id for request in pending}
        self._told &= waiting
        self._next = {each: when for each, when in self._next.items() if each in waiting}
        return sum(self._post(request) for request in pending if self._is_due(request.id))

    def _is_due(self, ident: str) -> bool:
        at, _ = self._next.get(ident, (0.0, 0.0))
        return ident not in self._told and self._clock() >= at

    def _post(self, request: Request) -> bool:
        body = json.dumps(_message(request))
        try:
            status = _status(self._url, body, self._signatures.headers(request.id, body))
        except (OSError, http.client.HTTPException) as error:
            return self._failed(request.id, type(error).__name__)
        if not 200 <= status < 300:  # noqa: PLR2004
            return self._failed(request.id, f"status {status}")
        self._told.add(request.id)
        self._next.pop(request.id, None)
        return True

    def _failed(self, ident: str, why: str) -> bool:
        _, last = self._next.get(ident, (0.0, 0.0))
        pause = min(max(last * 2, _FIRST_PAUSE_S), _LONGEST_PAUSE_S)
        self._next[ident] = self._clock() + pause, pause
        _log.warning("request %s could not be told (%s): again in %g s", ident, why, pause)
        return False


def _message(request: Request) -> dict[str, Any]:
    return {
        "type": "approval.requested",
        "data": {
            "id": request.id,
            "digest": request.digest,
            "tool": request.tool,
            "arguments": json.loads(request.shown),
            "scope": request.scope,
            "asker": request.asker,
            "needed": request.needed,
            "by": list(request.by),
            "created": request.created,
            "expires": request.expires,
        },
    }


def _status(url: str, body: str, headers: dict[str, str]) -> int:
    """Post a message and return the status; no redirect is followed."""
    parts = urlsplit(url)
    kind: Any = http.client.HTTPConnection
    options: dict[str, Any] = {}
    if parts.scheme == "https":
        kind, options = http.client.HTTPSConnection, {"context": ssl.create_default_context()}
    connection = kind(parts.hostname, parts.port, timeout=_TIMEOUT_S, **options)
    try:
        path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        sent = {"content-type": "application/json", "user-agent": "hookcore-approval", **headers}
        connection.request("POST", path, body.encode(), sent)
        return int(connection.getresponse().status)
    finally:
        connection.close()
