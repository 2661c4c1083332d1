"""Microsoft's Agent Framework as a host: ``Agent(client, middleware=middleware())`` governs one.

:func:`middleware` stands on public seams only; ``install()`` governs all agents and chat clients of
the process. Both are loaded when they are asked for: the package itself imports without the
framework.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .host import HOST

if TYPE_CHECKING:
    from .agents import middleware
    from .installing import install, uninstall

__all__ = ["HOST", "install", "middleware", "uninstall"]

_WHERE = {"middleware": "agents", "install": "installing", "uninstall": "installing"}


def __getattr__(name: str) -> Any:
    if name not in _WHERE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    from hookcore.hosting import require_runtime

    require_runtime(HOST, accept_untested=_WHERE[name] == "installing")
    return getattr(import_module(f"{__name__}.{_WHERE[name]}"), name)
