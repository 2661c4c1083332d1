"""The ways in which a gateway can keep its sessions."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from .errors import GatewayError
from .keeping import Keeper, Kept, Place, Who

__all__ = ["keeper_of"]


class InMemory:
    """Keeps nothing: sessions end with their process."""

    lasts = False

    async def open(self, idle: float | None, most: int) -> None:
        """Do nothing."""

    async def load(self, _place: Place) -> Kept | None:
        """Return None."""
        return None

    async def save(self, place: Place, session_id: str, data: Mapping[str, Any]) -> None:
        """Do nothing."""

    def forget(self, place: Place) -> None:
        """Do nothing."""

    def forget_all(self, who: Who) -> None:
        """Do nothing."""

    def prune(self, idle: float | None, most: int) -> None:
        """Do nothing."""

    async def close(self) -> None:
        """Do nothing."""


def keeper_of(sessions: str, file: str | Path | None) -> Keeper:
    """Return what keeps a gateway's sessions.

    Args:
        sessions: "memory" or "sqlite".
        file: the database, for "sqlite".

    Raises:
        GatewayError: ``sessions`` is another word, or does not go with ``file``.
    """
    if sessions == "memory":
        if file is not None:
            raise GatewayError('sessions_file= is a database: say sessions="sqlite", too')
        return InMemory()
    if sessions != "sqlite":
        raise GatewayError(f'sessions= takes "memory" or "sqlite", not {sessions!r}')
    if file is None or not str(file).strip():
        raise GatewayError('sessions="sqlite" needs sessions_file=, the path of the database')
    from .keeping_sqlite import SqliteKeeper  # SQLite, which nobody else should wait for

    return SqliteKeeper(Path(file))
