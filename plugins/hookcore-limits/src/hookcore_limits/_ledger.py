"""The budgets: held before a model call, spent after it."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Final

from hookcore import HookAborted, ModelCallContext, tokens_of

from ._asking import Asking
from ._counts import Reserved, Share
from ._holds import Hold, Holds
from ._rules import Budget, budgets_of
from ._scopes import Scopes
from .settings import LimitsSettings

__all__ = ["Ledger"]

_WARNED_KEPT: Final = 4096
_log = logging.getLogger("hookcore_limits")


class Ledger:
    """Holds and spends for the calls of this process.

    Args:
        settings: the policy's settings.
        asking: asks the store.
        scopes: makes the keys.
    """

    def __init__(self, settings: LimitsSettings, asking: Asking, scopes: Scopes) -> None:
        self._budgets = budgets_of(settings, scopes)
        self._asking = asking
        self._holds = Holds()
        self._warned: dict[str, None] = {}

    @property
    def under_way(self) -> int:
        """The number of calls that something is held for."""
        return len(self._holds)

    def is_held(self, ctx: ModelCallContext) -> bool:
        """Tell whether a call was let through before: a gate is asked again after a change."""
        return self._holds.has(ctx)

    def reserve(self, ctx: ModelCallContext) -> HookAborted | None:
        """Hold what a call may use.

        Args:
            ctx: the call.

        Returns:
            The denial of the call; None when it is let through.

        Raises:
            HookAborted: its model has no price, or the store is away.
        """
        if not self._budgets:
            return None
        shares = tuple(budget.share(ctx) for budget in self._budgets)
        ident = self._holds.new_ident()
        answered = self._asking.ask(lambda store: store.reserve(ident, shares))
        if answered is None:
            return None
        answer, store = answered
        if answer.full is not None:
            return _full(self._budgets[answer.full], shares[answer.full], answer)
        if not self._holds.put(ctx, Hold(ident, store, shares)):
            self._asking.tell(store, lambda store: store.settle(ident, [0] * len(shares)))
        self._warn(shares, answer.used)
        return None

    def settle(self, ctx: ModelCallContext) -> None:
        """Spend what a call has used in the place of what was held for it.

        Args:
            ctx: the call, at its end.
        """
        if not self._budgets:
            return
        hold = self._holds.take(ctx)
        used = self._used(ctx, hold)
        if hold is not None:
            ident, amounts = hold.ident, used or [share.amount for share in hold.shares]
            self._asking.tell(hold.store, lambda store: store.settle(ident, amounts))
        elif used is not None and any(used):
            # Nothing was held, since the store was away or the policy only watches.
            shares = [
                budget.part(ctx, amount) for budget, amount in zip(self._budgets, used, strict=True)
            ]
            self._asking.tell(None, lambda store: store.charge(shares))

    def _used(self, ctx: ModelCallContext, hold: Hold | None) -> list[int] | None:
        """Return what a call has used of each budget; None when nobody knows."""
        if not ctx.entered:
            return [0] * len(self._budgets)
        tokens = tokens_of(ctx.usage)
        if tokens is None:
            return None
        try:
            used = [budget.used(ctx.model, tokens) for budget in self._budgets]
        except HookAborted:
            return None
        if tokens.is_whole or hold is None:
            return used
        return [max(n, share.amount) for n, share in zip(used, hold.shares, strict=True)]

    def _warn(self, shares: Sequence[Share], used: Sequence[int]) -> None:
        for budget, share, amount in zip(self._budgets, shares, used, strict=False):
            if amount < share.cap * budget.rule.warn_at:
                self._warned.pop(share.key, None)
            elif share.key not in self._warned:
                self._warned[share.key] = None
                if len(self._warned) > _WARNED_KEPT:
                    self._warned.clear()
                told = budget.told(amount), budget.told(share.cap)
                _log.warning("limits: %s: %s of %s are used or reserved", budget.where, *told)


def _full(budget: Budget, share: Share, answer: Reserved) -> HookAborted:
    spent, held, asked, cap = map(
        budget.told, (answer.spent, answer.held, share.amount, answer.cap)
    )
    told = f"{spent} spent, {held} reserved, {asked} asked, {cap} allowed"
    return HookAborted(
        f"limits: {budget.where}: {told}",
        source="limits",
        message="The budget for this is used up.",
        rule=budget.name,
    )
