"""A message on its way."""

from __future__ import annotations

from dataclasses import dataclass, field

__all__ = ["Message"]


@dataclass(frozen=True, slots=True)
class Message:
    """One event, ready to be sent.

    Args:
        id: the same at each attempt, so that a receiver knows what it has had.
        at: when it was made, in nanoseconds since the epoch; older ones are sent first.
        body: the JSON.
        attempts: how often it was sent in vain.
    """

    id: str
    at: int
    body: bytes = field(repr=False)
    attempts: int = 0
