"""The sessions that a gateway keeps when its process ends."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

__all__ = ["Keeper", "Kept", "Place", "Who"]

Who = tuple[str, str, "str | None"]
"""The owner of a session: channel, sender, thread."""
Place = tuple[Who, str]
"""The owner of a session, and the agent that it is with."""


@dataclass(frozen=True)
class Kept:
    """A session as it was kept.

    Args:
        id: its id.
        data: the session's data, its ``messages`` among them.
    """

    id: str
    data: Mapping[str, Any]


class Keeper(Protocol):
    """Keeps sessions in order: what was asked for first is done first."""

    @property
    def lasts(self) -> bool:
        """True when anything outlives the process."""
        ...

    async def open(self, idle: float | None, most: int) -> None:
        """Begin, and forget what is too old or too much.

        Args:
            idle: after how many seconds without a message a session is forgotten.
            most: how many sessions are kept.

        Raises:
            GatewayError: nothing can be kept where it was to be.
        """
        ...

    async def load(self, place: Place) -> Kept | None:
        """Return a session, None when it is not kept."""
        ...

    async def save(self, place: Place, session_id: str, data: Mapping[str, Any]) -> None:
        """Keep a session as it is now; a failure is in the log and costs nobody an answer."""
        ...

    def forget(self, place: Place) -> None:
        """Forget a session, which has ended."""
        ...

    def forget_all(self, who: Who) -> None:
        """Forget the sessions of a sender with all agents."""
        ...

    def prune(self, idle: float | None, most: int) -> None:
        """Forget what is too old or too much, as :meth:`open` does."""
        ...

    async def close(self) -> None:
        """Finish what was asked for, and end."""
        ...
