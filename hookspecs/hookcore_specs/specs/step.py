"""The points of a step."""

from __future__ import annotations

from typing import Any

from ..contexts import StepContext
from ..markers import hookspec
from ..points import Kind

__all__ = ["StepSpecs"]


class StepSpecs:
    """One task of a crew, or one method of a flow (``ctx.kind``, ``ctx.step_name``)."""

    @hookspec(context=StepContext)
    def pre_step(self, ctx: StepContext) -> Any:
        """A step is about to begin.

        The payload is its input; ``ctx.kind`` is ``"task"`` or ``"flow_method"`` and
        ``ctx.step_name`` its name.

        Continue or edit the input in place, or return another one. An abort stops the step before
        its body runs; ``step_finished`` tells of it.

        Example::

            from hookcore import HookManager, StepContext, hookimpl

            class Defaults:
                @hookimpl
                def pre_step(self, ctx: StepContext):
                    if ctx.step_name == "search":
                        return {"limit": 10, **ctx.payload}

            manager = HookManager()
            manager.register(Defaults())
            with manager.step({"query": "cats"}, kind="task", step_name="search") as step:
                assert step.input == {"limit": 10, "query": "cats"}
        """

    @hookspec(context=StepContext, after_body=True)
    def post_step(self, ctx: StepContext) -> Any:
        """A step's body has ended or raised.

        The payload is its output; after an error it is ``None`` and ``ctx.error`` is the
        exception. It does not fire for a step that was denied at its start.

        Continue or edit the output in place, or return another one; after an error it takes the
        exception's place. An abort withholds the output: the step ends as denied.

        Example::

            from hookcore import HookAborted, HookManager, StepContext, hookimpl

            class Guardrail:
                @hookimpl(gate=True)
                def post_step(self, ctx: StepContext):
                    if ctx.error is None and not str(ctx.payload).strip():
                        raise HookAborted(f"{ctx.step_name} gave an empty answer")

            manager = HookManager()
            manager.register(Guardrail())
            try:
                with manager.step(kind="task", step_name="summary") as step:
                    step.output = " "
            except HookAborted as denial:
                told = denial.reason
            assert told == "summary gave an empty answer"
        """

    @hookspec(kind=Kind.OBSERVE, context=StepContext)
    def step_finished(self, ctx: StepContext) -> None:
        """A step is over, whichever way; it fires exactly once for each step.

        ``ctx.status`` is ``"ok"``, ``"error"``, ``"denied"`` or ``"cancelled"``; ``ctx.entered``
        says whether its body began. Nothing can be changed or stopped here.

        Example::

            from hookcore import HookManager, StepContext, hookimpl

            class Progress:
                done = []

                @hookimpl
                def step_finished(self, ctx: StepContext):
                    self.done.append(f"{ctx.step_name}: {ctx.status}")

            manager = HookManager()
            manager.register(Progress())
            with manager.step(kind="flow_method", step_name="fetch"):
                pass
            assert Progress.done == ["fetch: ok"]
        """
