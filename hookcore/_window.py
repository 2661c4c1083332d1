"""Hooks that let a streamed response pass: through a window, or told of it afterwards."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hookcore_specs import HookRecord, ModelCallContext
from hookcore_specs._runtime import ACTIVE, leave

from ._copying import clone
from ._engine import Dispatch
from ._hook import MOST_HELD, Hook
from ._plan import Chain, Plan
from ._requests import Steps

if TYPE_CHECKING:
    from ._core import ManagerCore

__all__ = ["Passing", "must_buffer"]

_WORST = ("allow", "modify", "timeout", "error", "deny")


def must_buffer(hook: Hook) -> bool:
    """Whether nothing of a streamed response may leave before the hook has judged all of it."""
    return hook.stream == "buffer" and not hook.monitor


class Passing:
    """The hooks of a stream whose text passes while it comes: one dispatch, however long."""

    def __init__(
        self, manager: ManagerCore, plan: Plan, chain: Chain, ctx: ModelCallContext
    ) -> None:
        windows = [hook for hook in chain.hooks if hook.stream == "window" and not hook.monitor]
        others = [hook for hook in (*chain.hooks, *chain.gates) if hook not in windows]
        self._told = Chain(tuple(hook.monitored() for hook in others))
        self._dispatch = Dispatch(manager, plan, Chain(tuple(windows)), ctx, asynchronous=True)
        self._windows = [hook for hook in windows if not self._dispatch.passes_over(hook)]
        self._held = [""] * len(self._windows)
        self._ctx = ctx
        self._hold = [hook.window for hook in self._windows]

    def feed(self, text: str, *, last: bool = False) -> Steps:
        """Take more text; return what all hooks have let through.

        Args:
            text: what has come.
            last: whether nothing more comes, so that all that is held has to pass.
        """
        for index, hook in enumerate(self._windows):
            text = self._held[index] + text
            self._held[index] = ""
            if last:
                text = (yield from self._seen(index, hook, text)) if text else text
            elif len(text) <= self._hold[index]:
                self._held[index] = text
                return ""
            else:
                text = yield from self._seen(index, hook, text)
                # What no window can hold is held to the end.
                hold = self._hold[index] if self._hold[index] <= MOST_HELD else len(text)
                cut = max(0, len(text) - hold)
                self._held[index], text = text[cut:], text[:cut]
        return text

    def _seen(self, index: int, hook: Hook, text: str) -> Steps:
        view = clone(self._ctx, text)
        view.hold = None
        token = ACTIVE.set(self._dispatch.frame)
        try:
            yield from self._dispatch.call(hook, view, wanted=str)
        finally:
            leave(token)
        self._hold[index] = hook.window if view.hold is None else max(0, view.hold)
        return view.payload

    def end(self, error: BaseException | None) -> Steps:
        """Tell the observing hooks, and the listeners of the one event."""
        dispatch = self._dispatch
        dispatch.account.records = _merged(dispatch.account.records)
        dispatch.account.count = sum(r.verdict != "skipped" for r in dispatch.account.records)
        if error is None:
            dispatch.chain = self._told
            yield from dispatch.steps()
        else:
            yield from dispatch.finish(error)


def _merged(records: list[HookRecord]) -> list[HookRecord]:
    """Return one record for each hook: the worst verdict, the sum of the durations."""
    merged: dict[tuple[str, str], HookRecord] = {}
    for record in records:
        known = merged.setdefault((record.plugin, record.hook), record)
        if known is record:
            continue
        known.duration_ms += record.duration_ms
        if _WORST.index(record.verdict) > _WORST.index(known.verdict):
            known.verdict, known.effect, known.error = record.verdict, record.effect, record.error
    return list(merged.values())
