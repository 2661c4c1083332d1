"""The policy's settings, as an operator writes them in ``hookcore.toml``."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Final, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator
from pydantic_core import PydanticCustomError

from hookcore import check_name_pattern

from ._periods import parse_rate

__all__ = ["BudgetRule", "LimitsSettings", "ModelPrice", "RateRule"]

_FROZEN: Final = ConfigDict(extra="forbid", frozen=True)
_MOST_TOKENS: Final = 10**12
_MOST_COST: Final = 10.0**9
_ONLY_WITH: Final = {
    "path": ("store", "sqlite"),
    "url_env": ("store", "redis"),
    "timeout_ms": ("store", "redis"),
    "replicas": ("store", "redis"),
    "local_share": ("when_away", "local"),
}


def _rate(text: str) -> str:
    try:
        parse_rate(text)
    except ValueError as error:
        raise PydanticCustomError("limits_rate", "{problem}", {"problem": str(error)}) from None
    return text


def _pattern(text: str) -> str:
    try:
        check_name_pattern(text)
    except ValueError as error:
        problem = f"the pattern {text!r} matches nothing: {error}"
        raise PydanticCustomError("limits_pattern", "{problem}", {"problem": problem}) from None
    return text


def _distinct(names: tuple[str, ...]) -> tuple[str, ...]:
    if not names or len(set(names)) < len(names):
        raise PydanticCustomError(
            "limits_per",
            'name each scope once, and at least one; for all calls together ["global"]',
        )
    if "global" in names and len(names) > 1:
        raise PydanticCustomError("limits_per", '"global" is all calls together: leave it out')
    return names


_Pattern = Annotated[str, AfterValidator(_pattern)]
_RatePer = Annotated[
    tuple[Literal["global", "tenant", "session", "agent", "tool", "model"], ...],
    AfterValidator(_distinct),
]
_BudgetPer = Annotated[
    tuple[Literal["global", "tenant", "session", "agent", "model"], ...],
    AfterValidator(_distinct),
]


class RateRule(BaseModel):
    """A rate: how often something may be called."""

    model_config = _FROZEN

    per: _RatePer = Field(
        description="The scopes that are counted apart: each tenant and tool, for example."
    )
    limit: Annotated[str, AfterValidator(_rate)] = Field(
        description='How often: "100/minute", "5 per second", "1000/15 minutes".'
    )
    calls: Literal["tool", "model"] = Field(
        default="tool", description="Which calls are counted: those of tools, or of models."
    )
    tools: tuple[_Pattern, ...] = Field(
        default=("*",), description="Names or globs of the tools whose calls are counted."
    )

    @model_validator(mode="after")
    def _fits_its_calls(self) -> RateRule:
        odd = {"tool": "model", "model": "tool"}[self.calls]
        if odd in self.per:
            raise PydanticCustomError(
                "limits_per",
                'calls of a {calls} have no {odd} to be counted by: take it out of "per"',
                {"calls": self.calls, "odd": odd},
            )
        if self.calls == "model" and "tools" in self.model_fields_set:
            raise PydanticCustomError("limits_tools", '"tools" is for calls of tools: leave it out')
        if not self.tools:
            raise PydanticCustomError("limits_tools", '"tools" is empty: the rule counts nothing')
        return self


class BudgetRule(BaseModel):
    """A budget: the tokens, or the money, that model calls may use."""

    model_config = _FROZEN

    per: _BudgetPer = Field(description="The scopes that have a budget each.")
    tokens: int | None = Field(
        default=None, ge=0, le=_MOST_TOKENS, description="The tokens, of input and output together."
    )
    cost: float | None = Field(
        default=None, ge=0, le=_MOST_COST, description="The money, in the currency of the prices."
    )
    every: Literal["minute", "hour", "day", "week"] | None = Field(
        default=None,
        description="When the budget is full again: with each period of UTC; left out, never.",
    )
    warn_at: float = Field(
        default=0.8, gt=0, le=1, description="The share of it from which on a warning is logged."
    )
    reserve: int = Field(
        default=4000,
        ge=1,
        le=10**8,
        description="Tokens that a call takes in advance when the host tells no max_tokens.",
    )

    @model_validator(mode="after")
    def _has_one_unit(self) -> BudgetRule:
        if (self.tokens is None) == (self.cost is None):
            raise PydanticCustomError("limits_unit", 'say either "tokens" or "cost"')
        if self.tokens is not None and 0 < self.tokens < self.reserve:
            raise PydanticCustomError(
                "limits_reserve",
                '"reserve" ({reserve}) is more than the whole budget ({tokens} tokens): every call '
                "would be denied",
                {"reserve": self.reserve, "tokens": self.tokens},
            )
        return self


class ModelPrice(BaseModel):
    """The price of a model's tokens, for a million of them."""

    model_config = _FROZEN

    input: float = Field(ge=0, le=10**6, description="For a million tokens of input.")
    output: float = Field(ge=0, le=10**6, description="For a million tokens of output.")
    cached: float | None = Field(
        default=None,
        ge=0,
        le=10**6,
        description="For a million tokens of input from the provider's cache; left out, as input.",
    )


class LimitsSettings(BaseModel):
    """The rates and budgets of agents, and where they are counted.

    Raises:
        pydantic.ValidationError: a value is wrong, or can have no effect.
    """

    model_config = ConfigDict(
        extra="forbid",
        frozen=True,
        title="Settings of the hookcore plugin limits",
        json_schema_extra={"description": "How often and how much agents may call."},
    )

    store: Literal["memory", "sqlite", "redis"] = Field(
        default="memory",
        description="Where calls are counted: for this process, this machine, or many machines.",
    )
    path: str = Field(
        default="limits.sqlite3",
        min_length=1,
        description="The SQLite store's file; a relative path is below the user's state folder.",
    )
    url_env: str = Field(
        default="HOOKCORE_REDIS_URL",
        min_length=1,
        description="The environment variable with the URL of the Redis server.",
    )
    prefix: str = Field(
        default="hookcore-limits",
        pattern=r"^[A-Za-z0-9_.-]{1,64}$",
        description="Who shares it shares the counts: the name of a fleet, for example.",
    )
    timeout_ms: int = Field(
        default=250, ge=1, le=60_000, description="Milliseconds that an answer of Redis may take."
    )
    when_away: Literal["deny", "allow", "local"] = Field(
        default="deny",
        description=(
            "What happens to calls while the store cannot be asked: they are denied, allowed, or "
            "counted in this process alone."
        ),
    )
    local_share: int = Field(
        default=1, ge=1, description='With when_away = "local": the limits are divided by it.'
    )
    retry_after_s: float = Field(
        default=1.0, ge=0, le=3600, description="Seconds until a store that failed is asked again."
    )
    replicas: int = Field(
        default=0, ge=0, le=16, description="Replicas of Redis that must have a count."
    )
    ttl_s: float = Field(
        default=600.0,
        ge=1,
        le=86_400,
        description="Seconds that a reservation holds; longer than the longest model call.",
    )
    on_crash: Literal["charge", "release"] = Field(
        default="charge",
        description="What becomes of the reservation of a call whose end was never told.",
    )
    keep_days: float = Field(
        default=30.0, ge=1, le=3660, description="Days after which an unused budget is forgotten."
    )
    rates: tuple[RateRule, ...] = Field(default=(), description="How often.")
    budgets: tuple[BudgetRule, ...] = Field(default=(), description="How much.")
    prices: dict[_Pattern, ModelPrice] = Field(
        default={}, description="Prices by the model's name or a glob; the first that matches."
    )

    @model_validator(mode="after")
    def _everything_can_act(self) -> LimitsSettings:
        problems = [*self._idle(), *self._repeated()]
        if problems:
            raise PydanticCustomError(
                "limits_settings", "{problems}", {"problems": "; ".join(problems)}
            )
        return self

    def _idle(self) -> Iterator[str]:
        for name, (other, value) in _ONLY_WITH.items():
            if name in self.model_fields_set and getattr(self, other) != value:
                yield f'{name} has a meaning only with {other} = "{value}"'
        if self.store == "memory" and self.when_away != "deny":
            yield 'when_away has no meaning with store = "memory", which is never away'
        costs = [
            f"budgets[{at}].cost" for at, rule in enumerate(self.budgets) if rule.cost is not None
        ]
        if costs and not self.prices:
            yield f"{costs[0]} needs prices: write a table [prices.MODEL]"
        if self.prices and not costs:
            yield "prices have a meaning only with a budget of cost"

    def _repeated(self) -> Iterator[str]:
        for name, rules in (("rates", self.rates), ("budgets", self.budgets)):
            for at, rule in enumerate(rules):
                if rule in rules[:at]:
                    yield f"{name}[{at}] says what {name}[{rules.index(rule)}] says"
