"""The room of a channel for connections: a process has only so many open files for everything."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from typing import Final

__all__ = ["Room", "file_limit"]

#: The part of the limit that stays free, for what the agents behind the channel open.
_SPARED: Final = 4

_promised: dict[int, int] = {}
"""The connections that the channels of this process hold already, by their rooms."""


class Room:
    """The connections that a channel may hold at once.

    Args:
        wanted: how many they are where the process may open files enough.
    """

    def __init__(self, wanted: int) -> None:
        self._wanted = wanted

    def taken(self) -> int:
        """Set the connections apart, until :meth:`given_back`, and return how many there are.

        They are fewer than wanted where the limit of open files is near, and 0 when it is reached.
        """
        self.given_back()
        limit = file_limit()
        found = self._wanted
        if limit is not None:
            free = limit - limit // _SPARED - _open_files() - sum(_promised.values())
            found = max(0, min(found, free))
        _promised[id(self)] = found
        return found

    def given_back(self) -> None:
        """Leave the connections to other channels."""
        _promised.pop(id(self), None)


def file_limit() -> int | None:
    """Return how many files this process may have open; None when there is no such limit."""
    if sys.platform == "win32":
        return None
    import resource

    limit = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    return None if limit == resource.RLIM_INFINITY else limit


def _open_files() -> int:
    for folder in ("/proc/self/fd", "/dev/fd"):
        with suppress(OSError):
            return len(os.listdir(folder))  # noqa: PTH208 - names are all that is needed
    return 0
