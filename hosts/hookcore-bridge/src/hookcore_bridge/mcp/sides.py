"""The two ends of a connection, and what each of them gets of a message."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Any

__all__ = ["Side", "Verdict"]


class Side(Enum):
    """The two ends of a connection."""

    CLIENT = "client"
    SERVER = "server"

    @property
    def other(self) -> Side:
        """The end that a message of this one goes to."""
        return Side.SERVER if self is Side.CLIENT else Side.CLIENT


@dataclass(frozen=True, slots=True)
class Verdict:
    """The decision on a message.

    Args:
        forward: what the other end gets, the message itself when it is unchanged; None for nothing.
        answer: what the sender gets at once; None for nothing.
    """

    forward: Any = None
    answer: Any = None
