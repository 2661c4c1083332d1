"""The hooks of a streamed response: those that see it pass, and those who are told of it."""

from __future__ import annotations

from time import perf_counter
from typing import Any

from hookcore_specs import HookAborted, HookRecord, ModelCallContext, ModelResponse, ToolCall
from hookcore_specs._runtime import ACTIVE, HOOK, PARENT, STATES, leave

from ..dispatch.attempt import Attempt
from ..dispatch.contexts import clone
from ..dispatch.engine import LISTENER, Dispatch, running_hooks
from ..dispatch.plan import Chain, Plan
from ..dispatch.records import Records, make_event
from ..dispatch.services import Services
from ..dispatch.stops import note_failure
from ..errors import UnreadableEventError
from ..hooks.hook import Hook
from ..later import logger
from ..waiting.requests import Steps
from .windows import Windows

__all__ = ["Judges", "must_buffer"]

_WORST = ("skipped", "allow", "modify", "timeout", "error", "deny")


def must_buffer(hook: Hook) -> bool:
    """Return whether nothing of a streamed response may leave before the hook has judged it all."""
    return hook.stream == "buffer" and not hook.monitor


class Judges:
    """All hooks that one streamed response is shown to: one dispatch, however long it is.

    It has to be made where the stream was started.

    Args:
        services: what the manager's parts share.
        plan: the plan of the point.
        chain: the hooks for the context's agent.
        ctx: the context.
        asynchronous: whether the host awaits.
    """

    def __init__(
        self,
        services: Services,
        plan: Plan,
        chain: Chain,
        ctx: ModelCallContext,
        *,
        asynchronous: bool,
    ) -> None:
        self._ctx = ctx
        self._chain = chain
        hooks = (*chain.hooks, *chain.gates)
        #: Whether one of them has to judge the whole response before any of it leaves.
        self.buffers = any(map(must_buffer, hooks))
        seeing = [] if self.buffers else [hook for hook in chain.hooks if _sees(hook)]
        self._told = Chain(tuple(hook.monitored() for hook in hooks if hook not in seeing))
        self._records = records = _OneOfEach(tracked=services.tracks_mutations)
        self._dispatch = Dispatch(
            services, plan, Chain(tuple(seeing)), ctx, asynchronous=asynchronous, records=records
        )
        #: Whether what the hooks do to payloads has to be told.
        self._is_watched = services.tracks_mutations or services.tracer is not None
        #: What hooks returned, and the text that they were given, until it is settled.
        self._answers: dict[Hook, tuple[Any, Any]] = {}
        seeing = [hook for hook in seeing if not self._dispatch.passes_over(hook)]
        self._seeing = seeing
        self._views: dict[Hook, ModelCallContext] = {}
        self._silent = LISTENER in running_hooks()
        self._has_unread = False

    @property
    def windows(self) -> list[Hook]:
        """The hooks that see the response while it passes, in order."""
        return self._seeing

    def text_windows(self) -> Windows:
        """Return windows of all these hooks over one more text."""
        return Windows(self._seeing, self)

    def ask(self, hook: Hook, text: str) -> ModelCallContext | None:
        """Call a hook with some text at once; return its context, None where it takes steps.

        A hook that has nothing to say, which is most of the time, costs little more than its call.
        """
        dispatch, services = self._dispatch, self._dispatch.services
        if not hook.plain or hook.dialect is not None or self._is_watched:
            return None
        view, started = self._view_of(hook, text), perf_counter()
        outside = dispatch.frame
        dispatch.frame = frame = [outside[PARENT], hook, services, outside[STATES]]
        token = ACTIVE.set(frame)
        try:
            result = hook.call(view)
        except BaseException as error:  # noqa: BLE001 - the attempt raises what ends the dispatch
            attempt = Attempt(services, dispatch.records, hook, view)
            attempt.started, attempt.before = started, text
            attempt.ended(error)
            return view
        finally:
            frame[HOOK] = None
            leave(token)
        states = frame[STATES]
        if result is None and view.payload is text and (states is None or not states.asked):
            self._records.note_again(hook, started)
            return view
        self._answers[hook] = (result, text)
        return None

    def show(self, hook: Hook, payload: Any, wanted: type) -> Steps:
        """Call a hook with a piece of the response; return its context."""
        given = self._answers.pop(hook, None)
        view = self._view_of(hook, payload) if given is None else self._views[hook]
        token = ACTIVE.set(self._dispatch.frame)
        try:
            yield from self._dispatch.call(hook, view, given=given, wanted=wanted)
        finally:
            leave(token)
        return view

    def _view_of(self, hook: Hook, payload: Any) -> ModelCallContext:
        view = self._views.get(hook)
        if view is None:
            view = self._views[hook] = clone(self._ctx, self._ctx.payload)
            view.point = self._dispatch.plan.label
            view.settle(payload)
        view.payload, view.hold, view.error = payload, None, None
        return view

    def call(self, call: ToolCall) -> Steps:
        """Show a whole tool call to the window hooks; return it as they let it through.

        Raises:
            HookAborted: a hook withholds it, or made another thing of it than a call.
        """
        for hook in self._seeing:
            shown = ModelResponse("", [call])
            view = yield from self.show(hook, shown, ModelResponse)
            response = view.payload
            if response.content or len(response.tool_calls) != 1:
                self._dispatch.records.note(hook, "deny", perf_counter())
                raise HookAborted(
                    f"{hook.label} was given one tool call of a stream and answered with other "
                    "than one: raise HookAborted to withhold it",
                    source=hook.plugin,
                )
            [call] = response.tool_calls
        return call

    # What no codec can read

    def unread(self, event: Any) -> None:
        """Note an event that nobody can read: a failure of each hook that has to judge it.

        Raises:
            HookAborted: a hook denies what it cannot see.
            UnreadableEventError: a hook's failures are the host's to see.
        """
        if self._has_unread:
            return  # what that means has been said
        self._has_unread = True
        kind = f"{type(event).__module__}.{type(event).__qualname__}"
        error = UnreadableEventError(
            f"no codec can read a stream event of the type {kind}: give the boundary a codec="
        )
        dispatch, ended = self._dispatch, None
        for hook in (*self._chain.hooks, *self._chain.gates):
            if dispatch.passes_over(hook):
                continue
            judges = not hook.monitor and hook.stream != "observe"
            ignored = hook.on_error == "allow" or not judges
            dispatch.records.note(
                hook,
                "error",
                dispatch.records.started,
                failure=f"not seen: {kind}",
                effect="ignored" if judges and ignored else "observed" if ignored else None,
            )
            if not ignored:
                ended = hook
                break
        consequence = "the stream goes on" if ended is None else "the stream ends"
        logger.warning("%s; %s", error, consequence)
        if ended is None:
            return
        if ended.on_error == "raise":
            raise note_failure(error, self._ctx)
        reason = f"{ended.label} cannot judge the response: {error}"
        raise HookAborted(reason, source=ended.plugin) from error

    # The end

    @property
    def has_unread(self) -> bool:
        """True when an event has passed that nobody could read."""
        return self._has_unread

    def judge(self) -> Steps:
        """Dispatch the whole response to all hooks; return what the gates judged, if any did."""
        dispatch = self._dispatch
        dispatch.chain = self._chain
        yield from dispatch.steps(keeps_judged=True)
        return dispatch.judged

    def tell(self) -> Steps:
        """Tell the observing hooks, and the listeners of the one event."""
        self._dispatch.chain = self._told
        yield from self._dispatch.steps()

    def end(self, error: BaseException) -> Steps:
        """Tell the listeners that the stream ended before all of it could be judged."""
        dispatch = self._dispatch
        if dispatch.records.count and not self._silent:
            name = dispatch.plan.spec.name
            steps = dispatch.services.emit(
                lambda: make_event(name, self._ctx, dispatch.records, error, None)
            )
            if steps is not None:
                yield from steps


def _sees(hook: Hook) -> bool:
    return hook.stream == "window" and not hook.monitor


class _OneOfEach(Records):
    """One record for each hook: its worst verdict, the sum of its durations."""

    __slots__ = ("_of",)

    def __init__(self, *, tracked: bool) -> None:
        super().__init__(tracked=tracked)
        self._of: dict[tuple[str, str], HookRecord] = {}

    def note(self, hook: Hook, *args: Any, **options: Any) -> HookRecord:
        """Add what a hook said, or join it to what it has said before."""
        known = self._of.get((hook.plugin, hook.name))
        count, errors = self.count, self.errors
        record = super().note(hook, *args, **options)
        if known is None:
            self._of[hook.plugin, hook.name] = record
            return record
        self.list.pop()
        self.count, self.errors = count, errors
        known.duration_ms += record.duration_ms
        if _WORST.index(record.verdict) > _WORST.index(known.verdict):
            self.errors += record.verdict in _FAILED and known.verdict not in _FAILED
            known.verdict, known.effect = record.verdict, record.effect
            known.error, known.rule = record.error, record.rule
        return known

    def _note_rule(self, record: HookRecord) -> HookRecord:
        for known in self.list:
            if (known.plugin, known.hook, known.rule) == (record.plugin, record.hook, record.rule):
                if known.effect == "observed" and record.verdict == "deny":
                    known.verdict = "deny"
                return known
        return super()._note_rule(record)

    def note_again(self, hook: Hook, started: float) -> None:
        """Note that a hook let something pass unchanged."""
        known = self._of.get((hook.plugin, hook.name))
        if known is None:
            self.note(hook, "allow", started)
        else:
            known.duration_ms += (perf_counter() - started) * 1000.0

    def skip(self, hook: Hook) -> None:
        """Add the record of a hook that was passed over, once."""
        if (hook.plugin, hook.name) not in self._of:
            super().skip(hook)
            self._of[hook.plugin, hook.name] = self.list[-1]


_FAILED = ("error", "timeout")
