"""Warnings about the configuration, of which one command gives each once."""

from __future__ import annotations

import contextlib
from contextvars import ContextVar
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["warn", "warning_once"]

_warned: ContextVar[set[str] | None] = ContextVar("hookcore_warned", default=None)


@contextlib.contextmanager
def warning_once() -> Iterator[None]:
    """Let one command, which may read the configuration several times, give each warning once."""
    token = _warned.set(set())
    try:
        yield
    finally:
        _warned.reset(token)


def warn(message: str) -> None:
    """Put a warning into the log; in :func:`warning_once` only the first of its text.

    Args:
        message: the warning.
    """
    warned = _warned.get()
    if warned is not None:
        if message in warned:
            return
        warned.add(message)
    import logging  # here, because `hookctl list` must start quickly

    logging.getLogger("hookcore").warning("%s", message)
