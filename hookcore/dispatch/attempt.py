"""The attempt at one hook: what it works on, what its answer comes to, and the record of it."""

from __future__ import annotations

from time import perf_counter
from typing import Any

from hookcore_specs import Effect, HookAborted, HookContext, HookRecord, Kind, Verdict

from ..errors import HookTimeoutError, WrongResultError, describe_failure
from ..hooks.hook import Hook
from .answers import abort_of, denial_of, log_failure, means_denial, settle
from .contexts import view_of
from .copying import Snapshot, copy_payload
from .records import Records
from .services import Services, observed_denials
from .stops import note_failure
from .unfinished import Kept

__all__ = ["Attempt"]


class Attempt:
    """One call of one hook in a dispatch.

    Args:
        services: what the manager's parts share.
        records: what the dispatch's hooks said so far.
        hook: the hook.
        ctx: the context of the dispatch; a monitored hook gets a copy, so that nothing it does is
            applied.
        kept: the payload before a call that was made already, and what that was, for a trace.

    Raises:
        Exception: whatever the copying of a payload raises, for a monitored hook.
    """

    __slots__ = ("_traced", "before", "hook", "records", "services", "snapshot", "started", "view")

    def __init__(
        self,
        services: Services,
        records: Records,
        hook: Hook,
        ctx: HookContext,
        kept: Kept | None = None,
    ) -> None:
        self.started = perf_counter()
        self.services = services
        self.records = records
        self.hook = hook
        self.view = view_of(ctx) if hook.monitor else ctx
        self.before = self.view.payload
        changes = not hook.gate and hook.spec.kind is not Kind.OBSERVE
        tracked = changes and (records.tracked or hook.monitor)
        self.snapshot: Snapshot | None = None
        if kept is not None:
            self.before, self._traced = kept
            self.snapshot = Snapshot.of(*kept) if tracked else None
            return
        self.snapshot = Snapshot(self.before) if tracked else None
        self._traced = None if self.snapshot is None else self.snapshot.copy
        if services.tracer is not None and self._traced is None:
            self._traced = copy_payload(self.before)

    @classmethod
    def begun(
        cls,
        services: Services,
        records: Records,
        hook: Hook,
        ctx: HookContext,
        kept: Kept | None = None,
    ) -> Attempt | None:
        """Return an attempt, or None, recorded, when a monitored hook cannot be given a copy."""
        started = perf_counter()
        try:
            return cls(services, records, hook, ctx, kept)
        except Exception as error:
            if not hook.monitor:
                raise
            records.note(hook, "error", started, failure=describe_failure(error))
            log_failure(hook, error, "it was not called; the dispatch goes on")
            return None

    def changed(self) -> bool:
        """Return whether the hook edited the payload in place, as far as that is tracked."""
        return self.snapshot is not None and self.snapshot.changed()

    def settle(self, result: Any, *, wanted: type = object) -> bool:
        """Apply the hook's answer; return whether it replaced the payload.

        Raises:
            HookAborted: the answer is an abort.
            WrongResultError: the answer is of a kind that the point refuses.
        """
        if not self.hook.gate:
            return settle(self.hook, self.view, result, self.before, wanted=wanted)
        if result is not None:
            # An abort raises here; any other value is no answer of a gate.
            settle(self.hook, self.view, result, self.before)
            raise WrongResultError("a gate returns nothing: it lets pass or aborts")
        return False

    def passed(self, *, replaced: bool) -> None:
        """Record that the hook came to its end."""
        self._note_rules(passed=True)
        changed = replaced or (not self.hook.gate and self.changed())
        record = self.records.note(self.hook, "modify" if changed else "allow", self.started)
        if changed:
            self._trace(record)

    def ended(self, error: BaseException) -> None:
        """Record what the hook raised, and raise what ends the dispatch.

        What it bound to ``ctx.payload`` is discarded; what it edited in place stays.

        Raises:
            BaseException: what is never swallowed; an abort; a failure, as ``on_error`` says.
        """
        if not isinstance(error, Exception) or isinstance(error, self.services.control_flow):
            failure = describe_failure(error)
            self.records.note(self.hook, "error", self.started, failure=failure, effect="applied")
            raise error
        self.view.payload = self.before
        self._note_rules(passed=False)
        if isinstance(error, HookAborted) and self.hook.spec.kind is not Kind.OBSERVE:
            self._denied(error)
        else:
            self._failed(error)

    def _note_rules(self, *, passed: bool) -> None:
        """Record what the rules that are only monitored would have stopped."""
        if self.hook.monitored_rules:
            told = observed_denials(self.hook)
            for record, denial in self.records.note_rules(self.hook, told, passed=passed):
                self._trace(record, denial)

    def _note_edits(self) -> None:
        # What a hook edited in place before it failed or aborted stays.
        if not self.hook.monitor and self.changed():
            self.records.modified = True

    def _denied(self, error: HookAborted) -> None:
        self._note_edits()
        record = self.records.note(self.hook, "deny", self.started, rule=error.rule)
        self._trace(record, error)
        if not self.hook.monitor:
            raise abort_of(self.hook, error)

    def _failed(self, error: Exception) -> None:
        hook = self.hook
        verdict: Verdict = "timeout" if isinstance(error, HookTimeoutError) else "error"
        observes = hook.spec.kind is Kind.OBSERVE
        on_error = hook.on_error
        if not observes and means_denial(error):
            on_error = "deny"  # an answer that means nothing might have meant that
        swallowed = on_error == "allow" or (observes and on_error == "deny")
        effect: Effect | None = "ignored" if swallowed and not hook.monitor else None
        self._note_edits()
        failure = describe_failure(error)
        record = self.records.note(hook, verdict, self.started, failure=failure, effect=effect)
        self._trace(record, error)
        if hook.monitor or swallowed:
            log_failure(hook, error, "the dispatch goes on", self.view)
            return
        log_failure(hook, error, "the dispatch ends", self.view)
        if on_error == "deny":
            raise denial_of(hook, error)
        raise note_failure(error, self.view)

    def _trace(self, record: HookRecord, error: BaseException | None = None) -> None:
        """Tell the manager's tracer, when there is one, what the hook did."""
        tracer = self.services.tracer
        if tracer is not None:
            after = copy_payload(self.view.payload)
            tracer(self.hook.spec.name, record, error, self._traced, after)
