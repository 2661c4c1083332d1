"""Silence while runs are replayed, in however many threads."""

from __future__ import annotations

import logging
import sys
from contextlib import ExitStack, contextmanager, redirect_stdout
from threading import Lock
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from contextlib import AbstractContextManager

__all__ = ["plain_output", "quiet"]


class _Together:
    """A block that the first thread of those in it begins, and the last one ends."""

    def __init__(self, block: Callable[[], AbstractContextManager[object]]) -> None:
        self._block = block
        self._lock = Lock()
        self._inside = 0
        self._stack = ExitStack()

    @contextmanager
    def __call__(self) -> Iterator[None]:
        with self._lock:
            if not self._inside:
                self._stack.enter_context(self._block())
            self._inside += 1
        try:
            yield
        finally:
            with self._lock:
                self._inside -= 1
                if not self._inside:
                    self._stack.close()


@contextmanager
def _silence() -> Iterator[None]:
    logger = logging.getLogger("hookcore")
    level = logger.level
    logger.setLevel(logging.CRITICAL + 1)
    try:
        yield
    finally:
        logger.setLevel(level)


quiet = _Together(_silence)
"""Keeps the log still: each failure of a hook is a finding already."""
plain_output = _Together(lambda: redirect_stdout(sys.stderr))
"""Keeps what a plugin prints out of the report."""
