"""Governing all agents and chat clients of the process, and taking that back."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from agent_framework._middleware import AgentMiddlewareLayer, ChatMiddlewareLayer
from agent_framework._tools import FunctionInvocationLayer

from hookcore import HookManager
from hookcore.hosting import Adapter, Replacements

from .agents import AgentPart, FunctionPart, middleware
from .chats import ChatPart
from .host import HOST

__all__ = ["install", "uninstall"]


def install(manager: HookManager | None = None, *, accept_untested: bool = False) -> HookManager:
    """Let a manager govern all agents and chat clients of the process; return the manager.

    What has :func:`middleware` of its own keeps to that. A second call only changes the manager.

    Args:
        manager: the hooks; the process-wide manager when None.
        accept_untested: whether a version of the framework will do that was not tested: this
            replaces methods of its.

    Raises:
        RuntimeVersionError: the framework's version was not tested.
        PluginLoadError: a required plugin needs what this host does not do.
    """
    hooks = _adapter.install(manager, accept_untested=accept_untested)
    _parts[:] = middleware(hooks)
    return hooks


def uninstall() -> None:
    """Undo :func:`install`."""
    _adapter.uninstall()


def _govern(replaced: Replacements) -> None:
    for owner, name, kind in _SEAMS:
        replaced.put(owner, name, functools.partial(_pipeline, kind))


def _pipeline(kind: type, old: Callable[..., Any]) -> Callable[..., Any]:
    def pipeline(self: Any, wanted: Any) -> Any:
        # Chat clients have some of their own, which come before these.
        given = [*wanted, *(getattr(self, "chat_middleware", None) or ())]
        given += getattr(self, "function_middleware", None) or ()
        if any(isinstance(each, kind) for each in given):
            return old(self, wanted)
        return old(self, [*wanted, *(part for part in _parts if isinstance(part, kind))])

    return pipeline


_SEAMS: tuple[tuple[Any, str, type], ...] = (
    (AgentMiddlewareLayer, "_get_agent_middleware_pipeline", AgentPart),
    (ChatMiddlewareLayer, "_get_chat_middleware_pipeline", ChatPart),
    (FunctionInvocationLayer, "_get_function_middleware_pipeline", FunctionPart),
)
"""The places, as the tested versions have them: innermost in each of the three pipelines."""
_parts: list[Any] = []
"""The middleware of the manager that governs the process."""
_adapter = Adapter(HOST, _govern)
