"""Which addresses a webhook may have."""

from __future__ import annotations

import ipaddress
import socket
from collections.abc import Iterable
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network
from typing import Final

__all__ = ["Address", "Network", "forbidden", "literal", "resolved"]

Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network

_NETWORKS: Final = tuple(
    map(
        ipaddress.ip_network,
        (
            # Special ones that some supported Python takes for global.
            "0.0.0.0/8",
            "100.64.0.0/10",
            "192.0.0.0/24",
            "192.88.99.0/24",
            "224.0.0.0/3",
            "::/96",
            "64:ff9b:1::/48",
            "100::/64",
            "2001::/23",
            "fc00::/7",
            "fe80::/9",
            "ff00::/8",
        ),
    )
)
_METADATA: Final = frozenset(
    map(
        ipaddress.ip_address,
        ("169.254.169.254", "169.254.170.2", "100.100.100.200", "168.63.129.16", "192.0.0.192"),
    )
) | {ipaddress.ip_address("fd00:ec2::254"), ipaddress.ip_address("fd20:ce::254")}
_NAT64: Final = IPv6Network("64:ff9b::/96")


def literal(host: str) -> Address | None:
    """Return the address that a host name is, in whatever spelling a resolver would take it."""
    try:
        return ipaddress.ip_address(host)
    except ValueError:
        pass
    try:
        return IPv4Address(socket.inet_aton(host))
    except (OSError, ValueError):
        return None


def resolved(host: str, port: int) -> list[Address]:
    """Return all addresses of a host, each once, in the resolver's order.

    Raises:
        OSError: it has none.
    """
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    addresses = (ipaddress.ip_address(str(each[4][0]).partition("%")[0]) for each in found)
    return list(dict.fromkeys(addresses))


def forbidden(address: Address, allowed: Iterable[Network] = ()) -> bool:
    """Tell whether nothing may be sent to an address.

    An IPv6 address that stands for an IPv4 one is judged by that.

    Args:
        address: the address.
        allowed: networks that are allowed although they are not public; no cloud's metadata
            service ever is.
    """
    inner = _inner(address)
    if address in _METADATA or inner in _METADATA:
        return True
    if any(each.version == inner.version and inner in each for each in allowed):
        return False
    special = any(each.version == inner.version and inner in each for each in _NETWORKS)
    return special or not inner.is_global or inner.is_multicast


def _inner(address: Address) -> Address:
    if isinstance(address, IPv4Address):
        return address
    if address in _NAT64:
        return IPv4Address(int(address) & 0xFFFFFFFF)
    return address.ipv4_mapped or address.sixtofour or address
