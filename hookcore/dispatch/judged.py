"""The copy that gates judge: refused where there is none, and put where the host holds its own."""

from __future__ import annotations

from hookcore_specs import HookAborted, HookContext
from hookcore_specs.contexts import EndingContext

from ..errors import describe_failure
from ..hooks.hook import Hook
from .contexts import restore
from .plan import Plan

__all__ = ["put_back", "uncopied"]


def uncopied(gate: Hook, error: Exception) -> HookAborted:
    """Return the denial of a payload that cannot be copied for a gate to judge."""
    return HookAborted(
        f"the payload cannot be copied for {gate.label} to judge: {describe_failure(error)}",
        source=gate.plugin,
    )


def put_back(plan: Plan, ctx: HookContext, judged: HookContext) -> None:
    """Put what the gates judged where the host holds its own: each saw a copy, nobody has it."""
    before = ctx.payload
    restore(ctx, judged)
    if isinstance(judged, EndingContext) and isinstance(ctx, EndingContext):
        ctx.error = judged.error
    ctx.payload = judged.payload
    if plan.spec.options.write_back and isinstance(before, list):
        before[:] = ctx.payload
        ctx.payload = before
