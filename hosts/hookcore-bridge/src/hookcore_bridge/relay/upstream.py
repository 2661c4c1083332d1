"""The connection to the server behind a proxy."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from hookctl.failure import UsageError

from .guard import is_loopback

if TYPE_CHECKING:
    import aiohttp

__all__ = ["checked_url", "open_client", "warn_of_plain"]

_CONNECT_SECONDS = 30.0


def checked_url(url: str) -> str:
    """Return the address of a server, without a slash at its end.

    Raises:
        UsageError: it is none of HTTP's, or has a user, a query or a fragment.
    """
    try:
        parts = urlsplit(url)
        good = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
    except ValueError:
        good = False
    if not good:
        raise UsageError("the server's address must begin with http:// or https:// and a host")
    if parts.username is not None or parts.query or parts.fragment:
        raise UsageError("the server's address must have no user, no query and no fragment")
    return url.rstrip("/")


def warn_of_plain(url: str, note: Callable[[str], None]) -> None:
    """Tell the operator when requests, with their keys, leave this machine unencrypted.

    Args:
        url: the server's address.
        note: takes a line.
    """
    parts = urlsplit(url)
    if parts.scheme == "http" and not is_loopback(parts.hostname or ""):
        note(f"requests to {parts.hostname}, and the keys in them, go unencrypted")


def open_client() -> aiohttp.ClientSession:
    """Return a client that keeps nothing, follows nothing and changes nothing by itself."""
    import aiohttp

    options: dict[str, Any] = {
        "auto_decompress": False,
        "cookie_jar": aiohttp.DummyCookieJar(),
        "connector": aiohttp.TCPConnector(limit=0),
        "timeout": aiohttp.ClientTimeout(total=None, sock_connect=_CONNECT_SECONDS),
        "skip_auto_headers": ("User-Agent", "Content-Type", "Accept"),
        "max_line_size": 65_536,
        "max_field_size": 65_536,
    }
    return aiohttp.ClientSession(**options)
