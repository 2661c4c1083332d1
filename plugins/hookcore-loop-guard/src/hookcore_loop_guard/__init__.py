"""hookcore's loop guard: an agent that goes round in circles is warned of, denied, stopped."""

from __future__ import annotations

from .policy import LoopGuard
from .settings import LoopGuardSettings

__all__ = ["LoopGuard", "LoopGuardSettings"]
