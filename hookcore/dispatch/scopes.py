"""Hooks that join for the current execution only, as values in a context variable."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from typing import Any

from hookcore_specs import HookContext

from ..hooks.hook import Hook
from .plan import Plan
from .unfinished import Loop, Unfinished

__all__ = ["Scope", "Scopes", "Token"]


class Scope:
    """The hooks of one ``with manager.scope(...)`` and of those around it; never changes.

    Args:
        outer: the scope around it.
        own: its own hooks.
        compile_plan: makes a point's plan.
        owner: who may replace its hooks later, with those of the scopes inside it kept.
        content: what the owner made its hooks of.
    """

    __slots__ = ("_compile", "_hooks", "_own", "_plans", "content", "outer", "owner")

    def __init__(
        self,
        outer: Token,
        own: Iterable[Hook],
        compile_plan: Callable[..., Plan],
        *,
        owner: object = None,
        content: Any = None,
    ) -> None:
        self.outer = outer
        self.owner = owner
        self.content = content
        self._compile = compile_plan
        depth, around = outer[0] + 1, outer[1]
        # An inner scope's hooks run after the outer one's.
        self._own = [_at_depth(hook, depth) for hook in own]
        self._hooks: dict[str, list[Hook]] = dict(around._hooks) if around is not None else {}
        for hook in self._own:
            name = hook.spec.name
            self._hooks[name] = [*self._hooks.get(name, ()), hook]
        self._plans: dict[str, tuple[Plan, Plan]] = {}

    def moved(self, outer: Token) -> Scope:
        """Return a scope with the same hooks of its own inside another one."""
        return Scope(outer, self._own, self._compile, owner=self.owner, content=self.content)

    def plan(self, base: Plan) -> Plan:
        """Return the point's plan with the scope's hooks in it."""
        name = base.spec.name
        cached = self._plans.get(name)
        if cached is not None and cached[0] is base:
            return cached[1]
        plan = self._compile(base.spec, (*base.hooks, *self._hooks.get(name, ())))
        self._plans[name] = (base, plan)
        return plan


def _at_depth(hook: Hook, depth: int) -> Hook:
    """Return a hook as that of a scope so deep; other executions may still have the given one."""
    if hook.key[0] == depth:
        return hook
    twin = copy.copy(hook)
    twin.key = (depth, *hook.key[1:])
    return twin


Token = tuple[int, "Scope | None"]
"""A scope as a value: how many scopes deep it is, and its hooks."""


class Scopes:
    """The scope of each execution, in a context variable of the manager's own."""

    def __init__(self) -> None:
        self._current: ContextVar[Token] = ContextVar("hookcore_scope", default=(0, None))
        #: The points that a scope ever had hooks at. They are never taken out: a task that was
        #: started in a scope keeps it after the scope has ended elsewhere.
        self.points: frozenset[str] = frozenset()

    @property
    def current(self) -> Scope | None:
        """The scope of the calling execution."""
        return self._current.get()[1]

    def loop(self, base: Plan, without: Plan) -> Loop:
        """Return the compiled loop of a point that scopes have hooks at.

        Args:
            base: the point's plan, which the scopes' plans are made of.
            without: the same for executions outside any scope.
        """
        get, outside = self._current.get, without.loop if without.hooks else None

        def run(ctx: HookContext) -> Unfinished | None:
            scope = get()[1]
            if scope is not None:
                return scope.plan(base).loop(ctx)
            return None if outside is None else outside(ctx)

        return run

    def owned(self, owner: object) -> Scope | None:
        """Return the scope of an owner's that the calling execution is in."""
        scope = self.current
        while scope is not None and scope.owner is not owner:
            scope = scope.outer[1]
        return scope

    def replace(self, owner: object, make: Callable[[Token], Token] | None) -> None:
        """Put another scope in the place of an owner's, with the scopes inside it as they are.

        Args:
            owner: whose; one that the execution is not in is entered.
            make: makes the scope, inside the one it is given; None to leave the owner's.
        """
        found = self.owned(owner)
        inside: list[Scope] = []
        token = self.token()
        if found is not None:
            while (scope := token[1]) is not None and scope is not found:
                inside.append(scope)
                token = scope.outer
            token = found.outer
        elif make is None:
            return
        if make is not None:
            token = make(token)
        for scope in reversed(inside):
            token = (token[0] + 1, scope.moved(token))
        self.put(token)

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
