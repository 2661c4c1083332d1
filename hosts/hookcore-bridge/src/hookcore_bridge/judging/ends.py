"""The ends of calls that a later event of their batch has to know of."""

from __future__ import annotations

import threading
from collections import OrderedDict
from typing import Final

__all__ = ["Ends"]

MOST: Final = 4096


class Ends:
    """The calls that have ended, each with the reason why the model must not read its result.

    Args:
        most: how many are remembered; one that is forgotten is judged once more.
    """

    def __init__(self, most: int = MOST) -> None:
        self._most = most
        self._lock = threading.Lock()
        self._known: OrderedDict[tuple[str, str], str | None] = OrderedDict()

    def note(self, session: str, call_id: str | None, reason: str | None = None) -> None:
        """Remember that a call has ended, and why its result is to be withheld, if it is."""
        if call_id is None:
            return
        with self._lock:
            self._known[session, call_id] = reason
            while len(self._known) > self._most:
                self._known.popitem(last=False)

    def take(self, session: str, call_id: str | None) -> tuple[bool, str | None]:
        """Return whether a call's end is known, and the reason; it is forgotten."""
        with self._lock:
            key = (session, call_id or "")
            if key not in self._known:
                return False, None
            return True, self._known.pop(key)
