"""Ids of runs, and of calls for hosts whose models give none."""

from __future__ import annotations

import itertools
import os

__all__ = ["new_call_id", "new_run_id"]


class _Ids:
    """A random prefix for each process, and a number: cheaper than a UUID for each call."""

    def __init__(self) -> None:
        self._begin()
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self._begin)

    def _begin(self) -> None:
        self._prefix = os.urandom(8).hex()
        self._numbers = itertools.count(1)

    def call(self) -> str:
        """Return the next id of a call."""
        return f"call_{self._prefix}_{next(self._numbers)}"

    def run(self) -> str:
        """Return the next id of a run, 32 hexadecimal digits."""
        return f"{self._prefix}{next(self._numbers):016x}"


_ids = _Ids()
new_call_id = _ids.call
"""Return an id that no other call has, in this process or another."""
new_run_id = _ids.run
"""Return an id that no other run has, in this process or another."""
