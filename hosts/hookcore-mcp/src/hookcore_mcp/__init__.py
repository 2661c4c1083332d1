"""The Model Context Protocol's SDK as a host: servers, clients, and what clients sample.

What needs the SDK is loaded when it is asked for: the package itself imports without it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .host import HOST

if TYPE_CHECKING:
    from .client import sampling
    from .installing import install, install_all, uninstall
    from .server import middleware

__all__ = ["HOST", "install", "install_all", "middleware", "sampling", "uninstall"]


_WHERE = {
    "install": "installing",
    "install_all": "installing",
    "middleware": "server",
    "sampling": "client",
    "uninstall": "installing",
}


def __getattr__(name: str) -> Any:
    if name not in _WHERE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    from hookcore.hosting import require_runtime

    require_runtime(HOST, accept_untested=_WHERE[name] == "installing")
    return getattr(import_module(f"{__name__}.{_WHERE[name]}"), name)
