"""Hooks for the current execution only: CrewAI's functions over the manager's scopes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from hookcore import HookManager

from ._binding import binding
from ._lists import registration

__all__ = ["get_scoped_hooks", "refresh", "register_scoped", "scoped_hooks"]

HookFn = Callable[..., Any]
Hooks = dict[Any, list[HookFn]]
Pairs = tuple[tuple[str, HookFn], ...]


class _Block:
    """One ``with scoped_hooks()``: the dict that all executions in it share."""

    __slots__ = ("hooks", "managers", "outer", "registered")

    def __init__(self, hooks: Hooks, outer: _Scope | None) -> None:
        #: The dict, which its holders may edit.
        self.hooks = hooks
        self.outer = outer
        #: What executions registered for themselves; the dict shows it, others do not run it.
        self.registered: list[HookFn] = []
        #: The managers that have had the block's hooks; a host may change them meanwhile.
        self.managers: list[HookManager] = []


class _Scope:
    """The state of a block in one execution; never changes.

    Args:
        block: the block.
        own: what this execution registered.
    """

    __slots__ = ("block", "own")

    def __init__(self, block: _Block, own: Pairs = ()) -> None:
        self.block = block
        self.own = own

    def pairs(self) -> Pairs:
        """Return the points and hooks that the execution runs now, those of the dict first."""
        hooks, registered = self.block.hooks, self.block.registered
        listed = [(_name(point), hook) for point, found in hooks.items() for hook in found]
        shared = (pair for pair in listed if not _has(registered, pair[1]))
        # What somebody took out of the dict again runs no more.
        own = (pair for pair in self.own if any(_same(pair, item) for item in listed))
        return (*shared, *own)

    def at(self, point: str) -> list[HookFn]:
        """Return the hooks of a point, the outer blocks' first."""
        outer = self.block.outer
        before = [] if outer is None else outer.at(point)
        return [*before, *(hook for name, hook in self.pairs() if name == point)]

    def apply(self) -> None:
        """Let the manager have what the blocks around the calling execution come to."""
        if self.block.outer is not None:
            self.block.outer.apply()
        manager, pairs = binding.manager, self.pairs()
        applied = manager._scopes.owned(self.block)
        if applied is None or applied.content != pairs:
            if manager not in self.block.managers:
                self.block.managers.append(manager)
            given = tuple(registration(name, hook, None) for name, hook in pairs)
            manager._scopes.replace(self.block, given, pairs)


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
    outer = _current.get()
    block = _Block(hooks, outer)
    scope = _Scope(block)
    scope.apply()
    _current.set(scope)
    try:
        yield hooks
    finally:
        # Set, not reset: the block may end in another context than it began in.
        _current.set(outer)
        for manager in block.managers:
            manager._scopes.replace(block, None)


def register_scoped(point: Any, hook: HookFn) -> None:
    """Add a hook to the current scope.

    Raises:
        RuntimeError: there is no :func:`scoped_hooks` around the call.
    """
    scope = _current.get()
    if scope is None:
        raise RuntimeError("register_scoped() has a meaning only inside scoped_hooks()")
    block, listed = scope.block, scope.block.hooks.setdefault(point, [])
    block.registered.append(hook)
    listed.append(hook)
    added = _Scope(block, (*scope.own, (_name(point), hook)))
    try:
        added.apply()
    except BaseException:
        # A refused hook must not stay listed as if it ran.
        block.registered.pop()
        listed.pop()
        raise
    _current.set(added)


def get_scoped_hooks(point: Any) -> list[HookFn]:
    """Return the hooks that the scopes around the call have at a point."""
    refresh()
    scope = _current.get()
    return [] if scope is None else scope.at(_name(point))


def refresh() -> None:
    """Take note of edits of the dict, and of a manager or a scope that came since."""
    scope = _current.get()
    if scope is not None:
        scope.apply()


def _has(hooks: list[HookFn], wanted: HookFn) -> bool:
    return any(hook is wanted for hook in hooks)


def _same(pair: tuple[str, HookFn], other: tuple[str, HookFn]) -> bool:
    return pair[0] == other[0] and pair[1] is other[1]


def _name(point: Any) -> str:
    return str(getattr(point, "value", point))
