"""The folders that a user has of their own, as the system names them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

__all__ = ["own_folder"]


def own_folder(find: Callable[..., str]) -> Path | None:
    """Return hookcore's folder of one kind, which need not exist; None for a user without a home.

    Args:
        find: the function of platformdirs for that kind.
    """
    try:
        folder = Path(find("hookcore", appauthor=False))
    except RuntimeError:  # newer versions of platformdirs refuse a user without a home
        return None
    # With older ones the path begins with a "~" in the working folder, which is anybody's.
    return folder if folder.is_absolute() else None
