"""Governing the whole process: the clients and the servers that it has."""

from __future__ import annotations

import functools
from collections.abc import Callable
from types import ModuleType
from typing import Any

from hookcore import HookManager
from hookcore.hosting import Adapter, Replacements, when_imported

from .host import FASTMCP, HOST
from .results import NotYetError

__all__ = ["install", "install_all", "install_fastmcp", "uninstall"]


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
    return _clients.install(manager, accept_untested=accept_untested, control_flow=[NotYetError])


def install_all(
    manager: HookManager | None = None, *, accept_untested: bool = False
) -> HookManager:
    """Let a manager govern all clients of the process, as :func:`install` does, and all servers.

    A call from a client to a server of the same process is judged at both ends.
    """
    hooks = install(manager, accept_untested=accept_untested)
    with _clients.lock:
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
    return _fastmcp.install(manager, accept_untested=accept_untested, control_flow=[NotYetError])


def uninstall() -> None:
    """Undo what was installed."""
    _fastmcp.uninstall()
    with _clients.lock:
        _servers.undo()
        _clients.uninstall()


def _govern(replaced: Replacements) -> None:
    from mcp.client.session import ClientSession

    from .client import answering, requesting

    for name, make in (("send_request", requesting), ("dispatch_input_request", answering)):
        replaced.put(ClientSession, name, functools.partial(make, hooks=_hooks))


def _govern_fastmcp(replaced: Replacements) -> None:
    def govern(module: ModuleType) -> None:
        from .fast import METHODS, governed

        for name, (method, *params) in METHODS.items():
            hooks = functools.partial(_fastmcp.hooked, FASTMCP.points)
            make = functools.partial(governed, hooks=hooks, method=method, names=params)
            replaced.put(module.FastMCP, name, make)

    replaced.at_end(when_imported("fastmcp.server.server", govern))


_clients, _fastmcp = Adapter(HOST, _govern), Adapter(FASTMCP, _govern_fastmcp)
_servers = Replacements()


def _hooks() -> HookManager | None:
    return _clients.hooked(HOST.points)


def _innermost(old: Callable[..., Any]) -> Callable[..., Any]:
    from .server import governing

    govern = governing(_hooks)

    def compose(self: Any, inner: Any) -> Any:
        # FastMCP's own methods know more of what is asked for, where they are governed.
        is_judged = bool(_fastmcp.replaced) and _is_of_fastmcp(type(self.server))
        return old(self, inner if is_judged else functools.partial(govern, call_next=inner))

    return compose


def _is_of_fastmcp(kind: type) -> bool:
    return any(base.__module__.startswith("fastmcp.") for base in kind.__mro__)
