"""The watchers of a manager's dispatches, which decide by which loops its chains run."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import NamedTuple

from ..hooks.hook import Hook
from ..hooks.points import PointSpec
from .asyncloop import compile_async_loop
from .gateloop import compile_loop
from .listeners import Listeners
from .plan import Plan
from .services import Keeper, Services
from .tracedloop import compile_traced

__all__ = ["UNWATCHED", "Watch", "watch_of"]

NOBODY, SUBSCRIBERS, TRACE, ENGINE = range(4)
"""Nobody, subscribed functions, a trace with a keeper, or something the engine must serve."""


class Watch(NamedTuple):
    """The watchers of dispatches; what is compiled for them serves no others."""

    by: int
    keeper: Keeper | None = None

    def is_like(self, other: Watch) -> bool:
        """Return whether what is compiled for these watchers serves others."""
        return self.by == other.by and self.keeper is other.keeper

    def plan(
        self,
        listeners: Listeners,
        services: Services,
        spec: PointSpec,
        hooks: Iterable[Hook] | Callable[[], Iterable[Hook]],
        *,
        scoped: bool = False,
    ) -> Plan:
        """Return the plan of a point, whose chains are compiled where they are not the engine's.

        Args:
            listeners: the subscribed functions.
            services: what the manager's parts share.
            spec: as for a plan.
            hooks: as for a plan.
            scoped: as for a plan.
        """
        if self.by == TRACE:
            chain = partial(compile_traced, listeners, services)
            return Plan(spec, hooks, scoped=scoped, compile_chain=chain)
        if self.by == ENGINE:
            return Plan(spec, hooks, scoped=scoped)
        told = None if self.by == NOBODY else listeners
        return Plan(
            spec,
            hooks,
            scoped=scoped,
            compile_chain=partial(compile_loop, told, services),
            compile_async=partial(compile_async_loop, told, services),
        )


UNWATCHED = Watch(NOBODY)


def watch_of(listeners: Listeners, services: Services, *, by_engine: bool) -> Watch:
    """Return who watches now.

    Args:
        listeners: the subscribed functions.
        services: what the manager's parts share.
        by_engine: whether hooks want to be told of events that only the engine can tell.
    """
    if by_engine:
        return Watch(ENGINE)
    if services.keeper is not None:
        return Watch(TRACE, services.keeper)
    if services.tracks_mutations or services.tracer is not None:
        return Watch(ENGINE)
    return Watch(SUBSCRIBERS) if listeners.functions else UNWATCHED
