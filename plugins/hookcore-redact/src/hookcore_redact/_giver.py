"""The placeholders for the values of one payload."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ._placeholders import numbers_in
from ._regex import Expression
from ._vault import Vault
from ._walk import texts_in

__all__ = ["Giver"]


class Giver:
    """Asks the vault for placeholders, and reads the payload for foreign ones when it has to.

    Args:
        vault: gives the vault, when the first value was found.
        payload: the whole payload.
        pattern: matches placeholders.
        known: the highest numbers of placeholders that stand around the payload.
    """

    __slots__ = ("_known", "_numbers", "_pattern", "_payload", "_vault")

    def __init__(
        self,
        vault: Callable[[], Vault],
        payload: Any,
        pattern: Expression,
        known: Mapping[str, int] | None = None,
    ) -> None:
        self._known = known or {}
        self._vault = vault
        self._payload = payload
        self._pattern = pattern
        self._numbers: dict[str, int] | None = None

    def give(self, kind: str, value: bytes, *, tentative: bool = False) -> str:
        """Return the placeholder of a value, which may be the beginning of another."""
        return self._vault().placeholder(kind, value, self._taken, tentative=tentative)

    def take_back(self, kind: str, value: bytes) -> None:
        """Forget what turned out to be the beginning of another value."""
        self._vault().retract(kind, value)

    def _taken(self) -> dict[str, int]:
        if self._numbers is None:
            self._numbers = numbers_in(texts_in(self._payload), self._pattern)
            for tag, number in self._known.items():
                self._numbers[tag] = max(self._numbers.get(tag, 0), number)
        return self._numbers
