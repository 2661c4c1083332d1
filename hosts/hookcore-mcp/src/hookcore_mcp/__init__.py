"""The Model Context Protocol's SDK as a host: servers, clients, and what clients sample.

What needs the SDK is loaded when it is asked for: the package itself imports without it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .host import HOST

if TYPE_CHECKING:
    from .client import install, sampling, uninstall
    from .server import middleware

__all__ = ["HOST", "install", "middleware", "sampling", "uninstall"]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    from hookcore.hosting import require_runtime

    require_runtime(HOST)
    return getattr(import_module(f"{__name__}.{_module(name)}"), name)


def _module(name: str) -> str:
    return "server" if name == "middleware" else "client"
