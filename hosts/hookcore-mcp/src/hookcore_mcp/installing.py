"""Governing the whole process: the clients and the servers that it has."""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable
from types import ModuleType
from typing import Any

from hookcore import HookManager, get_manager
from hookcore.hosting import Host, Replacements, require_runtime, when_imported

from .host import FASTMCP, HOST
from .results import NotYetError

__all__ = ["install", "install_all", "install_fastmcp", "uninstall"]

_lock = threading.RLock()
_managers: dict[str, HookManager] = {}
"""The manager that governs the SDK, and that of FastMCP's servers."""
_clients, _servers, _fastmcp = Replacements(), Replacements(), Replacements()


def install(manager: HookManager | None = None, *, accept_untested: bool = False) -> HookManager:
    """Let a manager govern what all clients of the process ask for; return the manager.

    A second call only changes the manager.

    Args:
        manager: the hooks; the process-wide manager when None.
        accept_untested: whether a version of the SDK will do that was not tested: this replaces
            methods of its.

    Raises:
        RuntimeVersionError: the SDK's version was not tested.
        PluginLoadError: a required plugin needs what this host does not do.
    """
    hooks = _declared(HOST, manager, accept_untested=accept_untested)
    with _lock:
        if not _clients:
            from mcp.client.session import ClientSession

            from .client import answering, requesting

            for name, make in (
                ("send_request", requesting),
                ("dispatch_input_request", answering),
            ):
                _clients.put(
                    ClientSession, name, functools.partial(make, hooks=lambda: _manager(HOST))
                )
    return hooks


def install_all(
    manager: HookManager | None = None, *, accept_untested: bool = False
) -> HookManager:
    """Let a manager govern all clients of the process, as :func:`install` does, and all servers.

    A call from a client to a server of the same process is judged at both ends.
    """
    hooks = install(manager, accept_untested=accept_untested)
    with _lock:
        if not _servers:
            from mcp.server.runner import ServerRunner

            _servers.put(ServerRunner, "_compose_server_middleware", _innermost)
    return hooks


def install_fastmcp(
    manager: HookManager | None = None, *, accept_untested: bool = False
) -> HookManager:
    """Let a manager govern all servers of FastMCP's in the process; return the manager.

    Around all of their middleware, and again below it where that has changed something.

    Args:
        manager: the hooks; the process-wide manager when None.
        accept_untested: whether a version of FastMCP will do that was not tested: this replaces
            methods of its.

    Raises:
        RuntimeVersionError: the version of FastMCP was not tested.
        PluginLoadError: a required plugin needs what this host does not do.
    """
    hooks = _declared(FASTMCP, manager, accept_untested=accept_untested)
    with _lock:
        if not _fastmcp:
            _fastmcp.at_end(when_imported("fastmcp.server.server", _govern_fastmcp))
    return hooks


def uninstall() -> None:
    """Undo what was installed."""
    with _lock:
        for replaced in (_fastmcp, _servers, _clients):
            replaced.undo()
        _managers.clear()


def _declared(host: Host, manager: HookManager | None, *, accept_untested: bool) -> HookManager:
    require_runtime(host, accept_untested=accept_untested, accept_newer=False)
    hooks = get_manager() if manager is None else manager
    host.declare(hooks)
    hooks.add_control_flow(NotYetError)
    with _lock:
        _managers[host.name] = hooks
    return hooks


def _manager(host: Host) -> HookManager | None:
    return _managers.get(host.name)


def _govern_fastmcp(module: ModuleType) -> None:
    from .fast import METHODS, governed

    for name, (method, *params) in METHODS.items():
        make = functools.partial(
            governed, hooks=lambda: _manager(FASTMCP), method=method, names=params
        )
        _fastmcp.put(module.FastMCP, name, make)


def _innermost(old: Callable[..., Any]) -> Callable[..., Any]:
    from .server import governing

    govern = governing(lambda: _manager(HOST))

    def compose(self: Any, inner: Any) -> Any:
        # FastMCP's own methods know more of what is asked for, where they are governed.
        is_judged = FASTMCP.name in _managers and _is_of_fastmcp(type(self.server))
        return old(self, inner if is_judged else functools.partial(govern, call_next=inner))

    return compose


def _is_of_fastmcp(kind: type) -> bool:
    return any(base.__module__.startswith("fastmcp.") for base in kind.__mro__)
