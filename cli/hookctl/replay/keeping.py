"""The payloads of a run as they were recorded: what hooks are shown are copies of them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from hookcore.dispatch.copying import copy_payload

from .changes import LeafChange, equal, leaf_changes

if TYPE_CHECKING:
    from hookcore import HookContext

    from .verdicts import Judgement

__all__ = ["Changed", "Keeper", "Shown"]


@dataclass(slots=True)
class Shown:
    """Copies of a list's items, which are shown again as long as nobody has edited them."""

    _copies: list[object] = field(default_factory=list)

    def of(self, items: list[Any]) -> list[Any]:
        """Copy a list.

        Args:
            items: the list; mostly what it was last time, and some more.

        Returns:
            A new list of copies.
        """
        copies = self._copies
        if not equal(copies, items[: len(copies)]):
            copies.clear()
        copies += copy_payload(items[len(copies) :])
        return copies.copy()


@dataclass(slots=True)
class Keeper:
    """Knows what the payloads of a run are: see `hookcore.tracing.Keeper`."""

    _ctx: HookContext | None = None
    _recorded: object = None
    _edited: dict[int, object] = field(default_factory=dict)

    def show(self, ctx: HookContext, recorded: object) -> None:
        """Take note of what a context shows.

        Args:
            ctx: the context that is dispatched next.
            recorded: what its payload is a copy of; nothing that a hook is given.
        """
        self._ctx, self._recorded = ctx, recorded

    def forget(self) -> None:
        """Forget a run that is over."""
        self._ctx = self._recorded = None
        self._edited.clear()

    def before(self, ctx: HookContext) -> object:
        """Give what the payload of a context is.

        Args:
            ctx: the context; what a plugin dispatches on a thread of its own was never recorded.

        Returns:
            The recorded value, or a copy.
        """
        return self._recorded if ctx is self._ctx else copy_payload(ctx.payload)

    def after(self, payload: object, before: object) -> object:
        """Keep what a hook left.

        Args:
            payload: the payload now.
            before: what it was.

        Returns:
            The same object where nothing has changed; else a copy, whose items are the same ones
            where a list's items have not changed, or are what they came to last time.
        """
        # Equal values of two types, 1 and True, are no change that a finding would tell of.
        if equal(payload, before):
            return before
        if type(payload) is list and type(before) is list and len(payload) == len(before):
            return [
                was if equal(item, was) else self._again(at, item)
                for at, (item, was) in enumerate(zip(payload, before, strict=True))
            ]
        return copy_payload(payload)

    def _again(self, at: int, item: object) -> object:
        known = self._edited.get(at)
        if known is None or not equal(item, known):
            known = self._edited[at] = copy_payload(item)
        return known


@dataclass(slots=True)
class Changed:
    """The changes of a run's payloads, told again of messages that come again and again."""

    _known: dict[tuple[str | None, int], tuple[object, object, list[LeafChange]]] = field(
        default_factory=dict
    )

    def by(self, judgement: Judgement) -> list[LeafChange]:
        """List what a plugin changed in a payload.

        Args:
            judgement: its judgement.

        Returns:
            The smallest values that differ; none where the payloads are not known.
        """
        if not judgement.comparable:
            return []
        before, after = judgement.before, judgement.after
        try:
            if type(before) is list and type(after) is list and len(before) == len(after):
                pairs = enumerate(zip(before, after, strict=True))
                return [
                    change
                    for at, (was, now) in pairs
                    if was is not now
                    for change in self._of_item(judgement.plugin, at, was, now)
                ]
            return leaf_changes(before, after)
        except RecursionError:  # a policy may build what no transcript holds
            return [LeafChange((), "(nested too deeply)", "(nested too deeply)")]

    def _of_item(self, plugin: str | None, at: int, was: object, now: object) -> list[LeafChange]:
        known = self._known.get((plugin, at))
        if known is None or known[0] is not was or known[1] is not now:
            known = self._known[plugin, at] = (was, now, leaf_changes(was, now, (at,)))
        return known[2]
