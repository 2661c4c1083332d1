"""The payloads at the ends of runs, turns and steps."""

from __future__ import annotations

from typing import Any

from hookcore import HookManager, RunContext, StepContext, TurnContext, hookimpl


class Ends:
    def __init__(self) -> None:
        self.payloads: dict[str, Any] = {}

    @hookimpl
    def run_finished(self, ctx: RunContext) -> None:
        self.payloads["run"] = ctx.payload

    @hookimpl
    def turn_finished(self, ctx: TurnContext) -> None:
        self.payloads["turn"] = ctx.payload

    @hookimpl
    def step_finished(self, ctx: StepContext) -> None:
        self.payloads["step"] = ctx.payload


def test_only_a_run_ends_with_its_result() -> None:
    ends = Ends()
    manager = HookManager()
    manager.register(ends)
    with manager.run({}) as run:
        with manager.turn([]) as turn:
            turn.opening = "opening"
        with manager.step("in") as step:
            step.output = "out"
        run.result = "result"
    assert ends.payloads == {"run": "result", "turn": None, "step": None}
