"""The hook manager: what a host dispatches through and operators switch plugins on in."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import TypeVar

from hookcore_specs import STANDARD_SPECS, HookContext, HookDispatchedEvent

from .boundaries.methods import Boundaries
from .dispatch.collecting import collect
from .dispatch.parts import Parts
from .dispatch.plan import Plan
from .dispatch.plans import Plans
from .dispatch.scoping import Scoping
from .dispatch.services import Keeper, Services, Tracer
from .dispatch.telling import Telling
from .dispatch.unfinished import ALL, Unfinished, whole
from .hooks.loopless import Loopless
from .hooks.points import PointTable, read_specs
from .hooks.registry import Registry
from .loading.capabilities import Capabilities
from .loading.configuring import Configuring
from .loading.declare import Declarations
from .loading.plugins import PluginInfo, Plugins
from .prompting import Prompter
from .waiting.requests import adrive, drive

__all__ = ["HookManager", "PluginInfo"]

_C = TypeVar("_C", bound=HookContext)


class HookManager(Boundaries, Plugins, Capabilities, Configuring):
    """Registers plugins and dispatches points through their hooks.

    An empty manager is made by calling the class; :meth:`load` makes one with the plugins that the
    configuration enables. All methods may be called from any thread; a dispatch takes no lock.

    Args:
        track_mutations: count edits of a payload in place as changes, at the price of a digest
            before and after each hook.
        control_flow: exception classes of the host's own that mean no failure, whoever raises
            them, and always pass.
        prompter: whom ``ctx.request_human_input`` asks; the terminal when None.
        sync: the host calls its wraps without an event loop, so async ones are refused.
    """

    def __init__(
        self,
        *,
        track_mutations: bool = False,
        control_flow: Iterable[type[BaseException]] = (),
        prompter: Prompter | None = None,
        sync: bool = False,
    ) -> None:
        table = PointTable()
        services = Services(
            control_flow=tuple(control_flow),
            prompter=prompter,
            track_mutations=track_mutations,
        )
        loopless = self._loopless = Loopless(everywhere=sync)
        registry = Registry(table, loopless=loopless)
        plans = self._plans = Plans(table, registry, services)
        telling = Telling(plans, plans.listeners)
        services.emit, plans.make_teller = telling.emit, telling.teller
        #: The parts, for hosts that dispatch in a way of their own.
        self.parts = Parts(table, registry, services, plans, Scoping(plans, loopless))
        services.human_input.answerers = registry.answerers
        self._declarations = Declarations()
        self._declared_by: dict[str, None] = {}
        self._reloading = threading.RLock()
        for namespace in STANDARD_SPECS:
            table.add(read_specs(namespace, table))
        plans.follow(self._plans_changed)
        plans.rebuild(table)

    def _plans_changed(self) -> None:
        # What a dispatch reads stands on the manager itself, one look-up away.
        self._live: dict[str, Plan | None] = self._plans.live
        self._tools_are_idle = self._plans.tools_are_idle
        self._models_are_idle = self._plans.models_are_idle

    # Points and plugins

    @property
    def tracks_mutations(self) -> bool:
        """True when edits of a payload in place are noticed."""
        return self.parts.services.tracks_mutations

    @tracks_mutations.setter
    def tracks_mutations(self, value: bool) -> None:
        self.parts.services.tracks_mutations = value
        self._plans.refresh_watch()

    @property
    def prompter(self) -> Prompter:
        """The one whom ``ctx.request_human_input`` asks."""
        return self.parts.services.human_input.prompter

    @prompter.setter
    def prompter(self, prompter: Prompter) -> None:
        self.parts.services.human_input.prompter = prompter

    @property
    def control_flow(self) -> tuple[type[BaseException], ...]:
        """The exception classes that mean no failure and always pass."""
        return self.parts.services.control_flow

    def add_control_flow(self, *classes: type[BaseException]) -> None:
        """Let more exception classes of the host's own pass, from the next dispatch on.

        Hooks, wraps and bodies heed them alike; one that is known already changes nothing.

        Args:
            classes: the exception classes.

        Raises:
            TypeError: one of them is no exception class.
        """
        for kind in classes:
            if not (isinstance(kind, type) and issubclass(kind, BaseException)):
                raise TypeError(f"control flow is told by exception classes, not {kind!r}")
        services = self.parts.services
        with self._plans.lock:
            new = tuple(kind for kind in classes if kind not in services.control_flow)
            if new:
                services.control_flow = (*services.control_flow, *new)
                self._plans.rebuild(self.points)

    def subscribe(self, function: Callable[[HookDispatchedEvent], object]) -> Callable[[], None]:
        """Call ``function`` with the event of each dispatch; return what ends that.

        What the function raises is logged and changes nothing.
        """
        return self._plans.listeners.add(function)

    def close(self) -> None:
        """Stop the background loop, the idle worker threads and the watching of files.

        The manager stays usable.
        """
        self.stop_watching()
        self.parts.services.close()

    # Dispatch

    def dispatch(self, point: str, ctx: _C) -> _C:
        """Run an intercept or observe point's hooks and return the context.

        Async hooks run to completion on the manager's own background loop.

        Args:
            point: the point, as an enum member or a string.
            ctx: the context; its payload is afterwards what the hooks made of it.

        Raises:
            HookAborted: a hook stopped the operation.
            UnknownPointError: there is no such point, or it is of another kind.
        """
        try:
            plan = self._live[point]
        except KeyError:
            raise self._plans.misused(point) from None
        if plan is None:
            return ctx
        left = plan.loop(ctx)
        if left is ALL:
            loop = self._plans.async_loop(plan, ctx, asynchronous=False)
            left = ALL if loop is None else self.parts.services.loop.run(whole(loop, ctx))
        if left is not None:
            steps = self._plans.steps(plan, ctx, left, asynchronous=False)
            if steps is not None:
                drive(steps, self.parts.services.loop)
        return ctx

    async def adispatch(self, point: str, ctx: _C) -> _C:
        """Run a point's hooks like :meth:`dispatch`, awaiting the async ones.

        Plain functions run inline, on a worker thread with ``offload=True``.
        """
        try:
            plan = self._live[point]
        except KeyError:
            raise self._plans.misused(point) from None
        if plan is None:
            return ctx
        left = (plan.async_loop or plan.loop)(ctx)
        if left is None:
            return ctx
        if left is ALL and plan.async_loop is None:
            # The chain depends on the tool, the agent or the scope.
            loop = self._plans.async_loop(plan, ctx, asynchronous=True)
            left = ALL if loop is None else loop(ctx)
        if left is not None and type(left) is not Unfinished:
            left = await left  # a hook waits for something
        if left is not None:
            steps = self._plans.steps(plan, ctx, left, asynchronous=True)
            if steps is not None:
                await adrive(steps)
        return ctx

    def collect(self, point: str, ctx: HookContext) -> list[str]:
        """Ask a collect point's hooks and return the plugins that answered yes.

        Raises:
            UnknownPointError: there is no such point, or it is of another kind.
        """
        try:
            plan = self._plans.collects[point]
        except KeyError:
            raise self._plans.misused(point) from None
        chain = self._plans.resolve(plan, ctx)
        if plan is None or chain is None:
            return []
        return collect(self.parts.services, plan, chain, ctx)

    # What a host says of itself, and changes at once

    @contextmanager
    def changing(self) -> Iterator[None]:
        """Let all changes until the block ends come into force together.

        Others who change something wait; dispatches go on with the plugins from before.
        """
        with self._plans.at_once():
            yield

    def traced(self, tracer: Tracer, keeper: Keeper | None = None) -> AbstractContextManager[None]:
        """Call ``tracer`` for each hook until the block ends; see :mod:`hookcore.tracing`."""
        return self._plans.traced(tracer, keeper)
