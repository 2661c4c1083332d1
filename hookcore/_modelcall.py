"""The boundary of a model call that does not stream."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from hookcore_specs import HookAborted, ModelCallContext

from ._boundary import Boundary, checked_on_denied, denied_value, status_of
from ._requests import Steps

if TYPE_CHECKING:
    from ._core import ManagerCore

__all__ = ["ModelCall"]


class ModelCall(Boundary):
    """One model call: pre settles before the body is entered, one end on every exit."""

    ctx: ModelCallContext

    def __init__(
        self,
        manager: ManagerCore,
        ctx: ModelCallContext,
        call: Callable[[list[Any]], Any],
        *,
        asynchronous: bool,
        on_denied: str = "raise",
    ) -> None:
        super().__init__(manager, ctx, asynchronous=asynchronous)
        self._returns_denial = checked_on_denied(on_denied)
        self._call = call

    def steps(self) -> Steps:
        """Run the call; return its response, or the denial where the host asked for it."""
        ctx = self.ctx
        failure: BaseException | None = None
        try:
            return (yield from self._run())
        except BaseException as error:
            failure = error
            if (
                self._returns_denial
                and isinstance(error, HookAborted)
                and error is not self.body_error
            ):
                return denied_value(error, str(ctx.point))
            raise
        finally:
            yield from self.finished(failure)

    def finished(self, failure: BaseException | None, *, waiting: bool = False) -> Steps:
        """Dispatch ``model_finished``; ``waiting`` says that even a closed call may wait."""
        ctx = self.ctx
        ctx.status = status_of(failure, self.body_error)
        ctx.settle(None)
        yield from self.ending("model_finished", None if waiting else failure)

    def _run(self) -> Steps:
        ctx = self.ctx
        try:
            response = yield from self.wrapped("pre_model_call", "wrap_model_call", self._body)
        except Exception as error:
            if error is not self.body_error:
                raise
            ctx.settle(None)
            ctx.error = error
        else:
            ctx.settle(response)
        yield from self.answered()
        return ctx.payload

    def answered(self) -> Steps:
        """Dispatch ``post_model_call``, and ``model_output`` with what the host goes on with."""
        ctx = self.ctx
        yield from self.dispatch("post_model_call")
        if ctx.error is not None:
            raise ctx.error
        yield from self.dispatch("model_output")

    def sending(self, messages: Any) -> Steps:
        """Dispatch ``model_input`` with the messages as they are sent."""
        ctx = self.ctx
        ctx.entered = True
        before, ctx.payload = ctx.payload, messages
        try:
            yield from self.dispatch("model_input")
        finally:
            ctx.payload = before

    def _body(self, messages: Any) -> Steps:
        yield from self.sending(messages)
        return (yield from self.call_body(self._call, messages))
