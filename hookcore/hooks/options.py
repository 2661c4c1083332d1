"""The operator's options for one plugin and its rules; they beat what the author wrote."""

from __future__ import annotations

from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal

from hookcore_specs import OnError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import date

__all__ = ["DEFAULT_PRIORITY", "Mode", "OperatorOptions", "RuleOptions"]

DEFAULT_PRIORITY = 100

Mode = Literal["enforce", "monitor"]


@dataclass(frozen=True, slots=True)
class RuleOptions:
    """The operator's settings for one rule of a plugin."""

    mode: Mode = "enforce"
    rollout: float | None = None
    """The percentage of runs in which it is enforced; it is monitored in the others."""
    expires: date | None = None
    """The last day on which it is in force, in UTC."""


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
    rules: Mapping[str, RuleOptions] = field(default_factory=lambda: MappingProxyType({}))
    """The options of single rules, by name."""
