"""Hooks around streams: what plain and async iterators have in common."""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import Any

from hookcore_specs import HookContext
from hookcore_specs._runtime import HOOK

from ..dispatch.answers import log_failure
from ..dispatch.carrying import UNSET, StartedIn
from ..dispatch.plan import Chain, Plan
from ..dispatch.plans import Plans
from ..dispatch.stepping import Variable
from ..errors import describe_failure
from ..hooks.hook import Hook
from ..wraps.onion import HookLayer, Onion, answered

__all__ = ["StreamHookLayer", "StreamOnion"]


class StreamOnion(Onion):
    """One run of a streaming operation through the hooks of a wrap point.

    It has to be made where the stream is started; it may be consumed anywhere.

    Args:
        plans: the plans in force.
        plan: the plan of the point.
        chain: the hooks for the context's agent.
        ctx: the context; its payload is the request.
        call: gives an iterator of events.
        failed: is told what that iterator raises.
        mark: a context variable, and the value that it has while that iterator runs.
    """

    def __init__(
        self,
        plans: Plans,
        plan: Plan,
        chain: Chain,
        ctx: HookContext,
        call: Callable[[Any], Any],
        *,
        failed: Callable[[BaseException], object] | None = None,
        mark: Variable | None = None,
    ) -> None:
        super().__init__(plans, plan, chain, ctx, call)
        self._options: dict[str, Any] = {"failed": failed, "mark": mark}
        self._started_in = StartedIn(plans.scopes)


class StreamHookLayer(HookLayer):
    """One hook around the streams inside it.

    Args:
        run: the run of the whole operation.
        hook: the hook.
        index: its place in the chain.
        started_in: where the layer starts.
    """

    def __init__(self, run: Onion, hook: Hook, index: int, started_in: StartedIn) -> None:
        super().__init__(run, hook)
        self._index = index
        self._outside = started_in
        self._frame = run.frame(hook)
        self._started_in = started_in.fork(self._frame)
        self._inside: Any = None
        self._exhausted = False
        self._is_over = False

    def stands(self) -> bool:
        """Return whether the stream amounts to something without the hook: what is left of it."""
        streaming = self._inside is not None and self.inner.error is None
        return streaming or super().stands()

    def ended(self) -> None:
        """Record a hook that came to its end; raise a signal that it must not have swallowed."""
        if self.inner.signal is not None:
            raise self.inner.signal
        self.done(changed=self.changed_events() or self.changed(UNSET))

    def changed_events(self) -> bool:
        """Return whether other events leave than those that came."""
        return not self._exhausted

    def failed_at_the_end(self, error: BaseException) -> None:
        """Record what a hook raised while its reader was leaving."""
        hook, records = self.hook, self.run.records
        effect = None if hook.monitor else "ignored"
        failure = describe_failure(error)
        records.note(hook, "error", self.started, failure=failure, effect=effect)
        log_failure(hook, error, "the stream was being closed")

    def over(self) -> None:
        """Note that the hook is out of the stream."""
        self._is_over = True
        self.run.ctx.payload = self.payload
        self._frame[HOOK] = None  # it may have left tasks behind

    def short_circuit(self, passed: Any) -> Any:
        """Return the events that a generator gave in the place of the operation's.

        Raises:
            RuntimeError: it gave none, and has no yield.
        """
        if passed is None:
            raise RuntimeError(f"{self.hook.label} ended without a yield")
        return answered(self.hook, passed)

    def check_end(self, generator: Generator[Any, Any, Any], left: tuple[bool, Any]) -> None:
        """Check how a generator around a stream ended.

        Args:
            generator: the generator.
            left: whether it has ended, and what it yielded or returned.

        Raises:
            RuntimeError: it has a second yield.
            TypeError: it returned something, which could not leave any more.
        """
        done, value = left
        if not done:
            generator.close()
            raise RuntimeError(f"{self.hook.label} has a second yield")
        if value is not None:
            answered(self.hook, value)  # an abort still counts
            raise TypeError(
                f"{self.hook.label} stands around a stream, which has passed: it returns None"
            )
