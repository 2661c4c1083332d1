"""Large payloads: a megabyte of rows before a gate, a megabyte of text under a watched hook."""

from __future__ import annotations

from typing import Any

from hookcore import HookManager, ToolCallContext, hookimpl
from hookcore.hooks.options import OperatorOptions

from .clocks import CLOCK
from .dispatching import statement
from .race import Burst, Claim, lasting

__all__ = ["claims", "contestants"]

POINT = "post_tool_call"
ROWS = 12_000
TEXT = 1_000_000


class Gate:
    """A gate that lets every result pass."""

    @hookimpl(gate=True)
    def post_tool_call(self, ctx: Any) -> None:
        """Let pass."""


class NoOp:
    """A hook that does nothing."""

    @hookimpl
    def post_tool_call(self, ctx: Any) -> None:
        """Continue."""


def _dispatched(manager: HookManager, result: Any) -> Burst:
    ctx = ToolCallContext(tool_name="query", tool_input={}, tool_result=result)
    return statement(
        "dispatch(point, ctx)", clock=CLOCK, dispatch=manager.dispatch, point=POINT, ctx=ctx
    )


def _with(plugin: object, **options: Any) -> HookManager:
    manager = HookManager(**options)
    manager.register(plugin)
    return manager


def _monitored() -> HookManager:
    manager = HookManager()
    manager.register_configured(NoOp(), "no-op", operator=OperatorOptions(mode="monitor"))
    return manager


def contestants() -> dict[str, Burst]:
    """Return the bursts by name."""
    rows = [
        {"id": number, "name": f"customer {number:06d}", "city": "Springfield", "open": True}
        for number in range(ROWS)
    ]
    text = "word " * (TEXT // 5)
    return {
        "a gate on 1 MB of rows": _dispatched(_with(Gate()), rows),
        "a tracked hook on a text of 1 MB": _dispatched(_with(NoOp(), track_mutations=True), text),
        "a monitored hook on a text of 1 MB": _dispatched(_monitored(), text),
    }


def claims() -> list[Claim]:
    """Return what is claimed of these contestants."""
    return [
        lasting("a gate on 1 MB of rows", 15.0, "ms"),
        lasting("a tracked hook on a text of 1 MB", 0.1, "ms"),
        lasting("a monitored hook on a text of 1 MB", 0.1, "ms"),
    ]
