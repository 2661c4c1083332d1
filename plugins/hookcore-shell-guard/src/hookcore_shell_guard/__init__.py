"""hookcore's shell guard: judge the commands that an agent runs in a shell."""

from __future__ import annotations

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
