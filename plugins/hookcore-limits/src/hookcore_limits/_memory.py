"""Counts of one process."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from hookcore_stores import renewed_in_children

from ._counts import Hit, Rate, Reserved, Share, Store, is_reached, wait_until_free

__all__ = ["MemoryStore"]

_SWEEP: Final = 4096
"""Calls after which what is over is thrown away."""


@dataclass(slots=True)
class _Window:
    number: int
    current: int
    before: int
    seconds: int


@dataclass(slots=True)
class _Budget:
    period: int
    spent: int
    held: int
    asked: float


@dataclass(slots=True)
class _Hold:
    shares: tuple[Share, ...]
    until: float


class MemoryStore(Store):
    """Counts in this process, by a clock that nobody can set.

    Args:
        ttl_s: seconds that a reservation holds.
        keep_s: seconds after which an unused budget is forgotten.
        charges: whether a reservation that outlives its time is spent.
    """

    def __init__(self, *, ttl_s: float, keep_s: float, charges: bool) -> None:
        self._ttl_s = ttl_s
        self._keep_s = keep_s
        self._charges = charges
        self._windows: dict[str, _Window] = {}
        self._budgets: dict[str, _Budget] = {}
        self._holds: dict[str, _Hold] = {}
        self._calls = 0
        self._began = time.time() - time.monotonic()
        self._renew()
        renewed_in_children(self._renew)

    def _renew(self) -> None:
        self._lock = threading.Lock()

    def _now(self) -> float:
        return self._began + time.monotonic()

    def count(self, rates: Sequence[Rate]) -> Hit | None:
        """Count a call at all rates, or at none."""
        with self._lock:
            now = self._now()
            windows = []
            for place, rate in enumerate(rates):
                window, gone_s = self._window(rate, now), now % rate.seconds
                if is_reached(rate, window.before, window.current, gone_s):
                    wait_s = wait_until_free(rate, window.before, window.current, gone_s)
                    return Hit(place, wait_s)
                windows.append(window)
            for window in windows:
                window.current += 1
            self._sweep(now)
        return None

    def reserve(self, ident: str, shares: Sequence[Share]) -> Reserved:
        """Hold parts of budgets, all or none."""
        with self._lock:
            now = self._now()
            if ident in self._holds:
                return Reserved(None, 0, 0, ())
            self._expire(now)
            budgets = [self._budget(share, now) for share in shares]
            for index, (share, budget) in enumerate(zip(shares, budgets, strict=True)):
                if share.amount and budget.spent + budget.held + share.amount > share.cap:
                    return Reserved(index, budget.spent, budget.held, (), share.cap)
            for share, budget in zip(shares, budgets, strict=True):
                budget.held += share.amount
            self._holds[ident] = _Hold(tuple(shares), now + self._ttl_s)
            used = tuple(budget.spent + budget.held for budget in budgets)
            self._sweep(now)
            return Reserved(None, 0, 0, used)

    def settle(self, ident: str, amounts: Sequence[int]) -> bool:
        """Spend these amounts in the place of a reservation."""
        with self._lock:
            hold = self._holds.pop(ident, None)
            if hold is None:
                return False
            self._spend(hold, amounts, self._now())
            return True

    def charge(self, shares: Sequence[Share]) -> bool:
        """Spend parts of budgets that nothing was held of."""
        with self._lock:
            now = self._now()
            for share in shares:
                self._budget(share, now).spent += share.amount
        return True

    def close(self) -> None:
        """Do nothing: there is nothing to let go of."""

    def _window(self, rate: Rate, now: float) -> _Window:
        number = int(now // rate.seconds)
        window = self._windows.get(rate.key)
        if window is None or window.number < number - 1:
            window = self._windows[rate.key] = _Window(number, 0, 0, rate.seconds)
        elif window.number < number:
            window.number, window.before, window.current = number, window.current, 0
        return window

    def _budget(self, share: Share, now: float) -> _Budget:
        period = int(now // share.seconds) if share.seconds else 0
        budget = self._budgets.get(share.key)
        if budget is None:
            budget = self._budgets[share.key] = _Budget(period, 0, 0, now)
        elif budget.period < period:
            budget.period, budget.spent = period, 0
        budget.asked = now
        return budget

    def _spend(self, hold: _Hold, amounts: Sequence[int], now: float) -> None:
        for share, amount in zip(hold.shares, amounts, strict=True):
            budget = self._budget(share, now)
            budget.spent += amount
            budget.held = max(0, budget.held - share.amount)

    def _expire(self, now: float) -> None:
        while self._holds:
            ident, hold = next(iter(self._holds.items()))  # all hold equally long: it is the oldest
            if hold.until > now:
                return
            del self._holds[ident]
            amounts = [share.amount if self._charges else 0 for share in hold.shares]
            self._spend(hold, amounts, now)

    def _sweep(self, now: float) -> None:
        self._calls += 1
        if self._calls % _SWEEP:
            return
        self._expire(now)
        for key, window in tuple(self._windows.items()):
            if window.number < now // window.seconds - 1:
                del self._windows[key]
        for key, budget in tuple(self._budgets.items()):
            if not budget.held and budget.asked < now - self._keep_s:
                del self._budgets[key]
