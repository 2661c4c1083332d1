"""Hooks that let a streamed response pass: through a window, or told of it afterwards."""

from __future__ import annotations

from hookcore_specs import HookRecord, ModelCallContext
from hookcore_specs._runtime import ACTIVE, leave

from ..dispatch.contexts import clone
from ..dispatch.engine import LISTENER, Dispatch, running_hooks
from ..dispatch.plan import Chain, Plan
from ..dispatch.records import Records, make_event
from ..dispatch.services import Services
from ..hooks.hook import MOST_HELD, Hook
from ..waiting.requests import Steps

__all__ = ["Windows", "must_buffer"]

_WORST = ("skipped", "allow", "modify", "timeout", "error", "deny")


def must_buffer(hook: Hook) -> bool:
    """Tell whether nothing of a streamed response may leave before the hook judged all of it."""
    return hook.stream == "buffer" and not hook.monitor


class _Window:
    """One hook, the text that it holds, and how much it wants to hold."""

    def __init__(self, hook: Hook) -> None:
        self.hook = hook
        self.held = ""
        self.hold = hook.window
        #: How much text it takes to ask the hook again.
        self.enough = hook.window

    def is_enough(self, text: str) -> bool:
        """Tell whether the hook has to see the text that it has so far."""
        if len(text) > self.enough:
            return True
        self.held = text
        return False

    def cut(self, text: str) -> str:
        """Return what of the text that the hook has seen may leave; hold the rest."""
        # What no window can hold is held to the end. Asking again at each piece of a text that
        # only grows would take the square of its length.
        buffers = self.hold > MOST_HELD
        self.enough = 2 * len(text) if buffers else self.hold
        leaves = 0 if buffers else max(0, len(text) - self.hold)
        self.held = text[leaves:]
        return text[:leaves]


class Windows:
    """The hooks of a stream whose text passes while it comes: one dispatch, however long.

    It has to be made where the stream was started.
    """

    def __init__(self, services: Services, plan: Plan, chain: Chain, ctx: ModelCallContext) -> None:
        windows = [hook for hook in chain.hooks if hook.stream == "window" and not hook.monitor]
        others = [hook for hook in (*chain.hooks, *chain.gates) if hook not in windows]
        self._told = Chain(tuple(hook.monitored() for hook in others))
        self._dispatch = Dispatch(services, plan, Chain(tuple(windows)), ctx, asynchronous=True)
        self._windows = [_Window(hook) for hook in windows if not self._dispatch.passes_over(hook)]
        self._ctx = ctx
        self._silent = LISTENER in running_hooks()

    @property
    def held(self) -> int:
        """The number of characters that are held back."""
        return sum(len(window.held) for window in self._windows)

    def feed(self, text: str, *, last: bool = False) -> Steps:
        """Take more text; return what all hooks have let through.

        Args:
            text: what has come.
            last: whether nothing more comes, so that all that is held has to pass.
        """
        for window in self._windows:
            text = window.held + text
            window.held = ""
            if not text:
                continue
            if not last and not window.is_enough(text):
                return ""
            text = yield from self._seen(window, text)
            if not last:
                text = window.cut(text)
        return text

    def _seen(self, window: _Window, text: str) -> Steps:
        hook = window.hook
        view = clone(self._ctx, self._ctx.payload)
        view.settle(text)
        view.point, view.hold = self._dispatch.plan.label, None
        token = ACTIVE.set(self._dispatch.frame)
        try:
            yield from self._dispatch.call(hook, view, wanted=str)
        finally:
            leave(token)
        window.hold = hook.window if view.hold is None else max(0, view.hold)
        return view.payload

    def tell(self) -> Steps:
        """Tell the observing hooks, and the listeners of the one event."""
        dispatch = self._dispatch
        _merge(dispatch.records)
        dispatch.chain = self._told
        yield from dispatch.steps()

    def end(self, error: BaseException) -> Steps:
        """Tell the listeners that the stream ended before all of it could be judged."""
        dispatch = self._dispatch
        records = dispatch.records
        _merge(records)
        if records.count and not self._silent:
            name = dispatch.plan.spec.name
            steps = dispatch.services.emit(
                lambda: make_event(name, self._ctx, records, error, None)
            )
            if steps is not None:
                yield from steps


def _merge(records: Records) -> None:
    """Make one record for each hook: the worst verdict, the sum of the durations."""
    merged: dict[tuple[str, str], HookRecord] = {}
    for record in records.list:
        known = merged.setdefault((record.plugin, record.hook), record)
        if known is record:
            continue
        known.duration_ms += record.duration_ms
        if _WORST.index(record.verdict) > _WORST.index(known.verdict):
            known.verdict, known.effect, known.error = record.verdict, record.effect, record.error
    records.list = list(merged.values())
    records.count = sum(record.verdict != "skipped" for record in records.list)
    records.errors = sum(record.verdict in ("error", "timeout") for record in records.list)
