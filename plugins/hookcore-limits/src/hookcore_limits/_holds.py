"""The reservations of calls that are under way in this process."""

from __future__ import annotations

import os
import threading
import time
from dataclasses import dataclass, field

from hookcore import ModelCallContext
from hookcore_stores import renewed_in_children

from ._counts import Share, Store

__all__ = ["Hold", "Holds"]


@dataclass(slots=True)
class Hold:
    """A reservation: what a call has taken in advance.

    Args:
        ident: the reservation's id.
        store: who keeps it.
        shares: the parts of budgets that it takes.
        since: when it was made, by the monotonic clock.
    """

    ident: str
    store: Store
    shares: tuple[Share, ...]
    since: float = field(default_factory=time.monotonic)


class Holds:
    """Finds a call's reservation at the call's end.

    Args:
        ttl_s: seconds after which a call that never ended is forgotten here; the store has charged
            for it by then.
    """

    def __init__(self, ttl_s: float) -> None:
        self._ttl_s = ttl_s
        self._open: dict[tuple[str, str], Hold] = {}
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

    def put(self, ctx: ModelCallContext, hold: Hold) -> None:
        """Keep a call's reservation until the call's end."""
        if ctx.call_id is None:
            return  # its end cannot be told from others: what it took stays taken
        with self._lock:
            while self._open:
                key, oldest = next(iter(self._open.items()))
                if oldest.since > hold.since - self._ttl_s:
                    break
                del self._open[key]
            self._open[_key(ctx)] = hold

    def take(self, ctx: ModelCallContext) -> Hold | None:
        """Return a call's reservation, once."""
        if ctx.call_id is None:
            return None
        with self._lock:
            return self._open.pop(_key(ctx), None)


def _key(ctx: ModelCallContext) -> tuple[str, str]:
    return (str(ctx.run_id or ""), str(ctx.call_id))
