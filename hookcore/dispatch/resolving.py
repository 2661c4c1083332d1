"""The chain that is in force for a dispatch, and what is left of a dispatch for the engine."""

from __future__ import annotations

from hookcore_specs import HookContext
from hookcore_specs._runtime import STATES

from ..waiting.requests import Steps
from .engine import Dispatch
from .judged import put_back
from .plan import Chain, Plan
from .scopes import Scopes
from .services import Services
from .unfinished import AsyncLoop, Unfinished

__all__ = ["Resolving"]


class Resolving:
    """The questions of a dispatch to the plans of its manager."""

    scopes: Scopes
    services: Services

    def in_scope(self, plan: Plan) -> Plan:
        """Return the plan with the hooks of the current scope."""
        scope = self.scopes.current if plan.scoped else None
        return plan if scope is None else scope.plan(plan)

    def resolve(self, plan: Plan | None, ctx: HookContext) -> Chain | None:
        """Return the chain for a context in the current scope, or None when no hook is left."""
        if plan is None:
            return None
        plan = self.in_scope(plan)
        return plan.chain or plan.resolve(ctx)

    def async_loop(self, plan: Plan, ctx: HookContext, *, asynchronous: bool) -> AsyncLoop | None:
        """Return the compiled loop of a chain with async hooks; None where the engine runs it.

        A sync host hands the whole loop to the background, in one go, where all hooks are async.
        """
        if not (plan.has_async or plan.scoped):
            return None
        chain = self.resolve(plan, ctx)
        if chain is None or not (asynchronous or chain.is_all_async):
            return None
        if not asynchronous and self.services.loop.is_current():
            return None  # the engine tells which hook called
        loop: AsyncLoop | None = chain.async_loop
        return loop

    def dispatch(
        self, plan: Plan, ctx: HookContext, left: Unfinished, *, asynchronous: bool
    ) -> Dispatch | None:
        """Return what is left of a dispatch, or None when nothing is."""
        if left.chain is not None:
            dispatch = Dispatch(
                self.services,
                plan,
                left.chain,
                ctx,
                asynchronous=asynchronous,
                records=left.records,
            )
            dispatch.frame[STATES] = left.states
            if left.records is not None:
                dispatch.tool = left.tool
            return dispatch
        plan = self.in_scope(plan)
        chain = plan.chain or plan.resolve(ctx)
        if chain is None:
            return None
        return Dispatch(self.services, plan, chain, ctx, asynchronous=asynchronous)

    def steps(
        self, plan: Plan, ctx: HookContext, left: Unfinished, *, asynchronous: bool
    ) -> Steps | None:
        """Return the engine's steps for what is left of a dispatch, or None when nothing is."""
        if left.judged is not None:
            put_back(plan, ctx, left.judged)
            return None
        dispatch = self.dispatch(plan, ctx, left, asynchronous=asynchronous)
        return None if dispatch is None else dispatch.steps(left)
