"""Making a scope of plugins: they are registered apart, and never seen outside of it."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import Any
from weakref import ReferenceType, ref

from ..hooks.dialect import Registration
from ..hooks.loopless import Loopless
from ..hooks.record import Record
from ..hooks.registry import Registry
from ..hooks.traces import content_of, is_unchanged, traces_of
from .plans import Plans
from .scopes import Scope, Token

__all__ = ["Scoping"]

_MOST_KEPT = 64


class Scoping:
    """Makes and ends the scopes of one manager.

    Args:
        plans: the plans in force, which a scope's are made of.
        loopless: where async wraps are refused.
    """

    def __init__(self, plans: Plans, loopless: Loopless) -> None:
        self._plans = plans
        self._loopless = loopless
        # A policy that is in force for one request after the other is looked into once; one that
        # is made for each request is not kept.
        self._seen: OrderedDict[int, ReferenceType[Any]] = OrderedDict()
        self._kept: OrderedDict[int, tuple[Any, list[Any], object, Record]] = OrderedDict()

    @contextmanager
    def enter(self, plugins: tuple[Any, ...]) -> Iterator[tuple[str, ...]]:
        """Add plugins until the block ends; yields their names in the scope.

        The block ends its own hooks, whichever other blocks began or ended meanwhile.
        """
        owner = object()
        names: list[str] = []

        def make(outer: Token) -> Token:
            made, token = self._extend(outer, plugins, owner=owner)
            names.extend(made)
            return token

        self._plans.scopes.replace(owner, make)
        try:
            yield tuple(names)
        finally:
            self._plans.scopes.replace(owner, None)

    def extended(self, outer: Token, plugins: Iterable[Any]) -> Token:
        """Return the scope ``outer`` with more plugins; it takes effect where it is put in force.

        Args:
            outer: what :meth:`Scopes.token` returned.
            plugins: what :meth:`enter` takes, or :class:`Registration` objects.
        """
        return self._extend(outer, plugins)[1]

    def check(self, given: Registration) -> None:
        """See to it that a function can be a hook of a scope.

        Raises:
            RegistrationError: it cannot.
        """
        self._registry().add_function(given)

    def _registry(self) -> Registry:
        return Registry(self._plans.table, scoped=True, loopless=self._loopless)

    def replace(self, owner: object, plugins: Iterable[Any] | None, content: Any = None) -> None:
        """Give the owner's scope other plugins, with the scopes inside it as they are.

        Args:
            owner: whose; one that the execution is not in is entered.
            plugins: what :meth:`extended` takes; None to leave the scope.
            content: what ``plugins`` were made of, for :meth:`Scopes.owned` to tell.
        """
        if plugins is None:
            self._plans.scopes.replace(owner, None)
            return

        def make(outer: Token) -> Token:
            return self._extend(outer, plugins, owner=owner, content=content)[1]

        self._plans.scopes.replace(owner, make)

    def _extend(
        self, outer: Token, plugins: Iterable[Any], *, owner: object = None, content: Any = None
    ) -> tuple[tuple[str, ...], Token]:
        given = tuple(plugins)
        known = self._known(given[0]) if len(given) == 1 else None
        records = self._records(given) if known is None else [known]
        points = frozenset(point for record in records for point in record.points)
        if not points <= self._plans.scopes.points:
            self._plans.extend_scoped(points)
        hooks = [hook for record in records for hook in record.hooks]
        scope = Scope(outer, hooks, self._plans.compile, owner=owner, content=content)
        return tuple(record.name for record in records), (outer[0] + 1, scope)

    def _records(self, given: tuple[Any, ...]) -> list[Record]:
        registry = self._registry()
        records = [
            registry.add_function(plugin)
            if isinstance(plugin, Registration)
            else registry.add(plugin)
            for plugin in given
        ]
        if len(given) == 1 and not isinstance(given[0], Registration):
            self._keep(given[0], records[0])
        return records

    def _keep(self, plugin: Any, record: Record) -> None:
        """Remember what was made of a plugin that has been in a scope before."""
        content = content_of(plugin)
        if content is None:
            return
        seen = self._seen.get(id(plugin))
        if seen is not None and seen() is plugin:
            self._kept[id(plugin)] = (plugin, traces_of(content), self._rules(), record)
            while len(self._kept) > _MOST_KEPT:
                self._kept.popitem(last=False)
            return
        with suppress(TypeError):  # it takes no weak references
            self._seen[id(plugin)] = ref(plugin)
            while len(self._seen) > _MOST_KEPT:
                self._seen.popitem(last=False)

    def _rules(self) -> tuple[int, int]:
        """Return what tells whether a plugin could be registered now as it was before."""
        return len(self._plans.table), len(self._loopless)

    def _known(self, plugin: Any) -> Record | None:
        """Return what was made of a plugin when it was last in a scope, if it is as it was then."""
        kept = self._kept.get(id(plugin))
        if kept is None or kept[0] is not plugin or kept[2] != self._rules():
            return None
        content = content_of(plugin)
        if content is None or not is_unchanged(kept[1], content):
            return None
        return kept[3]
