"""The Claude Agent SDK as a host: ``install()`` governs every agent of the process.

What needs the SDK is loaded when it is asked for: the package itself imports without it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .host import HOST

if TYPE_CHECKING:
    from .installing import install, uninstall

__all__ = ["HOST", "install", "uninstall"]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from hookcore.hosting import require_runtime

    # What was not tested may be accepted, and what is not installed cannot be imported.
    require_runtime(HOST, accept_untested=True)
    from . import installing

    return getattr(installing, name)
