"""Gates at a boundary: the operation gets what they judged, whatever happens in between."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hookcore_specs import HookContext

from ..dispatch.copying import copy_payload, digest
from ..dispatch.engine import Dispatch
from ..waiting.requests import Steps

if TYPE_CHECKING:
    from ..dispatch.core import ManagerCore

__all__ = ["Gates"]

_NAMES = ("tool_name", "model", "provider")


class Gates:
    """The gates of a boundary's first point, standing innermost.

    Args:
        manager: the manager.
        point: the point whose gates they are.
        ctx: the boundary's context.
        judged: what they judged already, a context that nobody else has; None without gates.
        asynchronous: whether the host awaits.
    """

    def __init__(
        self,
        manager: ManagerCore,
        point: str,
        ctx: HookContext,
        judged: HookContext | None,
        *,
        asynchronous: bool,
    ) -> None:
        self._manager = manager
        self._point = point
        self._ctx = ctx
        self._judged = judged
        self._asynchronous = asynchronous
        plan = manager._plans[point]
        # Monitored gates settle nothing, but they too are asked once about one value.
        watched = judged is None and plan is not None and any(h.gate for h in plan.hooks)
        self._seen = _print(ctx, ctx.payload) if watched else None

    def judged_again(self, payload: Any, *, wrapped: bool = True) -> Steps:
        """Return the judged value of what is passed on, which is judged when it is another.

        Args:
            payload: what is passed on.
            wrapped: whether a wrap passes it on. Without one it is what was judged, whatever
                others have done to it meanwhile.
        """
        ctx = self._ctx
        plan = self._manager._plans[self._point]
        if plan is None:
            return payload
        if self._judged is not None and (not wrapped or _same(ctx, payload, self._judged)):
            return self._used(self._judged)
        plan = self._manager._in_scope(plan)
        chain = plan.chain or plan.resolve(ctx)
        if chain is None or not chain.gates:
            return payload
        if all(gate.monitor for gate in chain.gates) and self._is_seen(payload, wrapped=wrapped):
            return payload
        point, before = ctx.point, ctx.payload
        ctx.payload = payload
        dispatch = Dispatch(self._manager, plan, chain, ctx, asynchronous=self._asynchronous)
        try:
            yield from dispatch.steps(gates_only=True)
        finally:
            ctx.point, ctx.payload = point, before
        if dispatch.judged is None:
            return payload  # all gates were passed over, since one of them caused this call
        return self._used(dispatch.judged)

    def _is_seen(self, payload: Any, *, wrapped: bool) -> bool:
        if self._seen is None:
            return False
        return not wrapped or _print(self._ctx, payload) == self._seen

    def _used(self, judged: HookContext) -> Any:
        for name in _NAMES:
            if hasattr(judged, name):  # others may have had time to change it
                setattr(self._ctx, name, getattr(judged, name))
        return copy_payload(judged.payload)


def _same(ctx: HookContext, payload: Any, judged: HookContext) -> bool:
    known = _print(judged, judged.payload)
    return known is not None and _print(ctx, payload) == known


def _print(ctx: HookContext, payload: Any) -> tuple[Any, ...] | None:
    """Return what tells one judged value from another, or None when nothing does."""
    seen = digest(payload)
    return None if seen is None else (seen, *(getattr(ctx, name, None) for name in _NAMES))
