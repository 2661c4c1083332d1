"""The addresses that a webhook may have."""

from __future__ import annotations

import ipaddress
import socket
from collections.abc import Iterable, Iterator
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network
from typing import Final

__all__ = ["Address", "Network", "forbidden", "literal", "never_allowed", "resolved"]

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
            "::ffff:0:0:0/96",
            "64:ff9b:1::/48",
            "100::/64",
            "100:0:0:1::/64",
            "2001::/23",
            "3fff::/20",
            "5f00::/16",
            "fc00::/7",
            "fe80::/9",
            "ff00::/8",
        ),
    )
)
_NEVER: Final = tuple(
    map(
        ipaddress.ip_network,
        (
            # Link-local, where most clouds have their metadata service.
            "169.254.0.0/16",
            "fe80::/10",
            # Other addresses of such services.
            "100.100.100.200/32",
            "168.63.129.16/32",
            "192.0.0.192/32",
            "fd00:ec2::/32",
            "fd20:ce::254/128",
        ),
    )
)
_NAT64: Final = IPv6Network("64:ff9b::/96")
_LOCAL_NAT64: Final = IPv6Network("64:ff9b:1::/48")
_LOW_BITS: Final = (
    IPv6Network("::ffff:0:0/96"),
    IPv6Network("::/96"),
    IPv6Network("::ffff:0:0:0/96"),
    _NAT64,
    _LOCAL_NAT64,
)
"""Networks whose addresses end with an IPv4 one."""
_LOW: Final = 0xFFFFFFFF


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
        allowed: networks that are allowed although they are not public; what is link-local, or a
            cloud's metadata service, never is.
    """
    if never_allowed(address):
        return True
    inner = _inner(address)
    if _is_in(inner, allowed):
        return False
    return _is_in(inner, _NETWORKS) or not inner.is_global or inner.is_multicast


def never_allowed(address: Address) -> bool:
    """Tell whether an address is link-local or a cloud's metadata service, in whatever form."""
    return any(_is_in(each, _NEVER) for each in (address, *_embedded(address)))


def _is_in(address: Address, networks: Iterable[Network]) -> bool:
    return any(each.version == address.version and address in each for each in networks)


def _inner(address: Address) -> Address:
    if isinstance(address, IPv4Address):
        return address
    if address in _NAT64:
        return IPv4Address(int(address) & _LOW)
    return address.ipv4_mapped or address.sixtofour or address


def _embedded(address: Address) -> Iterator[IPv4Address]:
    """Yield the IPv4 addresses that an IPv6 one may lead to, in whatever network."""
    if isinstance(address, IPv4Address):
        return
    number = int(address)
    if _is_in(address, _LOW_BITS):
        yield IPv4Address(number & _LOW)
    if address in _LOCAL_NAT64:
        # It may be cut into prefixes of these lengths; bits 64 to 71 are never the address's.
        joined = number >> 64 << 56 | number & (1 << 56) - 1
        for length in (48, 56, 64):
            yield IPv4Address(joined >> (88 - length) & _LOW)
    if address.sixtofour is not None:
        yield address.sixtofour
    if address.teredo is not None:
        yield from address.teredo
