"""The boundary of a model call that streams its response."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from hookcore_specs import ModelCallContext

from ..dispatch.carrying import StartedIn
from ..dispatch.copying import Snapshot, copy_payload
from ..dispatch.plan import Chain, Plan
from ..dispatch.plans import Plans
from ..streaming import DEFAULT_CODEC, StreamCodec
from ..streams.judges import Judges
from ..streams.release import Release
from ..waiting.requests import Steps
from . import inside
from .inside import MARK
from .judging import Judging
from .model import ModelBoundary, usage_of

__all__ = ["ModelStream"]

_PRE, _WRAP, _POST = "pre_model_call", "wrap_model_call", "post_model_call"


class ModelStream(ModelBoundary):
    """One streamed model call: what a policy must judge as a whole leaves only after that.

    Everything but the pulling of events is written here once, as steps. It has to be made where the
    stream is started; it may be consumed anywhere.
    """

    def __init__(
        self,
        plans: Plans,
        ctx: ModelCallContext,
        call: Callable[[list[Any]], Any],
        codec: StreamCodec | None,
        *,
        asynchronous: bool,
    ) -> None:
        super().__init__(plans, ctx, call, asynchronous=asynchronous)
        self._codec = DEFAULT_CODEC if codec is None else codec
        ctx.streamed = True
        self._started_in = StartedIn(plans.scopes)
        #: What is to be done while the body runs, and when it fails.
        self._around: dict[str, Any] = {"failed": self.fails, "mark": (MARK, self)}
        self._judges: Judges | None = None
        self.buffers = False
        self.release: Release

    @property
    def is_idle(self) -> bool:
        """True when no hook, not even a scoped one, can see this call."""
        live, wraps = self.plans.live, self.plans.wraps
        points = (_PRE, "model_input", _POST, "model_output", "model_finished")
        return wraps[_WRAP] is None and all(live[point] is None for point in points)

    def begun(self) -> Steps:
        """Settle what is to be sent, and find the hooks of the response."""
        plans, ctx = self.plans, self.ctx
        judged = yield from self.judge(_PRE, ctx)
        asynchronous = self.asynchronous
        self._judging = Judging(plans, _PRE, ctx, judged, asynchronous=asynchronous)
        plan = plans.live[_POST]
        chain = plans.resolve(plan, ctx)
        if plan is not None and chain is not None:
            self._judges = Judges(self.services, plan, chain, ctx, asynchronous=asynchronous)
            self.buffers = self._judges.buffers
        points = ("model_output", "model_finished")
        told = self._judges is not None or any(plans.live[point] is not None for point in points)
        self.release = Release(self._codec, self._judges, passes=not told)

    def wraps(self) -> tuple[Plan, Chain] | None:
        """Return the hooks that stand around the stream, None where there are none."""
        plan = self.plans.wraps[_WRAP]
        chain = self.plans.resolve(plan, self.ctx)
        return None if plan is None or chain is None else (plan, chain)

    def sent(self, payload: Any, *, wrapped: bool) -> Steps:
        """Let the gates judge what is sent, tell of it, and return it."""
        messages = yield from self._judging.judged_again(payload, wrapped=wrapped)
        yield from self.sending(messages)
        return messages

    def fails(self, error: BaseException) -> None:
        """Note an error of the model's own."""
        self.body_error = error

    def leaving(self) -> list[Any]:
        """Return the events that may leave now."""
        return [] if self.buffers else self.release.taken()

    def ended(self, problem: BaseException | None) -> Steps:
        """Judge what has to be judged whole; return the last events that may leave.

        Args:
            problem: the model's own error, if it raised one.
        """
        steps = self.release.end(calls=problem is None)
        if steps is not None:
            yield from steps
        if not self.buffers:
            return self.release.taken()
        held = self.release.taken()
        response = self._settled(held, problem)
        before = Snapshot(response)
        used = yield from self._used()
        unchanged = problem is None and before.tells and before.is_of(used)
        return held if unchanged else list(self._codec.events(used, held))

    def _used(self) -> Steps:
        judges = self._judges
        if judges is None or not judges.has_unread:
            return (yield from self.used())
        self._judges = None
        ctx = self.ctx
        judged = yield from judges.judge()
        if judged is not None:
            ctx.error = judged.error
        if ctx.error is not None:
            raise ctx.error
        return (yield from self.told(ctx.payload if judged is None else judged.payload))

    def over(self, problem: BaseException | None) -> Steps:
        """Tell those who are told afterwards of what has left; raise the model's own error."""
        if self.buffers:
            return
        if self.release.sent is not None or problem is not None:
            self._settled(self.release.sent or (), problem)
            judges, self._judges = self._judges, None
            if judges is not None:
                yield from judges.tell()
        if problem is not None:
            raise problem
        yield from self.dispatch("model_output")

    def closed(self, failure: BaseException | None) -> Steps:
        """Tell of the stream's one end."""
        inside.end(self)
        try:
            if self._judges is not None and failure is not None:
                yield from self._judges.end(failure)
        finally:
            yield from self.finished(failure, waits=True)

    def _settled(self, events: Sequence[Any], problem: BaseException | None) -> Any:
        response = None if problem is not None else self._codec.assemble(events)
        if any(event is response for event in events):
            response = copy_payload(response)  # what is held is nobody's to edit
        if self.ctx.usage is None:
            self.ctx.usage = getattr(response, "usage", None)
        self.ctx.settle(response)
        self.ctx.error = problem
        if self.ctx.usage is None:
            self.ctx.usage = usage_of(response)
        return response
