"""hookcore's path guard: tools read and write only below the folders you name."""

from __future__ import annotations

from ._refusals import Denial
from .policy import PathGuard
from .settings import PathGuardSettings

__all__ = ["Denial", "PathGuard", "PathGuardSettings"]
