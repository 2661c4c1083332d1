"""Governing all agents and chat clients of the process, and taking that back."""

from __future__ import annotations

import functools
import threading
from typing import Any

from agent_framework._middleware import AgentMiddlewareLayer, ChatMiddlewareLayer
from agent_framework._tools import FunctionInvocationLayer

from hookcore import HookManager, get_manager
from hookcore.hosting import Replacements, require_runtime

from .agents import AgentPart, FunctionPart, middleware
from .chats import ChatPart
from .host import HOST

__all__ = ["install", "uninstall"]

_lock = threading.Lock()
_state: dict[str, Any] = {}
_replaced = Replacements()


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
    require_runtime(HOST, accept_untested=accept_untested, accept_newer=False)
    hooks = get_manager() if manager is None else manager
    parts = middleware(hooks)
    with _lock:
        _state["parts"] = parts
        if not _replaced:
            for owner, name, kind in _SEAMS:
                _put(owner, name, kind)
    return hooks


def uninstall() -> None:
    """Undo :func:`install`."""
    with _lock:
        _replaced.undo()
        _state.clear()


def _put(owner: Any, name: str, kind: type) -> None:
    old = getattr(owner, name)

    @functools.wraps(old)
    def pipeline(self: Any, wanted: Any) -> Any:
        # Chat clients have some of their own, which come before these.
        given = [*wanted, *(getattr(self, "chat_middleware", None) or ())]
        given += getattr(self, "function_middleware", None) or ()
        if any(isinstance(each, kind) for each in given):
            return old(self, wanted)
        own = [part for part in _state["parts"] if isinstance(part, kind)]
        return old(self, [*wanted, *own])

    setattr(owner, name, pipeline)
    _replaced.at_end(lambda: setattr(owner, name, old))


_SEAMS: tuple[tuple[Any, str, type], ...] = (
    (AgentMiddlewareLayer, "_get_agent_middleware_pipeline", AgentPart),
    (ChatMiddlewareLayer, "_get_chat_middleware_pipeline", ChatPart),
    (FunctionInvocationLayer, "_get_function_middleware_pipeline", FunctionPart),
)
"""The places, as the tested versions have them: innermost in each of the three pipelines."""
