"""The words that the policy and its stores speak: what is counted, and what came of it."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import NamedTuple, Protocol

__all__ = ["Hit", "Rate", "Reserved", "Share", "Store"]


class Rate(NamedTuple):
    """A counter, and how often it may be counted up in a window of so many seconds."""

    key: str
    limit: int
    seconds: int


class Hit(NamedTuple):
    """A rate that is reached: its place among those asked, and the seconds until it is free."""

    place: int
    wait_s: float


class Share(NamedTuple):
    """A part of a budget: the budget's key, its cap, its period in seconds (0: none), the part."""

    key: str
    cap: int
    seconds: int
    amount: int


class Reserved(NamedTuple):
    """The answer to a reservation.

    Args:
        full: the place of the budget that has no room; None when all had, and it is made.
        spent: what is spent of that budget.
        held: what other calls hold of it.
        used: what is spent or held of each budget, with this reservation; empty when it was there.
        cap: how much that budget is, where it has no room.
    """

    full: int | None
    spent: int
    held: int
    used: tuple[int, ...]
    cap: int = 0


class Store(Protocol):
    """Counts in steps that nothing overlaps.

    Each method raises ``StoreAwayError`` when the store has no answer in time.
    """

    @abstractmethod
    def count(self, rates: Sequence[Rate]) -> Hit | None:
        """Count a call at all rates, or at none when one of them is reached, which is returned."""

    @abstractmethod
    def reserve(self, ident: str, shares: Sequence[Share]) -> Reserved:
        """Hold parts of budgets, all or none; a reservation that is there is not made again."""

    @abstractmethod
    def settle(self, ident: str, amounts: Sequence[int]) -> bool:
        """Spend these amounts in the place of a reservation; False when there is none any more."""

    @abstractmethod
    def charge(self, shares: Sequence[Share]) -> bool:
        """Spend parts of budgets that nothing was held of; it is always true."""

    @abstractmethod
    def close(self) -> None:
        """Let go of connections; the next question makes new ones."""


def wait_until_free(rate: Rate, before: int, current: int, gone_s: float) -> float:
    """Return the seconds until a reached rate counts again.

    A window is weighed by its share of the last so many seconds, so that no more than the limit
    passes at the border of two.

    Args:
        rate: the rate.
        before: what was counted in the window before this one.
        current: what was counted in this one.
        gone_s: seconds of this one that are over.
    """
    room = rate.limit - 1
    if current <= room:  # the window before fades
        return max(0.0, (1 - (room - current) / before) * rate.seconds - gone_s)
    return rate.seconds - gone_s + max(0.0, (1 - room / current) * rate.seconds)


def is_reached(rate: Rate, before: int, current: int, gone_s: float) -> bool:
    """Tell whether one more call is too many."""
    return before * (1 - gone_s / rate.seconds) + current + 1 > rate.limit
