"""The Model Context Protocol's SDK and FastMCP as hosts: servers, clients, and their sampling.

What needs them is loaded when it is asked for: the package itself imports without them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .host import FASTMCP, HOST

if TYPE_CHECKING:
    from .client import sampling
    from .fast import fastmcp_middleware
    from .installing import install, install_all, install_fastmcp, uninstall
    from .server import middleware

__all__ = [
    "FASTMCP",
    "HOST",
    "fastmcp_middleware",
    "install",
    "install_all",
    "install_fastmcp",
    "middleware",
    "sampling",
    "uninstall",
]


_WHERE = {
    "fastmcp_middleware": "fast",
    "install": "installing",
    "install_all": "installing",
    "install_fastmcp": "installing",
    "middleware": "server",
    "sampling": "client",
    "uninstall": "installing",
}


def __getattr__(name: str) -> Any:
    if name not in _WHERE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    from hookcore.hosting import require_runtime

    host = FASTMCP if "fastmcp" in name else HOST
    require_runtime(host, accept_untested=_WHERE[name] == "installing")
    return getattr(import_module(f"{__name__}.{_WHERE[name]}"), name)
