"""LangChain and LangGraph as a host: ``from hookcore_langchain import create_agent``.

What needs LangChain is loaded when it is asked for: the package itself imports without it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .host import HOST

if TYPE_CHECKING:
    from .agents import create_agent, govern, tool_node
    from .installing import install, uninstall
    from .middleware import Hookcore
    from .models import govern_model

__all__ = [
    "HOST",
    "Hookcore",
    "create_agent",
    "govern",
    "govern_model",
    "install",
    "tool_node",
    "uninstall",
]

_WHERE = {
    "Hookcore": "middleware",
    "create_agent": "agents",
    "govern": "agents",
    "govern_model": "models",
    "install": "installing",
    "tool_node": "agents",
    "uninstall": "installing",
}


def __getattr__(name: str) -> Any:
    if name in _WHERE:
        from importlib import import_module

        from hookcore.hosting import require_runtime

        require_runtime(HOST, accept_untested=name in {"install", "uninstall"})
        return getattr(import_module(f"{__name__}.{_WHERE[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
