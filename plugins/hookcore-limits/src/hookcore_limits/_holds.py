"""The reservations of calls that are under way in this process."""

from __future__ import annotations

import os
import threading
from dataclasses import dataclass
from typing import Final

from hookcore import ModelCallContext
from hookcore_stores import renewed_in_children

from ._counts import Share, Store

__all__ = ["Hold", "Holds"]

_OPEN_KEPT: Final = 65_536
"""The most calls that are known to be under way; some hosts never tell the ends of theirs."""
_ENDED_KEPT: Final = 1024


@dataclass(slots=True)
class Hold:
    """A reservation: what a call has taken in advance.

    Args:
        ident: the reservation's id.
        store: who keeps it.
        shares: the parts of budgets that it takes.
    """

    ident: str
    store: Store
    shares: tuple[Share, ...]


class Holds:
    """Finds a call's reservation at the call's end."""

    def __init__(self) -> None:
        self._open: dict[tuple[str, str], Hold] = {}
        self._ended: dict[tuple[str, str], None] = {}
        self._renew()
        renewed_in_children(self._renew)

    def _renew(self) -> None:
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return len(self._open)

    def new_ident(self) -> str:
        """Return an id that no other reservation has, on any machine."""
        return os.urandom(16).hex()

    def has(self, ctx: ModelCallContext) -> bool:
        """Tell whether a call is under way: a gate is asked again when a wrap changed it."""
        return ctx.call_id is not None and _key(ctx) in self._open

    def put(self, ctx: ModelCallContext, hold: Hold) -> bool:
        """Keep a call's reservation until the call's end.

        Args:
            ctx: the call.
            hold: what it has taken.

        Returns:
            False when the call has ended already: its host gave it up while a thread asked.
        """
        if ctx.call_id is None:
            return True  # its end cannot be told from others: what it took stays taken
        key = _key(ctx)
        with self._lock:
            if key in self._ended:
                del self._ended[key]
                return False
            self._open[key] = hold
            if len(self._open) > _OPEN_KEPT:
                del self._open[next(iter(self._open))]
        return True

    def take(self, ctx: ModelCallContext) -> Hold | None:
        """Return the reservation of a call that has ended, once."""
        if ctx.call_id is None:
            return None
        key = _key(ctx)
        with self._lock:
            hold = self._open.pop(key, None)
            if hold is None and not ctx.entered:
                self._ended[key] = None
                if len(self._ended) > _ENDED_KEPT:
                    del self._ended[next(iter(self._ended))]
        return hold


def _key(ctx: ModelCallContext) -> tuple[str, str]:
    return (str(ctx.run_id or ""), str(ctx.call_id))
