"""The boundary of a run, in which all others of an agent's work lie."""

from __future__ import annotations

from contextvars import Token
from typing import Any

from hookcore_specs import RunContext

from ..dispatch.current import CURRENT, Current
from ..dispatch.plans import Plans
from ..waiting.requests import Steps
from .ids import new_run_id
from .lifetimes import Lifetime

__all__ = ["RunBoundary"]


class RunBoundary(Lifetime):
    """A run in progress: read ``inputs`` and ``message``, set ``result``.

    Boundaries in the block take the run's ids, agent and attributes; runs in it are its sub-runs.
    """

    before, after = ("execution_start", "input"), ("output", "execution_end")
    pre, post, finished = "pre_run", "post_run", "run_finished"
    tells_result = True

    def __init__(self, plans: Plans, inputs: dict[str, Any], message: Any, **fields: Any) -> None:
        fields["run_id"] = fields.get("run_id") or new_run_id()
        super().__init__(plans, RunContext(payload=inputs, **fields))
        self.inputs = inputs
        self.message = message
        self._started = False
        self._token: Token[Current | None] | None = None

    @property
    def run_id(self) -> str:
        """The run's id."""
        return str(self.ctx.run_id)

    @property
    def result(self) -> Any:
        """The run's result; after the block, the output as the hooks left it."""
        return self._value

    @result.setter
    def result(self, value: Any) -> None:
        self._value = value

    def opened(self) -> None:
        """Make the run the one that the body is in."""
        ctx = self.ctx
        self.services.states.open(self.run_id)
        self._token = CURRENT.set(
            Current(
                ctx.run_id,
                ctx.parent_run_id,
                ctx.session_id,
                ctx.agent,
                ctx.dry_run,
                ctx.attributes,
            )
        )

    def closed(self) -> None:
        """Leave the run."""
        self.services.states.close(self.run_id)
        if self._token is not None:
            _reset(self._token)

    def _enter_unheard(self) -> bool:
        # A function that gives the message may fail, and then the run has an end to tell of.
        if callable(self.message) or not super()._enter_unheard():
            return False
        self._started = True
        self.ctx.payload = self.message
        return True

    def begin(self) -> Steps:
        """Open the run and dispatch what comes before its body."""
        ctx = self.ctx
        self.opened()
        live = self.plans.live
        if live["execution_start"] is not None:
            yield from self.dispatch("execution_start")
        self._started = True
        if live["input"] is not None:
            self.inputs = yield from self.settled("input")
        else:
            self.inputs = ctx.payload
        ctx.payload = self.message(self.inputs) if callable(self.message) else self.message
        if live[self.pre] is not None:
            self.message = yield from self.settled(self.pre)
        else:
            self.message = ctx.payload

    def complete(self) -> Steps:
        """Dispatch the output and the run's end."""
        live = self.plans.live
        self.ctx.payload = self._value
        if live["output"] is not None:
            self._value = yield from self.settled("output")
            self.ctx.payload = self._value
        self.ctx.status = "completed"
        self._started = False  # its end is told here, and again nowhere
        if live["execution_end"] is not None:
            self._value = yield from self.settled("execution_end")

    def _finish(self, error: BaseException | None) -> Steps:
        try:
            try:
                if error is not None and self._started:
                    yield from self._tell_failure(error)
            except BaseException as worse:
                error = worse
                raise
            finally:
                yield from super()._finish(error)
        finally:
            self.closed()

    def _tell_failure(self, error: BaseException) -> Steps:
        ctx = self.ctx
        ctx.error, ctx.payload = error, None
        ctx.status = "cancelled" if self.status(error) == "cancelled" else "failed"
        yield from self.ending("execution_end", error)


def _reset(token: Token[Current | None]) -> None:
    try:  # noqa: SIM105 - suppress() costs as much as the rest of an end that nobody hears of
        CURRENT.reset(token)
    except ValueError:
        pass  # the block ends in another context than it began in
