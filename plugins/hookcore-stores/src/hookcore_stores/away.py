"""A store that cannot be asked, and the time for which it is left alone then."""

from __future__ import annotations

import os
import threading
import time
import weakref
from collections.abc import Callable
from typing import Final

from hookcore import HookcoreError

__all__ = ["Breaker", "StoreAwayError", "StoreSettingsError", "renewed_in_children"]


class StoreAwayError(HookcoreError):
    """Raised when a store has no answer in time; whether it did what it was asked is not known.

    Its text names the store and the kind of fault, and never an address, a key or a value.
    """


class StoreSettingsError(HookcoreError, ValueError):
    """Raised when a store cannot be used as it is set up; the text says what to do."""


class Breaker:
    """Leaves a store alone for a while after a failure, so that not every call waits for it.

    When the while is over, one call tries; the others go on without the store until that one knows.

    Args:
        name: the store's name in errors.
        retry_after_s: seconds that it is left alone; 0 asks it each time.
    """

    def __init__(self, name: str, retry_after_s: float) -> None:
        self._name = name
        self._retry_after_s = retry_after_s
        self._why = ""
        self._until = 0.0
        self.renew()
        renewed_in_children(self.renew)

    def renew(self) -> None:
        """Forget who held the lock; for the child of a fork."""
        self._lock = threading.Lock()

    @property
    def is_open(self) -> bool:
        """True when the store failed last, and has not answered since."""
        return bool(self._why)

    def check(self) -> None:
        """Let the store be asked.

        Raises:
            StoreAwayError: it failed a moment ago, or another thread is trying it again.
        """
        if not self._why:
            return
        with self._lock:
            left = self._until - time.monotonic()
            if self._why and left > 0:
                raise StoreAwayError(f"{self._why}; asked again in {left:.1f} s")
            self._until = time.monotonic() + self._retry_after_s

    def failed(self, why: str) -> StoreAwayError:
        """Begin to leave the store alone.

        Args:
            why: the fault, for operators.

        Returns:
            What to raise.
        """
        with self._lock:
            self._why = f"{self._name}: {why}"
            self._until = time.monotonic() + self._retry_after_s
        return StoreAwayError(self._why)

    def answered(self) -> None:
        """Go on as if nothing had been."""
        if self._why:
            self._why = ""


_renewals: Final[list[weakref.WeakMethod[Callable[[], None]]]] = []


def renewed_in_children(renew: Callable[[], None]) -> None:
    """Call a method in each child of a fork, as long as its object lives.

    Args:
        renew: a bound method, which must not wait for any lock.
    """
    _renewals[:] = [each for each in _renewals if each() is not None]
    _renewals.append(weakref.WeakMethod(renew))


def _renew_all() -> None:
    for each in tuple(_renewals):
        renew = each()
        if renew is not None:
            renew()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_renew_all)
