"""hookcore's limits: rates and budgets for agents, exact over many processes and machines."""

from __future__ import annotations

from ._stats import Stats
from .policy import Limits
from .settings import BudgetRule, LimitsSettings, ModelPrice, RateRule

__all__ = ["BudgetRule", "Limits", "LimitsSettings", "ModelPrice", "RateRule", "Stats"]
