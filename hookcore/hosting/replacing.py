"""The functions that an adapter has replaced in somebody else's runtime, and the way back."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

__all__ = ["Replacements"]

_ABSENT: Any = object()


class Replacements:
    """The replaced functions, in their order; false when there are none."""

    def __init__(self) -> None:
        self._undo: list[Callable[[], object]] = []

    def __bool__(self) -> bool:
        return bool(self._undo)

    def put(self, owner: Any, name: str, make: Callable[[Any], Any]) -> None:
        """Put another function in the place of one.

        Args:
            owner: the class or module that has it, itself or by inheritance.
            name: its name.
            make: gives the new one for the old one; it gets the old one's name and docstring.

        Raises:
            AttributeError: there is no such function.
        """
        old, own = getattr(owner, name), vars(owner).get(name, _ABSENT)
        setattr(owner, name, functools.wraps(old)(make(old)))
        if own is _ABSENT:
            self.at_end(lambda: delattr(owner, name))
        else:
            self.at_end(lambda: setattr(owner, name, own))

    def at_end(self, undo: Callable[[], object]) -> None:
        """Have something else undone, too.

        Args:
            undo: called in its turn, the last one first.
        """
        self._undo.append(undo)

    def undo(self) -> None:
        """Put everything back as it was."""
        while self._undo:
            self._undo.pop()()
