"""The destination of messages."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final
from urllib.parse import urlsplit

from ._addresses import Network, forbidden, literal, never_allowed

__all__ = ["Destination", "DestinationError", "parse_url"]

_PORTS: Final = {"https": 443, "http": 80}
_LOCAL_NAMES: Final = re.compile(r"(?:.*\.)?(?:localhost|localdomain)")
_METADATA_NAMES: Final = re.compile(
    r"metadata(?:\.google\.internal)?|instance-data(?:\.ec2\.internal)?"
)
_PLAIN: Final = re.compile(r"[!-~]+")


class DestinationError(Exception):
    """Nothing may be sent there; the text holds no more of the URL than its host."""


@dataclass(frozen=True, slots=True)
class Destination:
    """A webhook; path and query are often its secret, so that they are not shown."""

    scheme: str
    host: str
    port: int
    target: str = field(repr=False)

    @property
    def authority(self) -> str:
        """The host and, when it is not the usual one, the port."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == _PORTS[self.scheme] else f"{host}:{self.port}"

    def __str__(self) -> str:
        return f"{self.scheme}://{self.authority}"


def parse_url(url: str, *, allow_http: bool, allowed: Iterable[Network]) -> Destination:
    """Take a webhook's URL apart, and refuse it where it could only lead inside.

    Args:
        url: the URL.
        allow_http: whether it may be http.
        allowed: networks that are allowed although they are not public.

    Raises:
        DestinationError: it is no URL that messages may be sent to.
    """
    if not _PLAIN.fullmatch(url):
        what = "it is empty" if not url else "it holds a space or a character that is not ASCII"
        raise DestinationError(f"{what}: write it as a browser would send it")
    try:
        parts = urlsplit(url)
        host, port = (parts.hostname or "").rstrip("."), parts.port
    except ValueError:
        raise DestinationError("it is no valid URL: write https://host/path") from None
    if parts.scheme not in _PORTS or (parts.scheme == "http" and not allow_http):
        raise DestinationError(
            f"its scheme is {parts.scheme[:16] or 'missing'}: use https, or set allow_http = true "
            "for an http URL"
        )
    if not host:
        raise DestinationError("it names no host: write https://host/path")
    if parts.username is not None or parts.password is not None:
        raise DestinationError("it holds a user name or a password: use signing_secrets instead")
    if parts.fragment or port == 0:
        raise DestinationError("it has a fragment, or port 0: leave that out")
    _refuse_inside(host, tuple(allowed))
    target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    return Destination(parts.scheme, host, port or _PORTS[parts.scheme], target)


def _refuse_inside(host: str, allowed: tuple[Network, ...]) -> None:
    address = literal(host)
    if _METADATA_NAMES.fullmatch(host) or (address is not None and never_allowed(address)):
        raise DestinationError(
            f"its host {host} is no public address: it is link-local, or a cloud's metadata service"
        )
    if address is not None and forbidden(address, allowed):
        raise DestinationError(
            f"its host {host} is no public address: set allow_networks if it is meant"
        )
    if _LOCAL_NAMES.fullmatch(host) and not allowed:
        raise DestinationError(f"its host {host} is inside: set allow_networks if it is meant")
