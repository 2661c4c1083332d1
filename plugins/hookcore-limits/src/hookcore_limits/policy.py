"""The plugin: gates before the calls of tools and models, and the settlement after a model's."""

from __future__ import annotations

import logging
import math
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any, ClassVar, Final, Literal

from hookcore import (
    HookAborted,
    ModelCallContext,
    RunContext,
    ToolCallContext,
    hookimpl,
    tool_aliases,
)

from ._asking import Asking
from ._ledger import Ledger
from ._rules import CountedRate, rates_of
from ._scopes import Roots, Scopes
from ._stats import Counter, Stats
from .settings import LimitsSettings

if TYPE_CHECKING:
    from typing_extensions import Self

__all__ = ["Limits"]

_NAME: Final = "limits"
_NAMES_KEPT: Final = 4096
_LONGEST_KEPT: Final = 1024
_log = logging.getLogger("hookcore_limits")


class Limits:
    """Lets calls through until a rate or a budget is reached.

    Args:
        settings: how often and how much, and where that is counted.

    Raises:
        StoreSettingsError: the store cannot be used as it is set up.
    """

    Settings: ClassVar[type[LimitsSettings]] = LimitsSettings
    on_error: ClassVar[Literal["deny"]] = "deny"
    # Behind other gates: what they deny is not counted.
    priority: ClassVar[int] = 900

    def __new__(cls, settings: LimitsSettings) -> Self:
        """Make the kind whose hooks no event loop waits for, where the store is outside."""
        kind: Any = _OutsideLimits if cls is Limits and settings.store != "memory" else cls
        made: Self = super().__new__(kind)
        return made

    def __init__(self, settings: LimitsSettings) -> None:
        self._counter = Counter()
        self._roots = Roots()
        scopes = Scopes(self._roots)
        self._asking = Asking(settings, self._counter)
        self._ledger = Ledger(settings, self._asking, scopes)
        self._tool_rates = rates_of(settings.rates, "tool", scopes)
        self._model_rates = rates_of(settings.rates, "model", scopes)
        # Names come from a model, so what is remembered about them is bounded.
        self._remembered = lru_cache(_NAMES_KEPT)(self._rates_of_tool)
        if not settings.rates and not settings.budgets:
            _log.warning("%s has no rates and no budgets: it lets every call through", _NAME)

    @property
    def tool_patterns(self) -> list[str]:
        """The patterns in the settings, which ``hookctl doctor`` compares with the tools it saw."""
        named = (pattern for rate in self._tool_rates for pattern in rate.rule.tools)
        return [pattern for pattern in dict.fromkeys(named) if pattern != "*"]

    @property
    def rule_names(self) -> list[str]:
        """The rates, which the operator may have monitored one by one."""
        return [rate.name for rate in (*self._tool_rates, *self._model_rates)]

    def stats(self) -> Stats:
        """Return what has happened so far."""
        return replace(self._counter.stats, under_way=self._ledger.under_way)

    def close(self) -> None:
        """Let go of the store's connections; the next call makes new ones."""
        self._asking.close()

    @hookimpl
    def execution_start(self, ctx: RunContext) -> None:
        """Note which run a sub-run belongs to.

        Args:
            ctx: the run.
        """
        self._roots.began(ctx)

    @hookimpl(gate=True)
    def pre_tool_call(self, ctx: ToolCallContext) -> None:
        """Count the call, or deny it; in a dry run, do nothing.

        Args:
            ctx: the call.

        Raises:
            HookAborted: a rate is reached, or the store is away.
        """
        self._judge_tool(ctx)

    @hookimpl(gate=True)
    def pre_model_call(self, ctx: ModelCallContext) -> None:
        """Count the call and hold its part of the budgets, or deny it; in a dry run, do nothing.

        Args:
            ctx: the call.

        Raises:
            HookAborted: a rate or budget is reached, a model has no price, or the store is away.
        """
        self._judge_model(ctx)

    @hookimpl
    def model_finished(self, ctx: ModelCallContext) -> None:
        """Spend what the call has used in the place of what was held for it.

        Args:
            ctx: the call.
        """
        self._settle(ctx)

    def _judge_tool(self, ctx: ToolCallContext) -> None:
        if self._tool_rates and not ctx.dry_run:
            names = (str(ctx.tool_name or ""), *tool_aliases(ctx))
            is_short = sum(map(len, names)) <= _LONGEST_KEPT
            find = self._remembered if is_short else self._rates_of_tool
            self._count(find(*names), ctx)

    def _judge_model(self, ctx: ModelCallContext) -> None:
        if ctx.dry_run or self._ledger.is_held(ctx):
            return
        self._count(self._model_rates, ctx)
        denied = self._ledger.reserve(ctx)
        if denied is not None:
            self._counter.add("denied")
            raise denied

    def _settle(self, ctx: ModelCallContext) -> None:
        if not ctx.dry_run:
            self._ledger.settle(ctx)

    def _rates_of_tool(self, *names: str) -> list[CountedRate]:
        return [
            rate
            for rate in self._tool_rates
            if rate.tools is None or any(map(rate.tools.matches, names))
        ]

    def _count(self, rates: Sequence[CountedRate], ctx: Any) -> None:
        if not rates:
            return
        asked = [rate.of(ctx) for rate in rates]
        answered = self._asking.ask(lambda store: store.count(asked))
        hit = None if answered is None else answered[0]
        if hit is None:
            return
        rate = rates[hit.place]
        denial = _reached(rate, max(1, math.ceil(hit.wait_s)))
        if not ctx.enforces(denial):
            # A call that is denied is counted nowhere; this one is made.
            self._count([other for other in rates if other is not rate], ctx)
            return
        self._counter.add("denied")
        raise denial


def _reached(rate: CountedRate, seconds: int) -> HookAborted:
    unit = "second" if seconds == 1 else "seconds"
    return HookAborted(
        f"limits: {rate.where} reached: {rate.rule.limit}; free again in {seconds} s",
        source=_NAME,
        message=f"Too many calls; wait {seconds} {unit}.",
        rule=rate.name,
    )


class _OutsideLimits(Limits):
    """The policy over a store outside the process, whose answer no event loop waits for."""

    @hookimpl(gate=True, offload=True)
    def pre_tool_call(self, ctx: ToolCallContext) -> None:
        """Count the call, or deny it."""
        self._judge_tool(ctx)

    @hookimpl(gate=True, offload=True)
    def pre_model_call(self, ctx: ModelCallContext) -> None:
        """Count the call and hold its part of the budgets, or deny it."""
        self._judge_model(ctx)

    @hookimpl(offload=True)
    def model_finished(self, ctx: ModelCallContext) -> None:
        """Spend what the call has used in the place of what was held for it."""
        self._settle(ctx)
