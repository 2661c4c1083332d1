"""Gates at a boundary: the operation gets what they judged, whatever happens in between."""

from __future__ import annotations

from typing import Any

from hookcore_specs import HookContext

from ..dispatch.contexts import restore
from ..dispatch.copying import Snapshot, copy_payload, is_same
from ..dispatch.engine import Dispatch
from ..dispatch.plans import Plans
from ..waiting.requests import Steps

__all__ = ["Judging"]

_NAMES = ("tool_name", "model", "provider")


class Judging:
    """The gates of a boundary's first point, standing innermost.

    Args:
        plans: the plans in force.
        point: the point whose gates they are.
        ctx: the boundary's context.
        judged: what they judged already, a context that nobody else has; None without gates.
        asynchronous: whether the host awaits.
    """

    __slots__ = (
        "_asked",
        "_asynchronous",
        "_ctx",
        "_judged",
        "_plans",
        "_point",
        "_seen",
        "tool_name",
    )

    def __init__(
        self,
        plans: Plans,
        point: str,
        ctx: HookContext,
        judged: HookContext | None,
        *,
        asynchronous: bool,
    ) -> None:
        self._plans = plans
        self._point = point
        self._ctx = ctx
        self._judged = judged
        self._asynchronous = asynchronous
        plan = plans.live[point]
        # Monitored gates settle nothing, but they too are asked once about one value.
        watched = judged is None and plan is not None and any(h.gate for h in plan.hooks)
        #: The tool that the operation is of: none that others make of the context meanwhile.
        self.tool_name = getattr(ctx, "tool_name", None)
        #: What a person was asked about by hooks that are no gates.
        self._asked = plans.services.asked.get(ctx, ()) if plans.services.asked else ()
        self._seen = (Snapshot(ctx.payload), _names(ctx)) if watched else None

    def judged_again(  # noqa: PLR0911 - one answer for each case
        self, payload: Any, *, wrapped: bool = True
    ) -> Steps:
        """Return the judged value of what is passed on, which is judged when it is another.

        Args:
            payload: what is passed on.
            wrapped: whether a wrap passes it on. Without one it is what was judged, whatever
                others have done to it meanwhile.
        """
        ctx, judged = self._ctx, self._judged
        self.tool_name = getattr(ctx, "tool_name", None)
        for asked in self._asked:
            asked.check(ctx, payload)
        plan = self._plans.live[self._point]
        if plan is None:
            return payload
        if judged is not None:
            if not wrapped:
                return self._used(judged)
            if _names(ctx) == _names(judged) and is_same(payload, judged.payload):
                self._used(judged)
                return copy_payload(judged.payload)  # a wrap may call the operation once more
        chain = self._plans.resolve(plan, ctx)
        if chain is None or not chain.gates:
            return payload
        if all(gate.monitor for gate in chain.gates) and self._is_seen(payload, wrapped=wrapped):
            return payload
        point, before = ctx.point, ctx.payload
        ctx.payload = payload
        services = self._plans.services
        dispatch = Dispatch(services, plan, chain, ctx, asynchronous=self._asynchronous)
        try:
            yield from dispatch.steps(gates_only=True, keeps_judged=True)
        finally:
            ctx.point, ctx.payload = point, before
        if dispatch.judged is None:
            return payload  # all gates were passed over, since one of them caused this call
        return self._used(dispatch.judged)

    def _is_seen(self, payload: Any, *, wrapped: bool) -> bool:
        if self._seen is None:
            return False
        snapshot, names = self._seen
        if not wrapped:
            return snapshot.tells
        return snapshot.tells and names == _names(self._ctx) and snapshot.is_of(payload)

    def _used(self, judged: HookContext) -> Any:
        """Give the context what was judged, since others may have had time to change it."""
        restore(self._ctx, judged)
        self.tool_name = getattr(judged, "tool_name", None)
        return judged.payload


def _names(ctx: HookContext) -> tuple[Any, ...]:
    return tuple(getattr(ctx, name, None) for name in _NAMES)
