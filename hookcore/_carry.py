"""What a stream carries with it: the scope and the run that it was started in.

An async generator runs in its consumer's context, so nothing may stay in a context variable across
a ``yield``: each step sets what it needs and takes it back before an item is handed out.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import TYPE_CHECKING, TypeVar

from hookcore_specs._runtime import ACTIVE, Frame, leave

from ._current import CURRENT

if TYPE_CHECKING:
    from ._core import ManagerCore

__all__ = ["Carried"]

_T = TypeVar("_T")


class Carried:
    """The scope and the run of the code that starts a stream."""

    __slots__ = ("_current", "_manager", "_scope", "outer")

    def __init__(self, manager: ManagerCore) -> None:
        self._manager = manager
        self._scope = manager._scopes.token()
        self._current = CURRENT.get()
        #: The dispatch that the stream is started in, if a hook starts it.
        self.outer: Frame | None = ACTIVE.get()

    async def step(self, call: Callable[[], Awaitable[_T]], frame: Frame | None = None) -> _T:
        """Run one step of the stream where it was started; ``frame`` is a running hook's."""
        token = ACTIVE.set(self.outer if frame is None else frame)
        run = CURRENT.set(self._current)
        try:
            with self._manager._scopes.use(self._scope):
                return await call()
        finally:
            with suppress(ValueError):  # closed from another context
                CURRENT.reset(run)
            leave(token)
