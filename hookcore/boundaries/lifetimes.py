"""The boundaries that are ``with`` blocks: what they share, turns and steps."""

from __future__ import annotations

from types import TracebackType
from typing import TYPE_CHECKING, Any, ClassVar

from hookcore_specs import StepContext, TurnContext
from hookcore_specs.contexts import EndingContext

from ..dispatch.plans import Plans
from ..waiting.requests import Steps, adrive
from .boundary import Boundary

if TYPE_CHECKING:
    from typing_extensions import Self


__all__ = ["Lifetime", "StepBoundary", "TurnBoundary"]


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
