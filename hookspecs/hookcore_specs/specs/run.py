"""The points of a run."""

from __future__ import annotations

from typing import Any

from ..contexts import RunContext
from ..markers import hookspec
from ..points import Kind

__all__ = ["RunSpecs"]


class RunSpecs:
    """One execution of an agent, a crew or a flow, from its inputs to its end."""

    @hookspec(payload=dict, context=RunContext)
    def execution_start(self, ctx: RunContext) -> dict[str, Any] | None:
        """A run is about to start; it is the first that policies hear of it.

        The payload is the inputs dict, never ``None``. ``ctx.run_id`` is the run's id and
        ``ctx.parent_run_id`` that of the run which started it.

        Continue or edit the dict in place, or return another one. An abort refuses the run:
        nothing of it happens but ``run_finished``.

        Example::

            from hookcore import HookAborted, HookManager, RunContext, hookimpl

            class DailyQuota:
                left = 1

                @hookimpl(gate=True)
                def execution_start(self, ctx: RunContext):
                    if self.left <= 0:
                        raise HookAborted("the day's runs are used up", message="Try tomorrow.")
                    self.left -= 1

            manager = HookManager()
            manager.register(DailyQuota())
            with manager.run({"topic": "cats"}):
                pass
            try:
                with manager.run({"topic": "dogs"}):
                    pass
            except HookAborted as refused:
                answer = refused.message
            assert answer == "Try tomorrow."
        """

    @hookspec(payload=dict, context=RunContext)
    def input(self, ctx: RunContext) -> dict[str, Any] | None:
        """The inputs of a run are about to be used, after ``execution_start``.

        The payload is the inputs dict, never ``None``.

        Continue or edit the dict in place, or return another one, which the run uses. An abort
        ends the run before its body; ``execution_end`` and ``run_finished`` tell of it.

        Example::

            from hookcore import HookManager, RunContext, hookimpl

            class Strip:
                @hookimpl
                def input(self, ctx: RunContext):
                    return {key: value.strip() for key, value in ctx.payload.items()}

            manager = HookManager()
            manager.register(Strip())
            with manager.run({"topic": "  cats "}) as run:
                assert run.inputs == {"topic": "cats"}
        """

    @hookspec(context=RunContext)
    def pre_run(self, ctx: RunContext) -> Any:
        r"""The body of a run is about to begin.

        The payload is the input message, a text or the host's message object, or ``None``.

        Continue or edit the message in place, or return another one. An abort ends the run before
        its body; ``execution_end`` and ``run_finished`` tell of it.

        Example::

            from hookcore import HookManager, RunContext, hookimpl

            class Context:
                @hookimpl(agents=["support"])
                def pre_run(self, ctx: RunContext):
                    return f"{ctx.payload}\n\nThe customer's tenant: {ctx.attributes['tenant']}"

            manager = HookManager()
            manager.register(Context())
            tenant = {"tenant": "acme"}
            with manager.run(message="Help!", agent="support", attributes=tenant) as run:
                assert run.message.endswith("tenant: acme")
        """

    @hookspec(context=RunContext, after_body=True)
    def post_run(self, ctx: RunContext) -> Any:
        """The body of a run has ended or raised.

        The payload is its result; after an error it is ``None`` and ``ctx.error`` is the
        exception. It does not fire for a run that was denied before its body.

        Continue or edit the result in place, or return another one; after an error it takes the
        exception's place. An abort withholds the result: the run ends as denied.

        Example::

            from hookcore import HookManager, RunContext, hookimpl

            class Apology:
                @hookimpl
                def post_run(self, ctx: RunContext):
                    if isinstance(ctx.error, ConnectionError):
                        return "The service cannot be reached; please try again later."

            manager = HookManager()
            manager.register(Apology())
            with manager.run() as run:
                raise ConnectionError("host unreachable")
            assert run.result.startswith("The service cannot be reached")
        """

    @hookspec(context=RunContext)
    def output(self, ctx: RunContext) -> Any:
        r"""The output of a run is about to be handed out, after ``post_run``.

        The payload is the output object.

        Continue or edit the output in place, or return another one, which the caller gets. An
        abort withholds it: the run ends as denied.

        Example::

            import re
            from hookcore import HookManager, RunContext, hookimpl

            class Redact:
                @hookimpl
                def output(self, ctx: RunContext):
                    return re.sub(r"[\w.]+@[\w.]+", "[e-mail]", ctx.payload)

            manager = HookManager()
            manager.register(Redact())
            with manager.run() as run:
                run.result = "Write to ana@example.com."
            assert run.result == "Write to [e-mail]"
        """

    @hookspec(context=RunContext, ends_run=True)
    def execution_end(self, ctx: RunContext) -> Any:
        """A run ends: after ``output``, or because it failed or was cancelled.

        The payload is the output object, ``None`` without one. ``ctx.status`` is ``"completed"``,
        ``"failed"`` or ``"cancelled"`` and ``ctx.error`` the exception. What a plugin keeps in
        ``ctx.state`` is dropped once the run is over.

        Continue or edit the output in place, or return another one. An abort withholds the output
        of a completed run; of one that failed, the first error stays the one that is raised.

        Example::

            from hookcore import HookManager, RunContext, ToolCallContext, hookimpl

            class Cost:
                @hookimpl
                def pre_tool_call(self, ctx: ToolCallContext):
                    ctx.state["calls"] = ctx.state.get("calls", 0) + 1

                @hookimpl
                def execution_end(self, ctx: RunContext):
                    return {"answer": ctx.payload, "calls": ctx.state.get("calls", 0)}

            manager = HookManager()
            manager.register(Cost())
            with manager.run() as run:
                run.result = manager.call_tool("add", {"a": 1}, lambda given: given["a"] + 1)
            assert run.result == {"answer": 2, "calls": 1}
        """

    @hookspec(kind=Kind.OBSERVE, context=RunContext, ends_run=True)
    def run_finished(self, ctx: RunContext) -> None:
        """A run is over, whichever way; it fires exactly once for each run.

        The payload is the result, or ``None``. ``ctx.status`` is ``"ok"``, ``"error"``,
        ``"denied"`` or ``"cancelled"``, ``ctx.error`` the exception, and ``ctx.entered`` says
        whether the body began. Nothing can be changed or stopped here.

        Example::

            from hookcore import HookManager, RunContext, hookimpl

            class Trace:
                runs = []

                @hookimpl
                def run_finished(self, ctx: RunContext):
                    self.runs.append((ctx.run_id, ctx.parent_run_id, ctx.status))

            manager = HookManager()
            manager.register(Trace())
            with manager.run(run_id="crew"), manager.run(run_id="agent"):
                pass
            assert Trace.runs == [("agent", "crew", "ok"), ("crew", None, "ok")]
        """
