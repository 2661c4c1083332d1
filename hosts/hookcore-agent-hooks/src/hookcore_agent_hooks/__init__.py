"""AGENT-HOOKS as a host: ``Hookcore()`` is one interceptor for all enabled policies.

:class:`Harness` and :class:`IncrementalHarness` run the conformance vectors of that contract over
hookcore's boundaries. They need the SDK, and are loaded when they are asked for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .host import HOST
from .interceptor import Hookcore

if TYPE_CHECKING:
    from .harness import Harness, IncrementalHarness

__all__ = ["HOST", "Harness", "Hookcore", "IncrementalHarness"]


def __getattr__(name: str) -> Any:
    if name not in {"Harness", "IncrementalHarness"}:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from hookcore.hosting import require_runtime

    require_runtime(HOST)
    from . import harness

    return getattr(harness, name)
