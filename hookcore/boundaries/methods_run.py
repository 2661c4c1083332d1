"""The methods that begin runs, turns and steps."""

from __future__ import annotations

from typing import Any

from hookcore_specs import RunContext, StepContext, TurnContext

from ..dispatch.current import current_run
from ..dispatch.plans import Plans
from .fields import explained
from .lifetimes import StepBoundary, TurnBoundary
from .run import RunBoundary

__all__ = ["RunMethods"]


class RunMethods:
    """Runs, turns and steps."""

    _plans: Plans

    def run(
        self, inputs: dict[str, Any] | None = None, *, message: Any = None, **fields: Any
    ) -> RunBoundary:
        """Return a run, for ``with`` or ``async with``.

        Args:
            inputs: the inputs dict.
            message: the input message; or a function of the inputs, as the hooks left them, that
                gives it.
            fields: fields of the context (``agent``, ``run_id``, ``session_id``, ...).

        The block sets ``run.result``. It raises HookAborted, on entry or exit, when a policy
        denies the run or its output.
        """
        current = current_run()
        own, parent = fields.get("run_id"), fields.get("parent_run_id", current.run_id)
        filled = current.fill(fields)
        # A sub-run has an id of its own, and the run around it as its parent.
        filled["run_id"] = own
        filled["parent_run_id"] = parent
        try:
            return RunBoundary(self._plans, {} if inputs is None else inputs, message, **filled)
        except TypeError as error:
            raise explained(error, "run", RunContext, fields) from None

    def turn(self, messages: list[Any] | None = None, **fields: Any) -> TurnBoundary:
        """Return a turn, for ``with`` or ``async with``; the block sets ``turn.opening``.

        Args:
            messages: the turn's messages.
            fields: fields of the context (``index``, ``agent``, ...).
        """
        filled = current_run().fill(fields)
        try:
            return TurnBoundary(self._plans, [] if messages is None else messages, **filled)
        except TypeError as error:
            raise explained(error, "turn", TurnContext, fields) from None

    def step(self, step_input: Any = None, **fields: Any) -> StepBoundary:
        """Return a step, for ``with`` or ``async with``; the block sets ``step.output``.

        Args:
            step_input: the step's input.
            fields: fields of the context (``kind``, ``step_name``, ``agent``, ...).
        """
        try:
            return StepBoundary(self._plans, step_input, **current_run().fill(fields))
        except TypeError as error:
            raise explained(error, "step", StepContext, fields) from None
