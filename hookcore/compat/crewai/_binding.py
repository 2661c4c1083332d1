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

    def __init__(self) -> None:
        #: The manager, once there is one; what is slower but always there is :attr:`manager`.
        self.current: HookManager | None = None
        #: Whether a dispatch has to look for a scope, or for what the host knows; most have not.
        self.busy = False
        self._describe: Callable[[Any], object] | None = None
        #: Called when the manager changes, with the old and the new one.
        self.moved: Callable[[HookManager, HookManager | None], object] | None = None

    @property
    def manager(self) -> HookManager:
        """The manager; the process-wide one is loaded when somebody first needs it."""
        if self.current is None:
            self.current = get_manager()
        return self.current

    def use(self, manager: HookManager | None) -> HookManager | None:
        """Move all hooks to another manager and return the one before.

        Args:
            manager: the manager; None for the process-wide one, when it is needed.
        """
        before = self.current
        if manager is before:
            return before
        if before is not None and self.moved is not None:
            # Hooks that are registered need a manager; without any, none has to be loaded.
            self.moved(before, manager)
        self.current = manager
        return before

    def describe_with(self, describe: Callable[[Any], object] | None) -> None:
        """Let a host put what it knows (the run's id) into each context before its dispatch."""
        self._describe = describe
        self.busy = True

    def describe(self, ctx: HookContext) -> None:
        """Let the host, if there is one, say what it knows."""
        if self._describe is not None:
            self._describe(ctx)


binding = Binding()
