"""Which manager the drop-in stands on, and what the host adds to its contexts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hookcore import HookManager, get_manager
from hookcore_specs import HookContext

__all__ = ["binding"]


class Binding:
    """The manager that all hooks of the drop-in are registered with.

    It is the process-wide one until a host names another.
    """

    __slots__ = ("_manager", "ambient", "moved")

    def __init__(self) -> None:
        self._manager: HookManager | None = None
        #: Puts what the host knows (the run's id) into a context that is about to be dispatched.
        self.ambient: Callable[[Any], object] | None = None
        #: Called when the manager changes, with the old and the new one.
        self.moved: Callable[[HookManager, HookManager], object] | None = None

    @property
    def manager(self) -> HookManager:
        """The manager."""
        return self._manager or self._first()

    def _first(self) -> HookManager:
        self._manager = get_manager()
        return self._manager

    def use(self, manager: HookManager) -> HookManager:
        """Move all hooks to another manager and return the one before."""
        before = self.manager
        if manager is not before:
            self._manager = manager
            if self.moved is not None:
                self.moved(before, manager)
        return before

    def enrich(self, ctx: HookContext) -> None:
        """Let the host fill in what it knows."""
        if self.ambient is not None:
            self.ambient(ctx)


binding = Binding()
