"""Hooks for the current execution only: CrewAI's functions over the manager's scopes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from ._binding import binding
from ._lists import registration

__all__ = ["get_scoped_hooks", "refresh", "register_scoped", "scoped_hooks"]

HookFn = Callable[..., Any]
Hooks = dict[Any, list[HookFn]]
Pairs = tuple[tuple[str, HookFn], ...]


class _Scope:
    """The state of a scope in one execution; never changes.

    Args:
        hooks: the dict that the block was given, which its holders may edit.
        hidden: what executions registered for themselves; the dict shows it, others do not run it.
        own: what this execution registered.
        outer: the scope around the block.
        around: the manager's scope around the block.
    """

    __slots__ = ("around", "hidden", "hooks", "listed", "outer", "own")

    def __init__(
        self, hooks: Hooks, hidden: list[HookFn], own: Pairs, outer: _Scope | None, around: Any
    ) -> None:
        self.hooks = hooks
        self.hidden = hidden
        self.own = own
        self.outer = outer
        self.around = around
        self.listed = self._read()

    def _read(self) -> Pairs:
        return tuple(
            (_name(point), hook)
            for point, hooks in self.hooks.items()
            for hook in hooks
            if not any(hook is item for item in self.hidden)
        )

    def is_stale(self) -> bool:
        """Whether somebody has edited the dict since."""
        return self._read() != self.listed

    def with_own(self, own: Pairs) -> _Scope:
        """Return the state with other hooks of this execution, and the dict read again."""
        return _Scope(self.hooks, self.hidden, own, self.outer, self.around)

    def at(self, point: str) -> list[HookFn]:
        """Return the hooks of a point, the outer scopes' first."""
        outer = [] if self.outer is None else self.outer.at(point)
        return [*outer, *(hook for name, hook in (*self.listed, *self.own) if name == point)]

    def apply(self) -> None:
        """Make this the scope of the calling execution."""
        given = tuple(registration(name, hook, None) for name, hook in (*self.listed, *self.own))
        scopes = binding.manager._scopes
        scopes.put(scopes.extended(self.around, given))
        _current.set(self)


_current: ContextVar[_Scope | None] = ContextVar("hookcore_crewai_scope", default=None)


@contextmanager
def scoped_hooks(hooks: Hooks | None = None) -> Iterator[Hooks]:
    """Add hooks until the block ends; they run after the global ones.

    Scopes add up. Tasks, and threads started with the context, inherit them; what a task registers
    in its scope stays in the task.

    Args:
        hooks: lists of hooks by point.

    Yields:
        the dict, to which :func:`register_scoped` adds.
    """
    hooks = {} if hooks is None else hooks
    binding.busy = True
    scopes = binding.manager._scopes
    outer, around = _current.get(), scopes.token()
    _Scope(hooks, [], (), outer, around).apply()
    try:
        yield hooks
    finally:
        # Set, not reset: the block may end in another context than it began in.
        _current.set(outer)
        scopes.put(around)


def register_scoped(point: Any, hook: HookFn) -> None:
    """Add a hook to the current scope.

    Raises:
        RuntimeError: there is no :func:`scoped_hooks` around the call.
    """
    scope = _current.get()
    if scope is None:
        raise RuntimeError("register_scoped() has a meaning only inside scoped_hooks()")
    scope.hidden.append(hook)
    scope.hooks.setdefault(point, []).append(hook)
    scope.with_own((*scope.own, (_name(point), hook))).apply()


def get_scoped_hooks(point: Any) -> list[HookFn]:
    """Return the hooks that the scopes around the call have at a point."""
    refresh()
    scope = _current.get()
    return [] if scope is None else scope.at(_name(point))


def refresh() -> None:
    """Take note of edits of the dict that :func:`scoped_hooks` yielded."""
    scope = _current.get()
    if scope is not None and scope.is_stale():
        scope.with_own(scope.own).apply()


def _name(point: Any) -> str:
    return str(getattr(point, "value", point))
