"""The scope and the run that a stream was started in, for code that has to run in them later.

A generator runs in its consumer's context, so nothing may stay in a context variable across a
``yield``: each step sets what it needs and takes it back before an item is handed out.
"""

from __future__ import annotations

from collections.abc import (
    Awaitable,
    Callable,
)
from contextvars import Token
from typing import Any, Final, TypeAlias, TypeVar

from hookcore_specs._runtime import ACTIVE, Frame

from .current import CURRENT, Current
from .scopes import Scopes
from .scopes import Token as ScopeToken

__all__ = ["UNSET", "Outside", "StartedIn"]

_T = TypeVar("_T")

UNSET: Final[Any] = object()
"""Stands for a payload, result or event that is not there, where None could be one."""


class StartedIn:
    """The scope and the run of the calling code, for code that has to run in them later.

    Args:
        scopes: the manager's scopes.
        frame: the dispatch that the code is in; the caller's when it is not given.
    """

    __slots__ = ("_current", "_frame", "_scope", "_scopes", "_var")

    def __init__(self, scopes: Scopes, frame: Frame | None = UNSET) -> None:
        self._scopes = scopes
        self._var = scopes._current
        self._scope = scopes.token()
        self._current = CURRENT.get()
        self._frame: Frame | None = ACTIVE.get() if frame is UNSET else frame

    def fork(self, frame: Frame | None = UNSET) -> StartedIn:
        """Return one that starts from here; ``frame`` is a running hook's."""
        twin = object.__new__(StartedIn)
        twin._scopes, twin._var = self._scopes, self._var
        twin._scope, twin._current = self._scope, self._current
        twin._frame = self._frame if frame is UNSET else frame
        return twin

    @property
    def getters(self) -> tuple[Callable[[], Any], Callable[[], Any], Callable[[], Any]]:
        """The calling code's frame, its run and its scope."""
        return ACTIVE.get, CURRENT.get, self._var.get

    def place(self) -> tuple[Any, Any, Any]:
        """Return the frame, the run and the scope that are set here."""
        return self._frame, self._current, self._scope

    async def step(self, call: Callable[[], Awaitable[_T]]) -> _T:
        """Run some code here; what it leaves in the scope and the run is forgotten."""
        return await self.fork().resume(call)

    async def resume(self, call: Callable[[], Awaitable[_T]]) -> _T:
        """Run some code here; the next call goes on in the scope and the run that it leaves.

        So an iterator that entered a scope before it gave an item is still in it afterwards.
        """
        outside = self.enter()
        try:
            result = await call()
        except BaseException as error:
            self.leave(outside, error)
            raise
        self.leave(outside)
        return result

    def step_sync(self, call: Callable[[], _T]) -> _T:
        """Run some plain code here; what it leaves in the scope and the run is forgotten."""
        return self.fork().resume_sync(call)

    def resume_sync(self, call: Callable[[], _T]) -> _T:
        """Run some plain code here, like :meth:`resume`."""
        outside = self.enter()
        try:
            result = call()
        except BaseException as error:
            self.leave(outside, error)
            raise
        self.leave(outside)
        return result

    def enter(self) -> Outside:
        """Go on here; return the way back, for :meth:`leave`."""
        if CURRENT.get() is not self._current or self._var.get() is not self._scope:
            return (
                ACTIVE.set(self._frame),
                CURRENT.set(self._current),
                self._var.set(self._scope),
            )
        return None if ACTIVE.get() is self._frame else ACTIVE.set(self._frame)

    def leave(self, outside: Outside, error: BaseException | None = None) -> None:
        """Go back to where :meth:`enter` was called; remember the scope and the run left here.

        Args:
            outside: what :meth:`enter` returned.
            error: what the code here ended with. What is closed by another context than its own
                must change nothing there.
        """
        moved = type(outside) is tuple
        if CURRENT.get() is not self._current or self._var.get() is not self._scope:
            if isinstance(error, GeneratorExit) and not moved:
                return
            before, around = self._current, self._scope
            self._current, self._scope = CURRENT.get(), self._var.get()
            if not moved:
                CURRENT.set(before)
                self._var.set(around)
        try:
            if isinstance(outside, tuple):
                frame, run, scope = outside
                ACTIVE.reset(frame)
                CURRENT.reset(run)
                self._var.reset(scope)
            elif outside is not None:
                ACTIVE.reset(outside)
        except ValueError:
            return  # closed by another context, where there is nothing to take back


_All: TypeAlias = "tuple[Token[Frame | None], Token[Current | None], Token[ScopeToken]]"
Outside: TypeAlias = "_All | Token[Frame | None] | None"
"""The way back to where some code was: all of it, the frame alone, or nothing."""
