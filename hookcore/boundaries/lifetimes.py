"""The boundaries that are ``with`` blocks: runs, turns and steps."""

from __future__ import annotations

from types import TracebackType
from typing import TYPE_CHECKING, Any, ClassVar

from hookcore_specs import RunContext, StepContext, TurnContext
from hookcore_specs.contexts import EndingContext

from ..dispatch.current import CURRENT, Current
from ..dispatch.plans import Plans
from ..waiting.requests import Steps, adrive
from .boundary import Boundary
from .ids import new_run_id

if TYPE_CHECKING:
    from contextvars import Token

    from typing_extensions import Self


__all__ = ["Lifetime", "RunBoundary", "StepBoundary", "TurnBoundary"]


class Lifetime(Boundary):
    """A boundary whose body is a ``with`` or ``async with`` block."""

    ctx: EndingContext
    pre = ""
    post = ""
    finished = ""
    before: ClassVar[tuple[str, ...]] = ()
    """The points that are dispatched before the body."""
    after: ClassVar[tuple[str, ...]] = ()
    """The points that are dispatched after a body that did not fail."""
    tells_result = False
    """True when the end carries what the body gave."""

    def __init__(self, plans: Plans, ctx: EndingContext) -> None:
        super().__init__(plans, ctx, asynchronous=False)
        self._value: Any = None

    def __init_subclass__(cls) -> None:
        cls.before, cls.after = (*cls.before, cls.pre), (*cls.after, cls.post, cls.finished)

    def __enter__(self) -> Self:
        if not self._enter_unheard():
            self.services.drive(self._entering())
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        tb: TracebackType | None,
    ) -> bool:
        if error is None and self._leave_unheard():
            return False
        return bool(self.services.drive(self._leaving(error)))

    async def __aenter__(self) -> Self:
        self.asynchronous = True
        if not self._enter_unheard():
            await adrive(self._entering())
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        tb: TracebackType | None,
    ) -> bool:
        if error is None and self._leave_unheard():
            return False
        return bool(await adrive(self._leaving(error)))

    # Where no hook listens, the steps come to these few lines, at a third of the price.

    def _enter_unheard(self) -> bool:
        """Begin a boundary that no hook hears of; say whether it was one."""
        live = self.plans.live
        for point in self.before:
            if live[point] is not None:
                return False
        self.opened()
        self.ctx.entered = True
        return True

    def _leave_unheard(self) -> bool:
        """End a boundary that went well and that no hook hears of; say whether it was one."""
        live = self.plans.live
        for point in self.after:
            if live[point] is not None:
                return False
        ctx = self.ctx
        ctx.status, ctx.error = "ok", None
        ctx.payload = self._value if self.tells_result else None
        self.closed()
        return True

    def opened(self) -> None:
        """Set up what the body finds."""

    def closed(self) -> None:
        """Take down what :meth:`opened` set up."""

    def _entering(self) -> Steps:
        try:
            yield from self.begin()
        except BaseException as error:
            yield from self._finish(error)
            raise
        self.ctx.entered = True

    def _leaving(self, error: BaseException | None) -> Steps:
        """Dispatch the end; return whether a hook turned the body's error into a value."""
        self.body_error = error
        try:
            yield from self._judge_value(error)
            yield from self.complete()
        except BaseException as failure:
            yield from self._finish(failure)
            if failure is error:
                return False
            raise
        yield from self._finish(None)
        return error is not None

    def _judge_value(self, error: BaseException | None) -> Steps:
        if error is not None and not self.looks_at(error):
            raise error
        self.ctx.error = error
        self.ctx.payload = None if error is not None else self._value
        self._value = yield from self.answered(self.post)

    def begin(self) -> Steps:
        """Dispatch what comes before the body."""
        yield from self.settled(self.pre)

    def complete(self) -> Steps:
        """Dispatch what comes after a body that gave a value."""
        yield from ()

    def _finish(self, error: BaseException | None) -> Steps:
        self.ctx.status = self.status(error)
        self.ctx.error = error
        self.ctx.payload = self._value if error is None and self.tells_result else None
        yield from self.ending(self.finished, error)


class TurnBoundary(Lifetime):
    """A turn in progress: set ``opening`` to the assistant message that opened it."""

    pre, post, finished = "pre_turn", "post_turn", "turn_finished"

    def __init__(self, plans: Plans, messages: list[Any], **fields: Any) -> None:
        super().__init__(plans, TurnContext(payload=messages, **fields))
        self._messages = messages

    @property
    def messages(self) -> list[Any]:
        """The turn's messages, as the hooks left them."""
        return self._messages

    def begin(self) -> Steps:
        """Dispatch what comes before the body."""
        self._messages = yield from self.settled(self.pre)

    @property
    def opening(self) -> Any:
        """The assistant message that opened the turn; after the block, as the hooks left it."""
        return self._value

    @opening.setter
    def opening(self, message: Any) -> None:
        self._value = message


class StepBoundary(Lifetime):
    """A step in progress: read ``input``, set ``output``."""

    pre, post, finished = "pre_step", "post_step", "step_finished"

    def __init__(self, plans: Plans, step_input: Any, **fields: Any) -> None:
        super().__init__(plans, StepContext(payload=step_input, **fields))
        self.input = step_input

    def begin(self) -> Steps:
        """Dispatch what comes before the body."""
        self.input = yield from self.settled(self.pre)

    @property
    def output(self) -> Any:
        """The step's output; after the block, as the hooks left it."""
        return self._value

    @output.setter
    def output(self, value: Any) -> None:
        self._value = value


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
