"""Ids of calls for hosts whose models give none."""

from __future__ import annotations

import itertools
import os
import secrets

__all__ = ["new_call_id"]


class _Ids:
    """A random prefix for each process, and a number: cheaper than a UUID for each call."""

    def __init__(self) -> None:
        self._begin()
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self._begin)

    def _begin(self) -> None:
        self._prefix = f"call_{secrets.token_hex(8)}_"
        self._numbers = itertools.count(1)

    def next(self) -> str:
        """Return the next id."""
        return f"{self._prefix}{next(self._numbers)}"


new_call_id = _Ids().next
"""Return an id that no other call has, in this process or another."""
