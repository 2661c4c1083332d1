"""Gates in monitor mode at a boundary."""

from __future__ import annotations

from typing import Any

from hookcore import HookDispatchedEvent, HookManager, ToolCallContext, hookimpl
from hookcore.testing import register_configured


class Gate:
    def __init__(self) -> None:
        self.judged: list[Any] = []

    @hookimpl(gate=True)
    def pre_tool_call(self, ctx: ToolCallContext) -> None:
        self.judged.append(ctx.payload)


class Rewriting:
    @hookimpl
    def wrap_tool_call(self, ctx: ToolCallContext, call_next: Any) -> Any:
        yield {"a": 2}


def monitored(gate: Gate) -> tuple[HookManager, list[HookDispatchedEvent]]:
    manager = HookManager()
    register_configured(manager, gate, "gate", mode="monitor")
    events: list[HookDispatchedEvent] = []
    manager.subscribe(events.append)
    return manager, events


def test_a_monitored_gate_is_asked_once_about_one_call() -> None:
    gate = Gate()
    manager, events = monitored(gate)
    manager.call_tool("t", {"a": 1}, lambda given: given)
    assert gate.judged == [{"a": 1}]
    assert len(events) == 1


def test_a_monitored_gate_is_asked_again_when_a_wrap_passes_on_something_else() -> None:
    gate = Gate()
    manager, _ = monitored(gate)
    manager.register(Rewriting())
    assert manager.call_tool("t", {"a": 1}, lambda given: given) == {"a": 2}
    assert gate.judged == [{"a": 1}, {"a": 2}]
