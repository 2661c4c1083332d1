"""The worker that hosts write, whose thread and queue are a ``Background``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, TypeVar

__all__ = ["BackgroundWorker"]

Item_contra = TypeVar("Item_contra", contravariant=True)


class BackgroundWorker(Protocol[Item_contra]):
    """The worker that a ``Background`` begins in its thread: it lives and ends there."""

    def work(self, items: Sequence[Item_contra], dropped: int) -> float | None:
        """Work off the oldest items; raise to get them again later.

        Args:
            items: the oldest first; none when it is called again without news.
            dropped: how many items were dropped since the last call that returned.

        Returns:
            The seconds after which it wants to be called without news; None for not at all.
        """

    def close(self) -> None:
        """Let go of what it holds; the thread ends."""
