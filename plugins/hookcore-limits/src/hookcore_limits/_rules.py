"""The rules, made ready: what a call is counted at, and what it takes of which budget."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from hookcore import HookAborted, NamePatterns, Tokens

from ._counts import Rate, Share
from ._periods import PERIODS, parse_rate
from ._scopes import Scopes
from .settings import BudgetRule, LimitsSettings, ModelPrice, RateRule

__all__ = ["MICRO", "Budget", "CountedRate", "Prices", "budgets_of", "rates_of"]

MICRO: Final = 1_000_000
"""The parts that money is counted in: sums of floats drift."""
_LONGEST_NAME: Final = 80
_MOST_ASKED: Final = 10**9


@dataclass(frozen=True, slots=True)
class CountedRate:
    """A rate: where it stands, what it counts, how often.

    Args:
        name: its place in the settings.
        rule: it.
        limit: the calls that it allows.
        seconds: the window's length.
        key: gives the key of its counter for a call.
        tools: the tools that it is about; None for all.
    """

    name: str
    rule: RateRule
    limit: int
    seconds: int
    key: Callable[[Any], str]
    tools: NamePatterns | None

    @property
    def where(self) -> str:
        """Its place, and what it counts apart, as operators read it."""
        return f"{self.name} ({','.join(self.rule.per)})"

    def of(self, ctx: Any) -> Rate:
        """Return the counter of a call."""
        return Rate(self.key(ctx), self.limit, self.seconds)


def rates_of(rules: Sequence[RateRule], calls: str, scopes: Scopes) -> list[CountedRate]:
    """Return the rates of calls of tools, or of models."""
    found = []
    for at, rule in enumerate(rules):
        if rule.calls != calls:
            continue
        limit, seconds = parse_rate(rule.limit)
        key = scopes.keys(("rate", calls, str(seconds), *sorted(rule.tools)), rule.per)
        tools = None if rule.tools == ("*",) else NamePatterns(rule.tools)
        found.append(CountedRate(f"rates[{at}]", rule, limit, seconds, key, tools))
    return found


class Prices:
    """The prices of models.

    Args:
        prices: by the model's name or a glob; the first that matches counts.
    """

    def __init__(self, prices: dict[str, ModelPrice]) -> None:
        self._patterns = NamePatterns(prices)
        self._prices = tuple(prices.values())

    def of(self, model: str | None) -> ModelPrice | None:
        """Return a model's price; None for one that has none."""
        places = self._patterns.matching(model, as_written=True) if isinstance(model, str) else ()
        return self._prices[places[0]] if places else None


@dataclass(frozen=True, slots=True)
class Budget:
    """A budget: where it stands, of what, how much.

    Args:
        name: its place in the settings.
        rule: it.
        cap: tokens, or millionths of the currency.
        seconds: the length of its period; 0 for none.
        key: gives the key of its counter for a call.
        prices: what tokens cost, for a budget of money.
    """

    name: str
    rule: BudgetRule
    cap: int
    seconds: int
    key: Callable[[Any], str]
    prices: Prices | None

    @property
    def where(self) -> str:
        """Its place, and who has one each, as operators read it."""
        unit = "" if self.prices is None else ".cost"
        return f"{self.name}{unit} ({','.join(self.rule.per)})"

    def share(self, ctx: Any) -> Share:
        """Return what a call takes in advance.

        Raises:
            HookAborted: its model has no price.
        """
        asked = ctx.attributes.get("max_tokens")
        is_told = isinstance(asked, int) and not isinstance(asked, bool) and asked > 0
        tokens = min(asked, _MOST_ASKED) if is_told else self.rule.reserve
        if self.prices is None:
            return self.part(ctx, tokens)
        price = self._price(ctx.model)
        return self.part(ctx, math.ceil(tokens * max(price.input, price.output)))

    def part(self, ctx: Any, amount: int) -> Share:
        """Return an amount of the budget that a call belongs to."""
        return Share(self.key(ctx), self.cap, self.seconds, amount)

    def used(self, model: str | None, tokens: Tokens) -> int:
        """Return what a call has used.

        Raises:
            HookAborted: its model has no price.
        """
        if self.prices is None:
            return tokens.total
        price = self._price(model)
        cached = price.input if price.cached is None else price.cached
        new = tokens.input - tokens.cached
        return math.ceil(new * price.input + tokens.cached * cached + tokens.output * price.output)

    def told(self, amount: int) -> str:
        """Return an amount as operators read it."""
        if self.prices is None:
            return str(amount)
        return f"{amount / MICRO:.6f}".rstrip("0").rstrip(".")

    def _price(self, model: str | None) -> ModelPrice:
        price = self.prices.of(model) if self.prices is not None else None
        if price is None:
            name = "a call that tells no model" if not model else ascii(str(model)[:_LONGEST_NAME])
            raise HookAborted(
                f"limits: {self.where} needs prices for every model; none for {name}",
                source="limits",
                message="This model cannot be used here.",
                rule=self.name,
            )
        return price


def budgets_of(settings: LimitsSettings, scopes: Scopes) -> list[Budget]:
    """Return the budgets."""
    prices = Prices(settings.prices)
    found = []
    for at, rule in enumerate(settings.budgets):
        is_money = rule.cost is not None
        cap = round((rule.cost or 0) * MICRO) if is_money else rule.tokens or 0
        unit = "cost" if is_money else "tokens"
        key = scopes.keys(("budget", unit, rule.every or ""), rule.per)
        seconds = PERIODS[rule.every] if rule.every else 0
        found.append(
            Budget(f"budgets[{at}]", rule, cap, seconds, key, prices if is_money else None)
        )
    return found
