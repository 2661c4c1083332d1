"""The headers that a proxy passes on: all but those of the connection itself."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

__all__ = ["Headers", "for_client", "for_server"]

_HOP: Final = frozenset(
    [
        "connection",
        "content-length",
        "keep-alive",
        "proxy-authenticate",
        "proxy-authorization",
        "proxy-connection",
        "te",
        "trailer",
        "transfer-encoding",
        "upgrade",
    ]
)
# Content is judged as it is, so nobody may compress it on the way.
_TO_SERVER: Final = _HOP | {
    "accept-encoding",
    "expect",
    "host",
    "origin",
    # They say that the request is another one than was judged.
    "x-http-method",
    "x-http-method-override",
    "x-method-override",
}

Headers = list[tuple[str, str]]


def for_server(headers: Mapping[str, str]) -> Headers:
    """Return the headers of a request as the server gets them."""
    return [*_kept(headers, _TO_SERVER), ("Accept-Encoding", "identity")]


def for_client(headers: Mapping[str, str], without: Iterable[str] = ()) -> Headers:
    """Return the headers of an answer as the client gets them.

    Args:
        headers: the server's.
        without: names of more that are left out, in lower case.
    """
    return _kept(headers, _HOP.union(without))


def _kept(headers: Mapping[str, str], dropped: frozenset[str]) -> Headers:
    named = {name.strip().lower() for name in headers.get("Connection", "").split(",")}
    return [(name, value) for name, value in headers.items() if name.lower() not in dropped | named]
