"""Governing the whole process: the clients and the servers that it has."""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable
from typing import Any

from mcp.client.session import ClientSession
from mcp.server.runner import ServerRunner

from hookcore import HookManager, get_manager
from hookcore.hosting import require_runtime

from .client import governed
from .host import HOST
from .results import NotYetError
from .server import governing

__all__ = ["install", "install_all", "uninstall"]

_lock = threading.Lock()
_state: dict[str, HookManager] = {}
_undo: dict[str, Callable[[], None]] = {}


def install(manager: HookManager | None = None, *, accept_untested: bool = False) -> HookManager:
    """Let a manager govern the tool calls of all clients of the process; return the manager.

    A second call only changes the manager.

    Args:
        manager: the hooks; the process-wide manager when None.
        accept_untested: whether a version of the SDK will do that was not tested: this replaces
            methods of its.

    Raises:
        RuntimeVersionError: the SDK's version was not tested.
        PluginLoadError: a required plugin needs what this host does not do.
    """
    require_runtime(HOST, accept_untested=accept_untested, accept_newer=False)
    hooks = get_manager() if manager is None else manager
    HOST.declare(hooks)
    hooks.add_control_flow(NotYetError)
    with _lock:
        _state["manager"] = hooks
        _put(ClientSession, "call_tool", lambda old: governed(old, _manager))
    return hooks


def install_all(
    manager: HookManager | None = None, *, accept_untested: bool = False
) -> HookManager:
    """Let a manager govern all clients of the process, as :func:`install` does, and all servers.

    A call from a client to a server of the same process is judged at both ends.
    """
    hooks = install(manager, accept_untested=accept_untested)
    with _lock:
        _put(ServerRunner, "_compose_server_middleware", _innermost)
    return hooks


def uninstall() -> None:
    """Undo :func:`install` and :func:`install_all`."""
    with _lock:
        while _undo:
            _undo.popitem()[1]()
        _state.clear()


def _manager() -> HookManager | None:
    return _state.get("manager")


def _put(owner: Any, name: str, make: Callable[[Any], Any]) -> None:
    if name not in _undo:
        old = getattr(owner, name)
        setattr(owner, name, make(old))
        _undo[name] = lambda: setattr(owner, name, old)


def _innermost(old: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(old)
    def compose(self: Any, inner: Any) -> Any:
        return old(self, functools.partial(governing(_manager), call_next=inner))

    return compose
