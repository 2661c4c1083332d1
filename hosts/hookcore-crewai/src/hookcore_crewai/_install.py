"""Putting the drop-in in the place of CrewAI's own hooks, and taking it out again."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from hookcore import HookManager, get_manager
from hookcore.hosting import require_runtime

from ._patches import Patches
from .hooks._binding import binding
from .hooks._bus import connect
from .hooks._lists import LISTS
from .host import HOST

__all__ = ["install", "installed", "uninstall"]

_lock = threading.RLock()
_undo: list[Callable[[], object]] = []


def installed() -> bool:
    """Tell whether the drop-in is in the place of CrewAI's own hooks."""
    return bool(_undo)


def install(manager: HookManager | None = None, *, accept_untested: bool = False) -> HookManager:
    """Let a manager govern CrewAI: crews, flows and agents, sync and async.

    Hooks that are registered with CrewAI already move to the manager and keep their order. A second
    call only changes the manager.

    Args:
        manager: the manager; the process-wide one when None.
        accept_untested: whether a version of CrewAI will do that was not tested.

    Returns:
        the manager.

    Raises:
        ImportError: there is no CrewAI, or none of a version that this adapter knows.
        PluginLoadError: a required plugin needs what this host does not do.
    """
    require_runtime(HOST, accept_untested=accept_untested, accept_newer=False)
    manager = get_manager() if manager is None else manager
    HOST.declare(manager)
    with _lock:
        if _undo:
            _move_to(manager)
            return manager
        try:
            _put_in_place(manager)
        except BaseException:
            uninstall()
            raise
    return manager


def _put_in_place(manager: HookManager) -> None:
    # CrewAI is imported here and nowhere earlier: it takes seconds.
    from . import (
        _crews,
        _errors,
        _executors,
        _models,
        _owners,
        _runs,
        _swap,
        _tasks,
        _their_scope,
        _tools,
    )

    def describe(ctx: Any) -> None:
        _runs.describe(ctx)
        _errors.describe(ctx)

    before = binding.use(manager)
    _undo.append(lambda: binding.use(before))
    _undo.append(_their_scope.follow())
    _undo.append(_swap.swap())
    patches = Patches()
    _undo.append(patches.undo)
    _undo.append(lambda: binding.describe_with(None))
    binding.describe_with(describe)
    for module in (_runs, _tasks, _executors, _crews, _owners, _models, _tools, _errors):
        module.patch(patches)
    _undo.append(connect(manager))
    _expect_scoped_hooks(manager)
    _their_scope.keep_in_force()


def _move_to(manager: HookManager) -> None:
    _expect_scoped_hooks(manager)
    if binding.use(manager) is not manager:
        _undo.append(connect(manager))


def _expect_scoped_hooks(manager: HookManager) -> None:
    from . import _their_scope

    # Runs under way put the hooks of their instances in force at a dispatch: there must be one.
    listed = {point for point, hooks in LISTS.items() if hooks}
    manager.parts.plans.extend_scoped(frozenset(listed.union(_their_scope.points())))


def uninstall() -> None:
    """Give CrewAI its own hooks back, with those that were registered meanwhile; else do nothing.

    Policies, and hooks that were registered with hookcore itself, stay with their manager.
    """
    with _lock:
        while _undo:
            _undo.pop()()
