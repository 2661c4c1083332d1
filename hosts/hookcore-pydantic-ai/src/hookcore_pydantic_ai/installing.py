"""Governing the whole process: every run of every agent."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

from pydantic_ai import Agent
from pydantic_ai.capabilities import AbstractCapability

from hookcore import HookManager
from hookcore.hosting import Adapter, put_all

from .capability import Hookcore
from .host import HOST

__all__ = ["install", "uninstall"]


def install(manager: HookManager | None = None, *, accept_untested: bool = False) -> HookManager:
    """Let a manager govern all agents of the process; return the manager.

    An agent that has a :class:`Hookcore` of its own keeps to that. A second call only changes the
    manager.

    Args:
        manager: the hooks; the process-wide manager when None.
        accept_untested: whether a version of pydantic-ai will do that was not tested: this replaces
            a method of its.

    Raises:
        RuntimeVersionError: pydantic-ai's version was not tested.
        PluginLoadError: a required plugin needs what this host does not do.
    """
    return _adapter.install(manager, accept_untested=accept_untested)


def uninstall() -> None:
    """Undo :func:`install`."""
    _adapter.uninstall()


def _governed(old: Callable[..., Any]) -> Callable[..., Any]:
    # All ways to run an agent come down to this one.
    @asynccontextmanager
    async def iterate(
        self: Any, *args: Any, capabilities: Any = None, **options: Any
    ) -> AsyncIterator[Any]:
        given = [*(capabilities or ())]
        if not _has_own(self, given):
            given.append(Hookcore(_adapter.manager))
        async with old(self, *args, capabilities=given or None, **options) as run:
            yield run

    return iterate


def _has_own(agent: Any, capabilities: list[Any]) -> bool:
    """Return whether an agent is governed by a capability of its own."""
    leaves: list[Any] = []
    for capability in (agent._root_capability, *capabilities):
        if isinstance(capability, AbstractCapability):
            capability.apply(leaves.append)
    return any(isinstance(leaf, Hookcore) for leaf in leaves)


_adapter = Adapter(HOST, put_all([(Agent, "iter", _governed)]))
