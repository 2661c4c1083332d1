"""The parts of a manager, for hosts that dispatch in a way of their own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from ..hooks.points import PointTable
from ..hooks.registry import Registry
from .plans import Plans
from .scoping import Scoping
from .services import Services

__all__ = ["HasParts", "Parts"]


@dataclass(frozen=True, slots=True)
class Parts:
    """The parts of one manager."""

    table: PointTable
    registry: Registry
    services: Services
    plans: Plans
    scoping: Scoping


class HasParts(Protocol):
    """A manager, as far as code below it needs one."""

    parts: Parts
