"""Recorded runs through the manager, and what its hooks did into the ledger."""

from __future__ import annotations

from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from hookcore import HookAborted
from hookcore.tracing import Change, trace_changes

from .arguments import ArgumentsError, parse_arguments
from .changes import LeafChange, Reported
from .contexts import PAYLOADS, call_id_of, context_of, tool_of
from .diff import removed_values, render
from .findings import Finding, Ledger
from .keeping import Changed, Keeper, Shown
from .quiet import quiet
from .verdicts import Judgement, judgements
from .walk import walk

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from hookcore import HookContext, HookDispatchedEvent, HookManager

    from .model import Moment, RecordedRun

_HISTORY_POINT = "pre_model_call"


class Engine:
    """Dispatches the moments of runs, once each and in order.

    Args:
        manager: the manager whose plugins judge.
        ledger: where findings and numbers go.
        watch: told of everything that a hook does besides letting pass, if anybody wants to know.
    """

    def __init__(
        self,
        manager: HookManager,
        ledger: Ledger,
        watch: Callable[[Change], object] | None = None,
    ) -> None:
        self._manager = manager
        self._ledger = ledger
        self._watch = watch
        self._changes: list[Change] = []
        self._keeper = Keeper()
        self._spent_ms: float | None = None
        # An author's word that what the plugin replaces must not be shown, whatever replaces it.
        self._redactors = {
            info.name for info in manager.plugins() if getattr(info.plugin, "redacts", False)
        }

    @contextmanager
    def listening(self) -> Iterator[None]:
        """Listen to the manager for as long as runs are replayed.

        Yields:
            Nothing; call `replay` inside.
        """
        with ExitStack() as stack:
            stack.enter_context(trace_changes(self._manager, self._changes.append, self._keeper))
            stack.callback(self._manager.subscribe(self._time))
            stack.enter_context(quiet())
            yield

    def replay(self, run: RecordedRun) -> None:
        """Replay one run.

        Args:
            run: the run; its turns are consumed.
        """
        self._ledger.runs += 1
        self._keeper.forget()
        judged, tracks = _JudgedRun(run, self._keeper), self._ledger.tracks
        if tracks is not None:
            tracks.begin(run)
        for moment in walk(run):
            reached, self._spent_ms = not moment.operation.denied, None
            if moment.point == _HISTORY_POINT and isinstance(moment.payload, list):
                judged.history = moment.payload
            if moment.point == "pre_tool_call":
                self._read_arguments(judged, moment)
            if not moment.operation.denied:
                self._dispatch(judged, moment)
            if tracks is not None and reached:
                step = moment.operation.step
                tracks.add(step, moment.point, tool_of(moment), self._spent_ms)

    def _time(self, event: HookDispatchedEvent) -> None:
        self._spent_ms = event.duration_ms
        for plugin, milliseconds in event.durations():
            self._ledger.stats(plugin).times.add(milliseconds)

    def _read_arguments(self, judged: _JudgedRun, moment: Moment) -> None:
        """Read the arguments of a call; where they do not parse, a host would deny it."""
        call = moment.operation.call
        if call is None:
            return
        try:
            moment.operation.arguments = parse_arguments(call)
        except ArgumentsError as error:
            moment.operation.denied = True
            judgement = Judgement(None, "error", "applied", str(error), stops=False)
            self._ledger.add(_finding(judged, moment, judgement, None))

    def _dispatch(self, judged: _JudgedRun, moment: Moment) -> None:
        self._ledger.events += 1
        if not self._manager.has_hooks(moment.point):
            return
        ctx = judged.context_of(moment)
        self._changes.clear()
        stopped_by: BaseException | None = None
        try:
            self._manager.dispatch(moment.point, ctx)
        except HookAborted as error:
            stopped_by = error
        except (Exception, SystemExit) as error:  # noqa: BLE001 - a plugin's own, let through
            stopped_by = error
        if stopped_by is None and not self._changes:
            return
        if self._watch is not None:
            for change in self._changes:
                self._watch(change)
        moment.operation.denied = stopped_by is not None
        self._judge(judged, moment, judgements(self._changes, stopped_by))

    def _judge(self, judged: _JudgedRun, moment: Moment, found: list[Judgement]) -> None:
        changed = [judged.changed.by(judgement) for judgement in found]
        secret = [judgement.plugin in self._redactors for judgement in found]
        for at, (judgement, leaves) in enumerate(zip(found, changed, strict=True)):
            if judgement.verdict == "modify" and judgement.comparable and not leaves:
                continue
            fresh = judged.new(moment.point, judgement, leaves)
            if fresh is None:
                self._ledger.repeated += 1
                continue
            diff = None
            if fresh:
                others = (one for one in range(len(found)) if one != at)
                removed = (removed_values(changed[one], secret=secret[one]) for one in others)
                hidden = set().union(*removed)
                diff = render(PAYLOADS[moment.point], fresh, hidden, secret=secret[at])
            self._ledger.add(_finding(judged, moment, judgement, diff))


@dataclass(slots=True)
class _JudgedRun:
    """A run, and what has to be remembered of it while it is replayed."""

    run: RecordedRun
    keeper: Keeper
    history: list[object] = field(default_factory=list)
    changed: Changed = field(default_factory=Changed)
    _messages: Shown = field(default_factory=Shown)
    _tools: Shown = field(default_factory=Shown)
    _reported: Reported = field(default_factory=Reported)
    _reasons: set[tuple[str | None, str, str | None]] = field(default_factory=set)

    def context_of(self, moment: Moment) -> HookContext:
        """Make the context of a moment, and keep what its payload is."""
        history: list[object] = []
        tools: list[object] | None = None
        if moment.point.endswith("model_call"):
            history = self._messages.of(self.history)
            tools = None if self.run.tools is None else self._tools.of(self.run.tools)
        ctx = context_of(self.run, moment, history, tools)
        recorded = moment.payload
        if moment.point == _HISTORY_POINT:
            recorded = self.history.copy()
        elif moment.point == "pre_tool_call":
            recorded = moment.operation.arguments
        self.keeper.show(ctx, recorded)
        return ctx

    def new(
        self, point: str, judgement: Judgement, leaves: list[LeafChange]
    ) -> list[LeafChange] | None:
        """Pick what was not reported before; None when nothing of the judgement is new.

        Only a history comes again and again. A change of an old message is a repetition, and so
        is an abort for the same reason: nothing says which of the messages it is for.
        """
        plugin = judgement.plugin or ""
        if point != _HISTORY_POINT:
            self._reported.add(plugin, point, leaves)
            return leaves
        fresh = self._reported.new(plugin, point, leaves)
        if judgement.verdict == "modify":
            return fresh if fresh or not judgement.comparable else None
        key = (judgement.plugin, judgement.verdict, judgement.reason)
        if judgement.verdict == "deny" and key in self._reasons and not fresh:
            return None
        self._reasons.add(key)
        return fresh


def _finding(judged: _JudgedRun, moment: Moment, judgement: Judgement, diff: str | None) -> Finding:
    return Finding(
        run=judged.run.id,
        step=moment.operation.step,
        point=moment.point,
        tool=tool_of(moment),
        plugin=judgement.plugin,
        verdict=judgement.verdict,
        effect=judgement.effect,
        reason=judgement.reason,
        diff=diff,
        where=moment.operation.where,
        call_id=call_id_of(moment),
        stops=judgement.stops,
        rule=judgement.rule,
    )
