"""What is recorded of a hook that did not simply answer, and what comes of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hookcore_specs import Effect, HookAborted, HookContext, Kind, Verdict

from ..errors import HookTimeoutError
from ..hooks.hook import Hook
from .answers import abort_of, denial_of, describe, log_failure
from .plan import Plan
from .records import Account
from .watch import Watch

if TYPE_CHECKING:
    from .core import ManagerCore

__all__ = ["Verdicts"]


class Verdicts:
    """The part of a dispatch that decides what an abort or a failure of a hook amounts to."""

    __slots__ = ("account", "manager", "plan")

    def __init__(self, manager: ManagerCore, plan: Plan, account: Account) -> None:
        self.manager = manager
        self.plan = plan
        self.account = account

    def watch(self, hook: Hook, ctx: HookContext, started: float) -> Watch | None:
        """Return what a hook is given, or None when a monitored one cannot be given a copy."""
        try:
            return Watch(self, hook, ctx)
        except Exception as error:  # noqa: BLE001 - a payload's own copying may raise anything
            self.account.note(hook, "error", started, failure=describe(error))
            log_failure(hook, error, "it was not called; the dispatch goes on")
            return None

    def passes(self, error: BaseException | None) -> bool:
        """Whether an exception is one that no hook and no ``on_error`` may swallow."""
        unswallowed = error is not None and not isinstance(error, Exception)
        return unswallowed or isinstance(error, self.manager.control_flow)

    def passed(self, hook: Hook, error: BaseException, started: float) -> None:
        """Record that a hook ended with an exception that passes everything."""
        self.account.note(hook, "error", started, failure=describe(error), effect="applied")

    def _note_edits(self, hook: Hook, watch: Watch) -> None:
        # What a hook edited in place before it failed or aborted stays.
        if not hook.monitor and watch.changed():
            self.account.modified = True

    def denied(self, hook: Hook, watch: Watch, error: HookAborted, started: float) -> None:
        """Record that a hook aborted, and raise the abort unless the hook is only monitored."""
        if self.plan.spec.kind is Kind.OBSERVE:
            self.failed(hook, watch, error, started)
            return
        self._note_edits(hook, watch)
        watch.trace(self.account.note(hook, "deny", started), error)
        if not hook.monitor:
            raise abort_of(hook, error)

    def failed(self, hook: Hook, watch: Watch, error: Exception, started: float) -> None:
        """Record that a hook failed, and raise what its ``on_error`` makes of that."""
        verdict: Verdict = "timeout" if isinstance(error, HookTimeoutError) else "error"
        observes = self.plan.spec.kind is Kind.OBSERVE
        swallowed = hook.on_error == "allow" or (observes and hook.on_error == "deny")
        effect: Effect | None = "ignored" if swallowed and not hook.monitor else None
        self._note_edits(hook, watch)
        record = self.account.note(hook, verdict, started, failure=describe(error), effect=effect)
        watch.trace(record, error)
        if hook.monitor or swallowed:
            log_failure(hook, error, "the dispatch goes on", watch.view)
            return
        log_failure(hook, error, "the dispatch ends", watch.view)
        if hook.on_error == "deny":
            raise denial_of(hook, error)
        raise error
