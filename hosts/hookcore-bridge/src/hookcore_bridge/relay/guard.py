"""The addresses by which a proxy may be asked: pages in a browser must not reach it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from ipaddress import ip_address
from typing import Final
from urllib.parse import urlsplit

__all__ = ["Guard", "is_loopback"]

_LOCAL: Final = ("127.0.0.1", "localhost", "[::1]")


def is_loopback(host: str) -> bool:
    """Return whether a host is this machine alone.

    Args:
        host: a name or an address, an IPv6 address with or without brackets.
    """
    if host == "localhost":
        return True
    try:
        return ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


class Guard:
    """Refuses requests by ``Host`` and ``Origin``, which a page cannot make up.

    Without it a page whose name was bound anew to this machine's address could use the proxy.

    Args:
        hosts: the names and addresses that are taken besides this machine's own, without a port.
        origins: the origins that are taken besides the proxy's own.
    """

    def __init__(self, hosts: Iterable[str] = (), origins: Iterable[str] = ()) -> None:
        self._hosts = frozenset(host.lower() for host in (*_LOCAL, *hosts))
        self._origins = frozenset(origin.lower().rstrip("/") for origin in origins)

    def problem(self, headers: Mapping[str, str]) -> str | None:
        """Return why a request is refused, None when it is not.

        Args:
            headers: its headers, found in any spelling.
        """
        host = _host_of(headers.get("Host", ""))
        if host not in self._hosts:
            return "this Host is not allowed"
        origin = headers.get("Origin")
        if origin is None or origin.lower() in self._origins:
            return None
        parts = urlsplit(origin.lower())
        if parts.scheme in ("http", "https") and _host_of(parts.netloc) in self._hosts:
            return None
        return "this Origin is not allowed"


def _host_of(netloc: str) -> str:
    """Return the name or address of a host with or without a port."""
    netloc = netloc.lower()
    if netloc.startswith("["):
        address, _, rest = netloc.partition("]")
        return f"{address}]" if not rest or rest.startswith(":") else netloc
    return netloc.partition(":")[0]
