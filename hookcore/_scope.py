"""Plugins that join for the current execution only."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

from hookcore_specs import HookContext

from ._dialect import Registration
from ._hook import Hook
from ._plan import Plan
from ._registry import Registry
from ._rest import Fast, Rest

if TYPE_CHECKING:
    from ._core import ManagerCore

__all__ = ["Scope", "Scopes"]


class Scope:
    """The hooks of one ``with manager.scope(...)`` and of those around it; never changes."""

    __slots__ = ("_compile", "_hooks", "_plans")

    def __init__(
        self, outer: Scope | None, registry: Registry, depth: int, compile_plan: Callable[..., Plan]
    ) -> None:
        self._compile = compile_plan
        self._hooks: dict[str, list[Hook]] = dict(outer._hooks) if outer is not None else {}
        for record in registry.records.values():
            for hook in record.hooks:
                # An inner scope's hooks run after the outer one's.
                hook.key = (depth, *hook.key[1:])
                name = hook.spec.name
                self._hooks[name] = [*self._hooks.get(name, ()), hook]
        self._plans: dict[str, tuple[Plan, Plan]] = {}

    def plan(self, base: Plan) -> Plan:
        """Return the point's plan with the scope's hooks in it."""
        name = base.spec.name
        cached = self._plans.get(name)
        if cached is not None and cached[0] is base:
            return cached[1]
        plan = self._compile(base.spec, (*base.hooks, *self._hooks.get(name, ())))
        self._plans[name] = (base, plan)
        return plan


Token = tuple[int, "Scope | None"]
"""A scope as a value: how many scopes deep it is, and its hooks."""


class Scopes:
    """The scope of each execution, in a context variable of the manager's own."""

    def __init__(self, manager: ManagerCore) -> None:
        self._manager = manager
        self._current: ContextVar[Token] = ContextVar("hookcore_scope", default=(0, None))
        #: The points that a scope ever had hooks at. They are never taken out: a task that was
        #: started in a scope keeps it after the scope has ended elsewhere.
        self.points: frozenset[str] = frozenset()

    @property
    def current(self) -> Scope | None:
        """The scope of the calling execution."""
        return self._current.get()[1]

    def fast(self, base: Plan, without: Plan) -> Fast:
        """Return the compiled loop of a point that scopes have hooks at.

        Args:
            base: the point's plan, which the scopes' plans are made of.
            without: the same for executions outside any scope.
        """
        get, outside = self._current.get, without.fast if without.hooks else None

        def run(ctx: HookContext) -> Rest | None:
            scope = get()[1]
            if scope is not None:
                return scope.plan(base).fast(ctx)
            return None if outside is None else outside(ctx)

        return run

    @contextmanager
    def enter(self, plugins: tuple[Any, ...]) -> Iterator[tuple[str, ...]]:
        """Add plugins until the block ends; yields their names in the scope."""
        names, scope = self._extend(self._current.get(), plugins)
        with self.use(scope):
            yield names

    def extended(self, outer: Token, plugins: Iterable[Any]) -> Token:
        """Return the scope ``outer`` with more plugins; it takes effect where it is put in force.

        Args:
            outer: what :meth:`token` returned.
            plugins: what :meth:`enter` takes, or :class:`Registration` objects.
        """
        return self._extend(outer, plugins)[1]

    def _extend(self, outer: Token, plugins: Iterable[Any]) -> tuple[tuple[str, ...], Token]:
        registry = self._manager._scoped_registry()
        records = [
            registry.add_function(plugin)
            if isinstance(plugin, Registration)
            else registry.add(plugin)
            for plugin in plugins
        ]
        depth = outer[0] + 1
        points = frozenset(point for record in records for point in record.points)
        if not points <= self.points:
            self._manager._extend_scoped(points)
        scope = Scope(outer[1], registry, depth, self._manager._compile)
        return tuple(record.name for record in records), (depth, scope)

    def put(self, scope: Token) -> None:
        """Make a scope the current one, until somebody puts another."""
        self._current.set(scope)

    def token(self) -> Token:
        """Return the current scope as a value that :meth:`use` takes, for streams to carry."""
        return self._current.get()

    @contextmanager
    def use(self, scope: Token) -> Iterator[None]:
        """Make a scope the current one until the block ends."""
        token = self._current.set(scope)
        try:
            yield
        finally:
            with suppress(ValueError):  # the block may end in another context than it began in
                self._current.reset(token)
