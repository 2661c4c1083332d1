"""What a hook may say: replace, abort; and what a host gets back from a denial."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

__all__ = ["NEUTRAL_MESSAGE", "Abort", "Denied", "HookAborted", "Replace"]

NEUTRAL_MESSAGE = "This action is not allowed by policy."
"""The text for end users and models when a policy gives none of its own."""


@dataclass(frozen=True, slots=True)
class Replace:
    """A returned replacement, needed only where the new payload is ``None``."""

    value: Any


@dataclass(frozen=True, slots=True)
class Abort:
    """A returned abort: the same as raising :class:`HookAborted` with these arguments."""

    reason: str
    source: str | None = None
    message: str | None = None


class HookAborted(Exception):  # noqa: N818 - the name is CrewAI's, and part of the contract
    """A hook stopped the operation.

    Args:
        reason: why, for operators (logs and telemetry); ``str(error)`` is this text.
        source: who stopped it; the dispatcher fills in ``plugin.hook`` when it is not given.
        message: the text that an end user or a model may see; a neutral one when not given.
    """

    reason: str
    source: Any
    message: str

    def __init__(self, reason: str, source: Any = None, message: str | None = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.source = source
        self.message = NEUTRAL_MESSAGE if message is None else message

    def __reduce__(self) -> tuple[Any, ...]:
        return (type(self), (self.reason, self.source, self.message))


@dataclass(frozen=True, slots=True)
class Denied:
    """A denial as a value, for hosts that tell the model instead of raising.

    ``str(denied)`` is the text for the model; ``reason`` stays with the operator.
    """

    source: str
    message: str
    reason: str
    point: str

    def __str__(self) -> str:
        return f"denied by {self.source}: {self.message}"
