"""The host names that lead to this machine and nowhere else."""

from __future__ import annotations

import ipaddress
import re
from typing import Final

__all__ = ["is_local", "name_in"]

_HOST: Final = re.compile(r"(?:\[([0-9A-Fa-f:.]+)\]|([A-Za-z0-9._-]+))(?::[0-9]*)?")


def is_local(name: str) -> bool:
    """Return whether only programs of this machine reach a name.

    Args:
        name: a host's name or address.
    """
    if name.casefold() == "localhost":
        return True
    try:
        address = ipaddress.ip_address(name)
    except ValueError:
        return False
    mapped = address.ipv4_mapped if isinstance(address, ipaddress.IPv6Address) else None
    return (mapped or address).is_loopback


def name_in(host: str) -> str:
    """Return the name in a ``Host`` header without its port; an empty one when there is none.

    Args:
        host: the header's value, which a client may have made up of anything.
    """
    found = _HOST.fullmatch(host)
    return (found[1] or found[2]) if found else ""
