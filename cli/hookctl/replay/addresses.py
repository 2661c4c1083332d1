"""The addresses of clusters, and whether others can read what is sent there."""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass
from urllib.parse import urlsplit

from ..failure import UsageError

__all__ = ["Address", "address_of"]


@dataclass(frozen=True, slots=True)
class Address:
    """The scheme, host and port of a cluster's URL."""

    scheme: str
    host: str
    port: int
    netloc: str

    @property
    def is_here(self) -> bool:
        """True when it is on this machine."""
        if self.host == "localhost":
            return True
        try:
            return ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return False


def address_of(url: str, schemes: tuple[str, ...], what: str) -> Address:
    """Read the URL of a cluster.

    Args:
        url: what the user wrote.
        schemes: the schemes that it may have; the first one is named when it is wrong.
        what: what there is at such a URL, for the message.

    Returns:
        The address.

    Raises:
        UsageError: it has another form.
    """
    parts = urlsplit(url)
    try:
        port = parts.port
    except ValueError:
        port = None
    if parts.scheme not in schemes or not parts.hostname or port is None or parts.path.strip("/"):
        raise UsageError(f"{url!r} is no {what}: write {schemes[0]}://HOST:PORT")
    return Address(parts.scheme, parts.hostname, port, parts.netloc)
