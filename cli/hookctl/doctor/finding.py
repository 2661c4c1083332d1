"""One thing that is wrong."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

__all__ = ["Finding", "error", "warning"]


@dataclass(frozen=True, slots=True)
class Finding:
    """Something that is wrong, and the command or the edit that mends it."""

    severity: Literal["error", "warning"]
    code: str
    subject: str
    message: str
    fix: str


def error(code: str, subject: object, message: str, fix: str) -> Finding:
    """Return a finding that keeps a manager from starting, or a policy from holding."""
    return Finding("error", code, str(subject), message, fix)


def warning(code: str, subject: object, message: str, fix: str) -> Finding:
    """Return a finding that somebody should look at."""
    return Finding("warning", code, str(subject), message, fix)
