"""The access to the HTTP channel: the token, the name it is asked by, the form."""

from __future__ import annotations

import hmac
from typing import TYPE_CHECKING

from .http_hosts import is_local, name_in
from .http_reply import Refused

if TYPE_CHECKING:
    from starlette.datastructures import Headers

__all__ = ["Access"]


class Access:
    """Lets requests in or refuses them.

    Args:
        token: what clients have to send; None when nothing is asked for.
        local_only: whether the channel listens where only programs of this machine reach it.
    """

    def __init__(self, token: str | None, *, local_only: bool) -> None:
        self._token = None if token is None else token.encode()
        self._local_only = local_only

    def check_host(self, headers: Headers) -> None:
        """Check the name that a request was sent to, whatever it asks for.

        Raises:
            Refused: it leads to this machine by a name that is not the machine's own.
        """
        if (
            self._token is None
            and self._local_only
            and not is_local(name_in(headers.get("host", "")))
        ):
            # A page whose own name leads here: its browser takes this service for its server.
            raise Refused(421, "without a token the Host has to be a local name")

    def check(self, headers: Headers) -> None:
        """Check a request that brings a message.

        Raises:
            Refused: the token is missing or wrong, or the body is said to be no JSON.
        """
        if self._token is not None and not self._is_right(headers.get("authorization", "")):
            raise Refused(401, "a bearer token is needed", WWW_Authenticate="Bearer")
        # A page in a browser can send a form or plain text here, but no JSON without asking first.
        kind = headers.get("content-type", "").partition(";")[0].strip().lower()
        if kind != "application/json":
            raise Refused(415, "the Content-Type has to be application/json")

    def _is_right(self, authorization: str) -> bool:
        scheme, _, given = authorization.partition(" ")
        # Starlette reads headers as Latin-1; the bytes are UTF-8, as everywhere else here.
        raw = given.strip().encode("latin-1", "replace")
        return scheme.lower() == "bearer" and hmac.compare_digest(raw, self._token or b"\0")
