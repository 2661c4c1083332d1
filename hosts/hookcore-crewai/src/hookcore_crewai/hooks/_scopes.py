"""Hooks for the current execution only: CrewAI's functions over the manager's scopes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from threading import Lock
from typing import Any

from hookcore import HookManager, RegistrationError
from hookcore.hosting import Registration

from ._binding import binding
from ._lists import registration
from ._points import InterceptionPoint

__all__ = ["get_scoped_hooks", "refresh", "register_scoped", "scoped_hooks"]

HookFn = Callable[..., Any]
Hooks = dict[Any, list[HookFn]]
Pair = tuple[str, HookFn]
Pairs = tuple[Pair, ...]

_POINTS = frozenset(point.value for point in InterceptionPoint)
_lock = Lock()


class _Registered:
    """A hook that one execution registered for itself."""

    __slots__ = ("pair",)

    def __init__(self, pair: Pair) -> None:
        self.pair = pair


class _Block:
    """One ``with scoped_hooks()``: the dict that all executions in it share."""

    __slots__ = ("hooks", "managers", "outer", "registered")

    def __init__(self, hooks: Hooks, outer: _Scope | None) -> None:
        #: The dict, which its holders may edit.
        self.hooks = hooks
        self.outer = outer
        #: What executions registered for themselves; the dict shows it, others do not run it.
        self.registered: tuple[_Registered, ...] = ()
        #: The managers that have had the block's hooks; a host may change them meanwhile.
        self.managers: list[HookManager] = []

    def items(self) -> list[tuple[Pair, _Registered | None]]:
        """Return what the dict lists, and who registered it for himself; None for all.

        Where the dict has a hook more often than it was registered, the first ones are for all.
        """
        listed = _listed(self.hooks)
        found: list[tuple[Pair, _Registered | None]] = [(pair, None) for pair in listed]
        for registered in reversed(self.registered):
            for index in range(len(found) - 1, -1, -1):
                pair, owner = found[index]
                if owner is None and _same(pair, registered.pair):
                    found[index] = (pair, registered)
                    break
        return found


class _Scope:
    """The state of a block in one execution; never changes.

    Args:
        block: the block.
        own: what this execution registered.
    """

    __slots__ = ("block", "own")

    def __init__(self, block: _Block, own: tuple[_Registered, ...] = ()) -> None:
        self.block = block
        self.own = own

    def pairs(self) -> Pairs:
        """Return the points and hooks that the execution runs now, in the order of the dict."""
        return tuple(
            pair for pair, owner in self.block.items() if owner is None or owner in self.own
        )

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
        applied = manager.parts.plans.scopes.owned(self.block)
        if applied is None or not _all_same(applied.content, pairs):
            if manager not in self.block.managers:
                self.block.managers.append(manager)
            given = tuple(_registration(manager, pair) for pair in pairs)
            manager.parts.scoping.replace(self.block, given, pairs)


def _listed(hooks: Hooks) -> list[Pair]:
    # Copies, since others may edit them; what is no point, or has no hooks, means nothing.
    return [
        (_name(point), hook)
        for point, found in list(hooks.items())
        if _name(point) in _POINTS and isinstance(found, Iterable)
        for hook in list(found)
    ]


def _registration(manager: HookManager, pair: Pair) -> Registration:
    """Return a hook's registration; one that cannot be a hook fails at its own point only."""
    try:
        _check(manager, pair)
    except RegistrationError as error:
        problem = error

        def fail(ctx: Any) -> None:  # noqa: ARG001 - a hook
            raise problem

        return registration(pair[0], fail, None)
    return registration(*pair, None)


def _check(manager: HookManager, pair: Pair) -> None:
    """Raise a RegistrationError for what cannot be a hook."""
    manager.parts.scoping.check(registration(*pair, None))


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

    Raises:
        RegistrationError: one of the given hooks cannot be called with a context. One that comes
            into the dict later fails when it is called.
    """
    hooks = {} if hooks is None else hooks
    for pair in _listed(hooks):
        _check(binding.manager, pair)
    binding.busy = True
    outer = _current.get()
    block = _Block(hooks, outer)
    scope = _Scope(block)
    scope.apply()
    _current.set(scope)
    try:
        yield hooks
    finally:
        current = _current.get()
        if current is not None and current.block is block:
            # Set, not reset: the block may end in another context than it began in.
            _current.set(outer)
        for manager in block.managers:
            manager.parts.scoping.replace(block, None)


def register_scoped(point: Any, hook: HookFn) -> None:
    """Add a hook to the current scope.

    Raises:
        RuntimeError: there is no :func:`scoped_hooks` around the call.
        RegistrationError: it cannot be called with a context.
    """
    scope = _current.get()
    if scope is None:
        raise RuntimeError("register_scoped() has a meaning only inside scoped_hooks()")
    pair, block = (_name(point), hook), scope.block
    _check(binding.manager, pair)
    registered = _Registered(pair)
    with _lock:
        block.registered = (*block.registered, registered)
        block.hooks.setdefault(point, []).append(hook)
    added = _Scope(block, (*scope.own, registered))
    _current.set(added)
    added.apply()


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


def _same(pair: Pair, other: Pair) -> bool:
    # By identity: equal hooks need not do the same.
    return pair[0] == other[0] and pair[1] is other[1]


def _all_same(pairs: Pairs, others: Pairs) -> bool:
    return len(pairs) == len(others) and all(map(_same, pairs, others))


def _name(point: Any) -> str:
    return str(getattr(point, "value", point))
