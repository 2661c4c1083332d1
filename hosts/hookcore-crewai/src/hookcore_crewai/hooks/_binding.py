"""The manager that the drop-in stands on, and what the host adds to its contexts."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from threading import RLock
from typing import Any, Protocol

from hookcore import HookManager, get_manager
from hookcore.hosting import Loop
from hookcore_specs import HookContext

__all__ = ["Lane", "binding"]

Lane = tuple[Any, Any, bool, Loop, Callable[[Any, Any], None]]
"""The reducer and the class of context that a point's dispatches have, whether they are after a
call, the plan's compiled loop, and what does the rest that the loop leaves."""


class Lanes(Protocol):
    """Finds the lane of a point; None when no hook is at the point."""

    def __getitem__(self, point: str, /) -> Lane | None: ...


class _Unbound:
    """Stands for the lanes until somebody needs a manager, and loads it then."""

    def __getitem__(self, point: str, /) -> Lane | None:
        return binding.make_lanes(binding.manager)[point]


_UNBOUND = _Unbound()


class Binding:
    """The manager that all hooks of the drop-in are registered with.

    It is the process-wide one until a host names another.
    """

    def __init__(self) -> None:
        #: Held while hooks are registered, unregistered or moved; taken before a manager's lock.
        self.lock = RLock()
        #: The manager, once there is one; what is slower but always there is :attr:`manager`.
        self.current: HookManager | None = None
        #: The lanes of the manager's points, replaced as a whole at each change.
        self.lanes: Lanes = _UNBOUND
        self.make_lanes: Callable[[HookManager], Mapping[str, Lane | None]]
        #: Whether a dispatch has to look for a scope, or for what the host knows; most have not.
        self.busy = False
        self._unfollow: Callable[[], None] = lambda: None
        self._describe: Callable[[Any], object] | None = None
        #: Whether hooks are listed; registers all of them with a manager and returns their names
        #: with the one before. Set by the lists.
        self.has_hooks: Callable[[], bool] = lambda: False
        self.enter_all: Callable[[HookManager], list[str]] = lambda _: []

    @property
    def manager(self) -> HookManager:
        """The manager; the process-wide one is loaded when somebody first needs it."""
        return self.current or self._load()

    def _load(self) -> HookManager:
        # Not under our lock: a plugin that is being loaded may register hooks here.
        manager = self.current or get_manager()
        with self.lock:
            if self.current is None:
                self._follow(manager)
            return self.current or manager

    @contextmanager
    def changing(self) -> Iterator[None]:
        """Let the hooks that are registered until the block ends come into force together."""
        self._load()
        with self.lock, self.manager.changing():
            yield

    def use(self, manager: HookManager | None) -> HookManager | None:
        """Move all hooks to another manager and return the one before.

        Args:
            manager: the manager; None for the process-wide one, when it is needed.
        """
        # Hooks that are registered need a manager; without any, none has to be loaded.
        heir = get_manager() if manager is None and self.has_hooks() else manager
        with self.lock:
            before = self.current
            if manager is before:
                return before
            names: list[str] = []
            if before is not None and heir is not None and heir is not before:
                with before.parts.plans.lock:
                    names = self.enter_all(heir)
            # The new one first: whichever of the two a dispatch finds has the hooks.
            self._follow(manager)
            if before is not None:
                with before.changing():
                    for name in names:
                        before.unregister(name)
            return before

    def _follow(self, manager: HookManager | None) -> None:
        """Stand on a manager from now on, and follow the changes of its plans."""
        before = self.current
        if before is not None:
            self._unfollow()
        self.current = manager
        if manager is None:
            self.lanes = _UNBOUND
            return
        plans = manager.parts.plans
        with plans.lock:
            self._unfollow = plans.follow(self._relay)
            self._relay()

    def _relay(self) -> None:
        if self.current is not None:
            self.lanes = self.make_lanes(self.current)

    def describe_with(self, describe: Callable[[Any], object] | None) -> None:
        """Let a host put what it knows (the run's id) into each context before its dispatch."""
        self._describe = describe
        self.busy = True

    def describe(self, ctx: HookContext) -> None:
        """Let the host, if there is one, say what it knows."""
        if self._describe is not None:
            self._describe(ctx)


binding = Binding()
