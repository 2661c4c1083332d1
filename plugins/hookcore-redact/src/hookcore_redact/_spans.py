"""Places in a text."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple, Protocol

__all__ = ["Detector", "Span"]


class Span(NamedTuple):
    """A place in a text, and what stands there."""

    start: int
    end: int
    kind: str


class Detector(Protocol):
    """Finds kinds of one make."""

    @property
    def hints(self) -> tuple[bytes, ...]:
        """Expressions one of which is found wherever the detector finds something."""
        ...

    @property
    def crowd(self) -> str:
        """The hints that its own are looked for with: ``plain``, but where they go on and on."""
        ...

    def find(self, data: bytes) -> Iterator[Span]:
        """Yield what is found in a text."""
        ...
