"""The operator's options for one plugin; they beat what the author wrote."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from hookcore_specs import OnError

__all__ = ["DEFAULT_PRIORITY", "Mode", "OperatorOptions"]

DEFAULT_PRIORITY = 100

Mode = Literal["enforce", "monitor"]


@dataclass(frozen=True, slots=True)
class OperatorOptions:
    """The operator's settings for one plugin; None leaves a choice to the author."""

    mode: Mode = "enforce"
    on_error: OnError | None = None
    priority: int | None = None
    timeout: float | None = None
    """Seconds."""
    points: tuple[str, ...] | None = None
    tools: tuple[str, ...] | None = None
    agents: tuple[str, ...] | None = None
    required: bool = False
    rollout: float | None = None
    """The percentage of runs in which it is enforced; it is monitored in the others."""
