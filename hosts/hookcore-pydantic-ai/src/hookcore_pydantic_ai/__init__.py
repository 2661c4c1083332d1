"""pydantic-ai as a host: ``Agent(model, capabilities=[Hookcore()])`` governs an agent.

:class:`Hookcore` stands on pydantic-ai's public seams only, and is loaded when it is asked for:
the package itself imports without pydantic-ai.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .host import HOST

if TYPE_CHECKING:
    from .capability import Hookcore

__all__ = ["HOST", "Hookcore"]


def __getattr__(name: str) -> Any:
    if name == "Hookcore":
        from hookcore.hosting import require_runtime

        require_runtime(HOST)
        from .capability import Hookcore

        return Hookcore
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
