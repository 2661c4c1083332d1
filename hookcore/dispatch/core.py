"""The state that all parts of a manager share: points, plans, scopes, runs, listeners."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

from hookcore_specs import STANDARD_SPECS, HookContext, HookDispatchedEvent, HookRecord, Kind
from hookcore_specs._runtime import STATES, Frame, running_hook

from ..errors import BackgroundLoopError, UnknownPointError
from ..hooks.hook import Hook
from ..hooks.points import PointSpec, PointTable, read_specs
from ..hooks.registry import Registry
from ..prompting import Prompter
from ..waiting.asking import Humans
from ..waiting.loop import BackgroundLoop
from ..waiting.requests import Steps, drive
from ..waiting.workers import Workers
from .engine import Dispatch
from .listeners import Listeners
from .loops import compile_plain, compile_recorded
from .plan import Chain, Plan
from .rest import Rest
from .scopes import Scopes
from .states import RunStates, States

__all__ = ["ManagerCore"]

_CALLS = {
    Kind.INTERCEPT: "dispatch() or adispatch()",
    Kind.OBSERVE: "dispatch() or adispatch()",
    Kind.WRAP: "wrap(), awrap() or awrap_stream()",
    Kind.COLLECT: "collect()",
}

Plans = dict[str, "Plan | None"]
Tracer = Callable[[str, HookRecord, "BaseException | None", Any, Any], None]

NOBODY, SUBSCRIBERS, ENGINE = range(3)
"""Who watches the dispatches: nobody, subscribed functions, or something the engine must serve."""


class ManagerCore:
    """What a manager consists of; :class:`HookManager` adds the public methods."""

    def __init__(
        self,
        *,
        track_mutations: bool = False,
        control_flow: Iterable[type[BaseException]] = (),
        prompter: Prompter | None = None,
        sync: bool = False,
    ) -> None:
        #: Exceptions that pass every hook and every ``on_error`` unswallowed.
        self.control_flow: tuple[type[BaseException], ...] = (BackgroundLoopError, *control_flow)
        self._sync = sync
        self._workers = Workers()
        self._humans = Humans(prompter, self._workers, self.control_flow)
        self._lock = threading.RLock()
        self._points = PointTable()
        self._registry = Registry(self._points, sync=sync)
        self._scopes = Scopes(self)
        self._runs = RunStates()
        self._loop = BackgroundLoop()
        self._listeners = Listeners(self)
        self._tracer: Tracer | None = None
        self._track_mutations = track_mutations
        # A dispatch reads one of these dicts once; a change replaces it as a whole.
        self._plans: Plans = {}
        self._wrap_plans: Plans = {}
        self._collect_plans: Plans = {}
        self._watched = NOBODY
        #: Called when plans have changed, for those who keep what they made of them.
        self._followers: tuple[Callable[[], object], ...] = ()
        #: The points whose plans wait for the end of a block of changes.
        self._delayed: set[str] | None = None
        for namespace in STANDARD_SPECS:
            self._points.add(read_specs(namespace, self._points))
        self._rebuild(self._points)

    @property
    def tracks_mutations(self) -> bool:
        """Whether edits of a payload in place are noticed by a digest around each hook."""
        return self._track_mutations

    @tracks_mutations.setter
    def tracks_mutations(self, value: bool) -> None:
        self._track_mutations = value
        self._refresh_watch()

    @property
    def prompter(self) -> Prompter:
        """Whom ``ctx.request_human_input`` asks."""
        return self._humans.prompter

    @prompter.setter
    def prompter(self, prompter: Prompter) -> None:
        self._humans.prompter = prompter

    # Plans. Callers of _rebuild and _extend_scoped need not hold the lock.

    def _rebuild(self, points: Iterable[str]) -> None:
        """Compile the plans of some points anew and put them in force together."""
        with self._lock:
            if self._delayed is not None:
                self._delayed.update(points)
                return
            plans, wraps, collects = (
                dict(self._plans),
                dict(self._wrap_plans),
                dict(self._collect_plans),
            )
            for name in points:
                spec = self._points[name]
                hooks = self._registry.hooks_at(name)
                scoped = name in self._scopes.points
                plan = self._compile(spec, hooks, scoped=scoped) if hooks or scoped else None
                if spec.kind is Kind.WRAP:
                    wraps[name] = plan
                elif spec.kind is Kind.COLLECT:
                    collects[name] = plan
                else:
                    plans[name] = plan
            self._plans, self._wrap_plans, self._collect_plans = plans, wraps, collects
            for follow in self._followers:
                follow()
            self._refresh_watch()

    @contextmanager
    def _at_once(self) -> Iterator[None]:
        """Let all changes until the block ends come into force together, so that no hook is missed.

        Others who change something wait; dispatches go on with the plans from before.
        """
        with self._lock:
            if self._delayed is not None:
                yield
                return
            self._delayed = set()
            try:
                yield
            finally:
                points, self._delayed = self._delayed, None
                if points:
                    self._rebuild(points)

    def _compile(self, spec: PointSpec, hooks: Iterable[Hook], *, scoped: bool = False) -> Plan:
        loops = {NOBODY: compile_plain, SUBSCRIBERS: compile_recorded}
        make = loops.get(self._watched)
        compile_chain = None if make is None else partial(make, self)
        plan = Plan(spec, hooks, scoped=scoped, compile_chain=compile_chain)
        if scoped:
            plan.fast = self._scopes.fast(plan, Plan(spec, hooks, compile_chain=compile_chain))
        return plan

    @property
    def _tools_are_idle(self) -> bool:
        """Whether no hook, not even a scoped one, can see a tool call."""
        plans = self._plans
        return (
            plans["pre_tool_call"] is None
            and self._wrap_plans["wrap_tool_call"] is None
            and plans["post_tool_call"] is None
            and plans["tool_finished"] is None
        )

    def _extend_scoped(self, points: frozenset[str]) -> None:
        with self._lock:
            self._scopes.points |= points
            self._rebuild(points)

    def _scoped_registry(self) -> Registry:
        return Registry(self._points, scoped=True, sync=self._sync)

    def _plan_of(self, point: str) -> Plan:
        """Return the point's plan in the current scope, an empty one when it has no hooks."""
        spec = self._points.find(point)
        plans = {Kind.WRAP: self._wrap_plans, Kind.COLLECT: self._collect_plans}
        plan = plans.get(spec.kind, self._plans)[spec.name]
        return Plan(spec, ()) if plan is None else self._in_scope(plan)

    def _in_scope(self, plan: Plan) -> Plan:
        scope = self._scopes.current if plan.scoped else None
        return plan if scope is None else scope.plan(plan)

    def _resolve(self, plan: Plan, ctx: HookContext) -> Chain | None:
        """Return the chain for a context in the current scope, or None when no hook is left."""
        plan = self._in_scope(plan)
        return plan.chain or plan.resolve(ctx)

    def _steps(
        self, plan: Plan, ctx: HookContext, rest: Rest, *, asynchronous: bool
    ) -> Steps | None:
        """Return the engine's steps for what is left of a dispatch, or None when nothing is."""
        dispatch = self._left(plan, ctx, rest, asynchronous=asynchronous)
        return None if dispatch is None else dispatch.steps(rest.resume)

    def _left(
        self, plan: Plan, ctx: HookContext, rest: Rest, *, asynchronous: bool
    ) -> Dispatch | None:
        if rest.chain is not None:
            dispatch = Dispatch(
                self, plan, rest.chain, ctx, asynchronous=asynchronous, account=rest.account
            )
            dispatch.frame[STATES] = rest.states
            if rest.account is not None:
                dispatch.tool = rest.tool
            return dispatch
        plan = self._in_scope(plan)
        chain = plan.chain or plan.resolve(ctx)
        if chain is None:
            return None
        return Dispatch(self, plan, chain, ctx, asynchronous=asynchronous)

    def _misused(self, point: str) -> UnknownPointError:
        """Return the error for a point that the called method does not know."""
        try:
            spec: PointSpec = self._points.find(point)
        except UnknownPointError as error:
            return error
        return UnknownPointError(f"{spec.name} is a {spec.kind} point: use {_CALLS[spec.kind]}")

    # Telemetry

    def _refresh_watch(self) -> None:
        """Take note of who listens; the compiled loops depend on it."""
        with self._lock:
            plan = self._plans.get("hook_dispatched")
            watched = NOBODY
            if self._track_mutations or self._tracer is not None or plan is not None:
                watched = ENGINE
            elif self._listeners.functions:
                watched = SUBSCRIBERS
            if watched != self._watched:
                self._watched = watched
                self._rebuild([name for name, plan in self._plans.items() if plan is not None])

    @contextmanager
    def _traced(self, tracer: Tracer) -> Iterator[None]:
        before = (self._tracer, self._track_mutations)
        self._tracer, self._track_mutations = tracer, True
        self._refresh_watch()
        try:
            yield
        finally:
            self._tracer, self._track_mutations = before
            self._refresh_watch()

    def _emit(self, make: Callable[[], HookDispatchedEvent]) -> Steps | None:
        """Return the steps that tell the listeners of an event, or None when nobody listens."""
        plan = self._plans.get("hook_dispatched")
        if plan is None and not self._listeners.functions:
            return None
        return self._listeners.steps(make(), plan)

    def _drive(self, steps: Steps) -> Any:
        return drive(steps, self._loop)

    # What contexts ask for

    def _states(self, frame: Frame, run_id: str | None) -> States:
        if run_id is not None:
            return self._runs.get(run_id)
        states: States | None = frame[STATES]
        if states is None:
            states = frame[STATES] = States()
        return states

    def _plugin_state(self, frame: Frame, run_id: str | None) -> dict[str, Any]:
        # A listener has no plugin: those that ask share a dict.
        owner = getattr(running_hook(frame), "owner", None)
        return self._states(frame, run_id).of(owner)

    def _shared_state(self, frame: Frame, run_id: str | None) -> dict[str, Any]:
        return self._states(frame, run_id).shared

    def _ask_human(self, ctx: HookContext, prompt: str, default_message: str) -> str:
        return self._humans.ask(ctx, prompt, default_message)

    async def _aask_human(self, ctx: HookContext, prompt: str, default_message: str) -> str:
        return await self._humans.aask(ctx, prompt, default_message)
