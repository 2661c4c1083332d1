"""The boundary of a model call that does not stream."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

from hookcore_specs import HookAborted, ModelCallContext

from ..dispatch.contexts import clone
from ..dispatch.plans import Plans
from ..waiting.requests import Steps
from .boundary import Boundary, checked_on_denied, denied_value
from .ids import new_call_id
from .iterators import refuse_stream

__all__ = ["ModelBoundary", "usage_of"]


class ModelBoundary(Boundary):
    """One model call: pre settles before the body is entered, one end on every exit."""

    ctx: ModelCallContext

    def __init__(
        self,
        plans: Plans,
        ctx: ModelCallContext,
        call: Callable[[list[Any]], Any],
        *,
        asynchronous: bool,
        on_denied: str = "raise",
    ) -> None:
        super().__init__(plans, ctx, asynchronous=asynchronous)
        self._returns_denial = checked_on_denied(on_denied)
        self._call = call
        if ctx.call_id is None:
            ctx.call_id = new_call_id()

    def steps(self) -> Steps:
        """Run the call; return its response, or the denial where the host asked for it."""
        ctx = self.ctx
        try:
            response = yield from self._run()
        except BaseException as error:
            point = str(ctx.point)
            yield from self.finished(error)
            if self._returns_denial and ctx.status == "denied":
                return denied_value(cast("HookAborted", error), point)
            raise
        yield from self.finished(ctx.error)  # an error that the host goes on after
        return response

    def finished(self, error: BaseException | None, *, waits: bool = False) -> Steps:
        """Dispatch ``model_finished``; ``waits`` says that even a closed call may wait."""
        ctx = self.ctx
        ctx.status = self.status(error)
        ctx.settle(None)
        yield from self.ending("model_finished", error, waits=waits)

    def _run(self) -> Steps:
        yield from self.called(self.ctx, "pre_model_call", "wrap_model_call", self._body)
        return (yield from self.used())

    def used(self) -> Steps:
        """Dispatch ``post_model_call``, and ``model_output`` with what the host goes on with."""
        response = yield from self.answered("post_model_call")
        return (yield from self.told(response))

    def told(self, response: Any) -> Steps:
        """Dispatch ``model_output`` with what the host goes on with; return that."""
        if self.plans.live["model_output"] is not None:
            yield from self.dispatch("model_output", clone(self.ctx, response))
        return response

    def sending(self, messages: Any) -> Steps:
        """Dispatch ``model_input`` with the messages as they are sent."""
        if self.plans.live["model_input"] is not None:
            # On a context of its own: who holds the call's cannot reach what is sent.
            yield from self.dispatch("model_input", clone(self.ctx, messages))
        self.ctx.entered = True

    def _body(self, messages: Any) -> Steps:
        yield from self.sending(messages)
        response = yield from self.call_body(self._call, messages)
        yield from refuse_stream(response, asynchronous=self.asynchronous)
        if self.ctx.usage is None:
            self.ctx.usage = usage_of(response)
        return response


def usage_of(response: Any) -> Any:
    """Return the token counts that a response carries, None when it carries none.

    The names are those of OpenAI's and Anthropic's responses (``usage``), of Google's
    (``usage_metadata``) and of LangChain's messages (``usage_metadata``).
    """
    for name in ("usage", "usage_metadata"):
        usage = response.get(name) if isinstance(response, dict) else getattr(response, name, None)
        if usage is not None and not callable(usage):
            return usage
    return None
