"""One thing that is wrong."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

__all__ = ["Diagnosis", "error", "note", "warning"]


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """Something that is wrong, and the command or the edit that mends it.

    A note is about nothing wrong: a limit that one should know, and what is done about it.
    """

    severity: Literal["error", "warning", "note"]
    code: str
    subject: str
    message: str
    fix: str


def error(code: str, subject: object, message: str, fix: str) -> Diagnosis:
    """Return a finding that keeps a manager from starting, or a policy from holding."""
    return Diagnosis("error", code, str(subject), message, fix)


def warning(code: str, subject: object, message: str, fix: str) -> Diagnosis:
    """Return a finding that somebody should look at."""
    return Diagnosis("warning", code, str(subject), message, fix)


def note(code: str, subject: object, message: str, fix: str) -> Diagnosis:
    """Return a limit that one should know of, which counts neither as error nor as warning."""
    return Diagnosis("note", code, str(subject), message, fix)
