"""What a hook is given to work on, and what of its work is applied."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hookcore_specs import HookContext, HookRecord, Kind

from ..hooks.hook import Hook
from .copying import adopt, clone, copy_payload, digest

if TYPE_CHECKING:
    from .verdicts import Verdicts

__all__ = ["Watch", "take_over"]


class Watch:
    """What a hook is given to work on, and whether it edited that in place."""

    __slots__ = ("_before", "_digest", "_dispatch", "_hook", "view")

    def __init__(self, dispatch: Verdicts, hook: Hook, ctx: HookContext) -> None:
        self._dispatch = dispatch
        self._hook = hook
        # A monitored hook works on a copy, so that nothing it does is applied.
        self.view = clone(ctx, copy_payload(ctx.payload)) if hook.monitor else ctx
        changes = not hook.gate and hook.spec.kind is not Kind.OBSERVE
        tracked = changes and (dispatch.account.tracked or hook.monitor)
        self._digest = digest(self.view.payload) if tracked else None
        traced = dispatch.manager._tracer is not None
        self._before = copy_payload(self.view.payload) if traced else None

    def changed(self) -> bool:
        """Whether the payload was edited in place, as far as that is tracked."""
        return self._digest is not None and digest(self.view.payload) != self._digest

    def trace(self, record: HookRecord, error: BaseException | None = None) -> None:
        """Tell the manager's tracer, when there is one, what the hook did."""
        tracer = self._dispatch.manager._tracer
        if tracer is not None:
            point = self._dispatch.plan.spec.name
            tracer(point, record, error, self._before, copy_payload(self.view.payload))


def take_over(view: HookContext, twin: HookContext, copied: Any) -> None:
    """Apply to ``view`` what a hook did to its twin in another thread."""
    original, bound = view.payload, twin.payload
    adopt(view, twin)
    view.payload = original
    if bound is not copied:
        view.payload = bound
    elif _differs(original, copied):
        if type(original) is dict and type(copied) is dict:
            original.clear()
            original.update(copied)
        elif type(original) is list and type(copied) is list:
            original[:] = copied
        else:
            view.payload = copied


def _differs(original: Any, copied: Any) -> bool:
    before, after = digest(original), digest(copied)
    if before is None or after is None:
        return bool(original != copied)
    return before != after
