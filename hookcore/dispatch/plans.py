"""The plans of all points of one manager, compiled anew as a whole when something changes."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import partial

from hookcore_specs import Kind

from ..errors import UnknownPointError
from ..hooks.hook import Hook
from ..hooks.points import PointSpec, PointTable
from ..hooks.registry import Registry
from .listeners import Listener, Listeners
from .plan import Plan
from .resolving import Resolving
from .scopes import Scopes
from .services import Keeper, Services, Tracer
from .watch import UNWATCHED, watch_of

__all__ = ["Plans"]

_CALLS = {
    Kind.INTERCEPT: "dispatch() or adispatch()",
    Kind.OBSERVE: "dispatch() or adispatch()",
    Kind.WRAP: "wrap(), awrap() or awrap_stream()",
    Kind.COLLECT: "collect()",
}


class Plans(Resolving):
    """The plan of each point by name, None for a point without hooks.

    A dispatch reads ``live``, ``wraps`` or ``collects`` once; a change replaces them as a whole.

    Args:
        table: the points.
        registry: the registered plugins.
        services: what the manager's parts share.
    """

    def __init__(self, table: PointTable, registry: Registry, services: Services) -> None:
        self.table = table
        self.registry = registry
        self.services = services
        self.scopes = Scopes()
        self.listeners = Listeners(self.refresh_watch)
        self.lock = threading.RLock()
        #: The plans of intercept and observe points.
        self.live: dict[str, Plan | None] = {}
        self.wraps: dict[str, Plan | None] = {}
        self.collects: dict[str, Plan | None] = {}
        self._watch = UNWATCHED
        #: Makes what tells the hooks at ``hook_dispatched``; None where that is the engine's work.
        self.make_teller: Callable[[Plan], Listener | None] = lambda _plan: None
        #: Called when plans have changed, for those who keep what they made of them.
        self._followers: tuple[Callable[[], object], ...] = ()
        #: The points whose plans wait for the end of a block of changes.
        self._delayed: set[str] | None = None

    # Changes

    def rebuild(self, points: Iterable[str]) -> None:
        """Compile the plans of some points anew and put them in force together."""
        with self.lock:
            if self._delayed is not None:
                self._delayed.update(points)
                return
            live, wraps, collects = dict(self.live), dict(self.wraps), dict(self.collects)
            for name in points:
                spec = self.table[name]
                scoped = name in self.scopes.points
                plan: Plan | None = None
                if scoped:
                    plan = self.compile(spec, self.registry.hooks_at(name), scoped=True)
                elif self.registry.has_hooks_at(name):
                    plan = self.compile(spec, partial(self.registry.hooks_at, name))
                kinds = {Kind.WRAP: wraps, Kind.COLLECT: collects}
                kinds.get(spec.kind, live)[name] = plan
            self.live, self.wraps, self.collects = live, wraps, collects
            self._tell_followers()
            self.refresh_watch()

    def ready(self) -> None:
        """Compile what waits for its first dispatch, so that it keeps the hooks of now.

        For changes in several steps: a plan that is compiled in the midst would miss hooks.
        """
        for plans in (self.live, self.wraps, self.collects):
            for plan in plans.values():
                if plan is not None:
                    plan.ready()

    @contextmanager
    def at_once(self) -> Iterator[None]:
        """Let all changes until the block ends come into force together, so that no hook is missed.

        Others who change something wait; dispatches go on with the plans from before.
        """
        with self.lock:
            if self._delayed is not None:
                yield
                return
            self.ready()
            self._delayed = set()
            try:
                yield
            finally:
                points, self._delayed = self._delayed, None
                if points:
                    self.rebuild(points)

    def follow(self, follower: Callable[[], object]) -> Callable[[], None]:
        """Call a function after each change of the plans; return what ends that."""
        with self.lock:
            self._followers = (*self._followers, follower)

        def stop() -> None:
            with self.lock:
                self._followers = tuple(item for item in self._followers if item is not follower)

        return stop

    def _tell_followers(self) -> None:
        for follow in self._followers:
            follow()

    def forget(self, points: Iterable[str]) -> None:
        """Drop points that the table no longer has."""
        with self.lock:
            gone = set(points)
            for kind in ("live", "wraps", "collects"):
                kept = {
                    name: plan for name, plan in getattr(self, kind).items() if name not in gone
                }
                setattr(self, kind, kept)
            self._tell_followers()

    def extend_scoped(self, points: frozenset[str]) -> None:
        """Let scopes have hooks at more points."""
        with self.lock:
            self.scopes.points |= points
            self.rebuild(points)

    def compile(
        self,
        spec: PointSpec,
        hooks: Iterable[Hook] | Callable[[], Iterable[Hook]],
        *,
        scoped: bool = False,
    ) -> Plan:
        """Return the plan of a point with these hooks."""
        make = partial(self._watch.plan, self.listeners, self.services)
        plan = make(spec, hooks, scoped=scoped)
        if scoped:
            plan.loop = self.scopes.loop(plan, make(spec, hooks))
        return plan

    # Who watches

    def refresh_watch(self) -> None:
        """Take note of who listens; the compiled loops depend on it."""
        with self.lock:
            plan = self.live.get("hook_dispatched")
            services = self.services
            told = None if plan is None else self.make_teller(plan)
            self.listeners.tell_hooks_by(told)
            untold = plan is not None and told is None
            watch = watch_of(self.listeners, services, by_engine=untold)
            if not watch.is_like(self._watch):
                self._watch = watch
                self.rebuild([name for name, plan in self.live.items() if plan is not None])

    @property
    def is_unwatched(self) -> bool:
        """True when nobody listens to what hooks say, and nothing tracks what they edit."""
        return self._watch.is_like(UNWATCHED)

    @contextmanager
    def traced(self, tracer: Tracer, keeper: Keeper | None = None) -> Iterator[None]:
        """Call ``tracer`` for each hook that does something other than allow."""
        services = self.services
        before = (services.tracer, services.keeper, services.tracks_mutations)
        services.tracer, services.keeper, services.tracks_mutations = tracer, keeper, True
        self.refresh_watch()
        try:
            yield
        finally:
            services.tracer, services.keeper, services.tracks_mutations = before
            self.refresh_watch()

    # Look-ups

    def of(self, point: str) -> Plan:
        """Return the point's plan in the current scope, an empty one when it has no hooks.

        Raises:
            UnknownPointError: there is no such point.
        """
        plan = self.kept(point)
        return Plan(self.table.find(point), ()) if plan is None else self.in_scope(plan)

    def kept(self, point: str) -> Plan | None:
        """Return the point's plan with the hooks of all scopes; None when it has no hooks.

        Raises:
            UnknownPointError: there is no such point.
        """
        spec = self.table.find(point)
        kinds = {Kind.WRAP: self.wraps, Kind.COLLECT: self.collects}
        return kinds.get(spec.kind, self.live)[spec.name]

    def wrap(self, point: str) -> Plan | None:
        """Return the plan of a wrap point.

        Raises:
            UnknownPointError: there is no such point, or it is of another kind.
        """
        try:
            return self.wraps[point]
        except KeyError:
            raise self.misused(point) from None

    def misused(self, point: str) -> UnknownPointError:
        """Return the error for a point that the called method does not know."""
        try:
            spec = self.table.find(point)
        except UnknownPointError as error:
            return error
        return UnknownPointError(f"{spec.name} is a {spec.kind} point: use {_CALLS[spec.kind]}")

    @property
    def models_are_idle(self) -> bool:
        """True when no hook, not even a scoped one, can see a model call."""
        live = self.live
        names = ("pre_model_call", "model_input", "post_model_call", "model_output")
        return (
            all(live[name] is None for name in names)
            and self.wraps["wrap_model_call"] is None
            and live["model_finished"] is None
        )

    @property
    def tools_are_idle(self) -> bool:
        """True when no hook, not even a scoped one, can see a tool call."""
        live = self.live
        return (
            live["pre_tool_call"] is None
            and self.wraps["wrap_tool_call"] is None
            and live["post_tool_call"] is None
            and live["tool_finished"] is None
        )
