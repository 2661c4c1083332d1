"""Find the conditions that hold for a call: all expressions on one path in one search."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Final

from hookcore import RegexSet, to_utf8

from ._paths import MISSING, OPAQUE, ArgumentPath
from ._values import NotJsonError, canonical_json, leaves_in

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from ._rules import Effect, Rule

__all__ = ["Choice", "Search", "searches"]

_Key = tuple[object, str]
_NONE: Final[frozenset[_Key]] = frozenset()


class Search:
    """All expressions that rules of one effect search for at one path.

    Args:
        path: where they look.
        expressions: what for.
        effect: of the rules.
    """

    __slots__ = ("_denies", "_keys", "_path", "_set")

    def __init__(self, path: ArgumentPath, expressions: Iterable[str], effect: Effect) -> None:
        self._path = path
        self._denies = effect != "allow"  # who asks must see what a deny rule would
        texts = list(dict.fromkeys(expressions))
        self._keys = [(path.steps, text) for text in texts]
        # A line break must not carry a text past a deny rule, nor into an allow rule.
        self._set = RegexSet(texts, dot_matches_newline=self._denies)

    def holding(self, arguments: object) -> Collection[_Key]:
        """Return the keys of the conditions that hold for a call's arguments."""
        values = self._path.values_in(arguments)
        return self._denying(values) if self._denies else self._allowing(values)

    def _denying(self, values: Iterable[object]) -> Collection[_Key]:
        """Return those that any value matches; a value that cannot be read matches all."""
        found: set[int] = set()
        for value in values:
            if value is MISSING:
                continue
            text = None if value is OPAQUE else _text(value)
            if text is None:
                return self._keys
            found.update(self._set.matching(text))
            # Wrapping a value must not hide it.
            if isinstance(value, list | tuple | dict):
                for leaf in leaves_in(value):
                    found.update(self._set.matching(leaf.encode("utf-8")))
        return {self._keys[place] for place in found}

    def _allowing(self, values: Iterable[object]) -> Collection[_Key]:
        """Return those that every value matches; there must be one on every branch."""
        found: set[int] | None = None
        for value in values:
            text = None if value is MISSING or value is OPAQUE else _text(value)
            if text is None:
                return _NONE
            places = self._set.matching(text)
            found = set(places) if found is None else found.intersection(places)
            if not found:
                return _NONE
        return {self._keys[place] for place in found or ()}


def searches(rules: Sequence[Rule], effect: Effect) -> dict[object, Search]:
    """Return the searches that rules need, by the steps of their paths."""
    paths: dict[object, ArgumentPath] = {}
    expressions: defaultdict[object, list[str]] = defaultdict(list)
    for rule in rules:
        for condition in rule.conditions:
            steps = condition.path.steps
            paths.setdefault(steps, condition.path)
            expressions[steps].append(condition.expression)
    return {steps: Search(path, expressions[steps], effect) for steps, path in paths.items()}


class Choice:
    """Rules of one effect, all with conditions, among which a call's arguments choose.

    Args:
        rules: the rules, in order.
        found_by: the searches, by the steps of their paths.
    """

    __slots__ = ("_found_by", "_places", "_rules")

    def __init__(self, rules: Sequence[Rule], found_by: Mapping[object, Search]) -> None:
        self._rules = rules
        self._found_by = found_by
        self._places: dict[object, defaultdict[_Key, list[int]]] = {}
        for place, rule in enumerate(rules):
            first = rule.conditions[0]
            by_key = self._places.setdefault(first.path.steps, defaultdict(list))
            by_key[first.key].append(place)

    def first(self, arguments: object) -> Rule | None:
        """Return the first rule whose conditions all hold, or None."""
        found: dict[object, Collection[_Key]] = {}
        candidates: list[int] = []
        for steps, by_key in self._places.items():
            found[steps] = self._found_by[steps].holding(arguments)
            for key in found[steps]:
                candidates += by_key.get(key, ())
        for place in sorted(candidates):
            if all(
                key in self._holding(steps, arguments, found) for steps, key in self._rest(place)
            ):
                return self._rules[place]
        return None

    def _rest(self, place: int) -> Iterable[tuple[object, _Key]]:
        return ((each.path.steps, each.key) for each in self._rules[place].conditions[1:])

    def _holding(
        self, steps: object, arguments: object, found: dict[object, Collection[_Key]]
    ) -> Collection[_Key]:
        if steps not in found:
            found[steps] = self._found_by[steps].holding(arguments)
        return found[steps]


def _text(value: object) -> bytes | None:
    """Return what is searched for ``value``, or None if it cannot be read."""
    if isinstance(value, str):
        return to_utf8(value)
    try:
        return to_utf8(canonical_json(value))
    except NotJsonError:
        return None
