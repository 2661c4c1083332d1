"""The turns, the text and the tool that every run has."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Final

__all__ = ["TEXT", "TURNS", "Run", "lookup"]

TURNS: Final = 30
TEXT: Final = (
    "An ordinary answer of some length, as a model gives it after it has looked something up. " * 3
)
Run = Callable[[], Awaitable[object]]


def lookup(key: str) -> str:
    """Look something up."""
    return f"{key}: {TEXT}"
