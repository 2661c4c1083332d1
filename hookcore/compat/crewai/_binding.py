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

    manager: HookManager

    def __init__(self) -> None:
        #: Puts what the host knows (the run's id) into a context that is about to be dispatched.
        self.ambient: Callable[[Any], object] | None = None
        #: Called when the manager changes, with the old and the new one.
        self.moved: Callable[[HookManager, HookManager | None], object] | None = None

    def __getattr__(self, name: str) -> Any:
        # Only the first look-up comes here: reading a configuration is not an import's business.
        if name != "manager":
            raise AttributeError(name)
        self.manager = get_manager()
        return self.manager

    def use(self, manager: HookManager | None) -> HookManager | None:
        """Move all hooks to another manager and return the one before.

        Args:
            manager: the manager; None for the process-wide one, when it is needed.
        """
        before: HookManager | None = vars(self).get("manager")
        if manager is before:
            return before
        if before is not None and self.moved is not None:
            # Hooks that are registered need a manager; without any, none has to be loaded.
            self.moved(before, manager)
        if manager is None:
            vars(self).pop("manager", None)
        else:
            self.manager = manager
        return before

    def enrich(self, ctx: HookContext) -> None:
        """Let the host fill in what it knows."""
        if self.ambient is not None:
            self.ambient(ctx)


binding = Binding()
