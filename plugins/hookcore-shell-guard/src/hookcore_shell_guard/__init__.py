"""hookcore's shell guard: judge the commands that an agent runs in a shell.

Each name is fetched from its home when it is first used: who only reads commands need not wait for
the presets and the settings.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .commands import Redirection, Segment, Word, segments
    from .policy import ShellGuard, Verdict
    from .settings import ShellGuardSettings, ShellRule

__all__ = [
    "Redirection",
    "Segment",
    "ShellGuard",
    "ShellGuardSettings",
    "ShellRule",
    "Verdict",
    "Word",
    "segments",
]

_HOMES = {
    "ShellGuard": ".policy",
    "ShellGuardSettings": ".settings",
    "ShellRule": ".settings",
    "Verdict": ".policy",
}


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(importlib.import_module(_HOMES.get(name, ".commands"), __name__), name)
    globals()[name] = value  # the next use finds it without coming here
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
