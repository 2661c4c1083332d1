"""Which rules can never act: what they would say, another rule has always said already."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ._names import ToolName

if TYPE_CHECKING:
    from ._globs import Glob
    from ._rules import Effect, Rule


@dataclass(frozen=True, slots=True)
class _Entry:
    """One glob of one rule, with the rule's place in the order of all rules."""

    position: int
    rule: Rule
    glob: Glob


def dead_rules(rules: list[Rule], default: Effect) -> list[str]:
    """Return one sentence for each rule that can never act, naming it and what stands above it.

    Only certainties are reported: a rule is dead when each of its tool patterns is covered by a
    rule that denies, or says the same, under no more conditions.

    Args:
        rules: the compiled rules.
        default: what happens to tools that no rule names.
    """
    entries = [
        _Entry(position, rule, glob) for position, rule in enumerate(rules) for glob in rule.globs
    ]
    denies = _Denies([entry for entry in entries if entry.rule.effect == "deny"])
    allows = _Allows([entry for entry in entries if entry.rule.effect == "allow"])
    problems = []
    for position, rule in enumerate(rules):
        above = _above(position, rule, denies, allows)
        if above is not None:
            problems.append(_sentence(rule, above))
    return problems + _idle_allows(rules, default)


def _above(position: int, rule: Rule, denies: _Denies, allows: _Allows) -> Rule | None:
    """Return a rule that leaves ``rule`` nothing to do, or None if it may still act."""
    above = None
    for glob in rule.globs:
        entry = _Entry(position, rule, glob)
        candidates = denies.covering(entry)
        if rule.effect == "allow":
            candidates = (*candidates, *allows.covering(entry))
        found = next((item.rule for item in candidates if _outranks(item, entry)), None)
        if found is None:
            return None
        above = above or found
    return above


def _outranks(upper: _Entry, lower: _Entry) -> bool:
    """Return whether ``upper``, whose glob covers the lower's, asks for no more and comes first."""
    if upper.position == lower.position:
        return False
    if not upper.rule.condition_keys <= lower.rule.condition_keys:
        return False
    is_twin = (
        upper.rule.effect == lower.rule.effect
        and upper.rule.condition_keys == lower.rule.condition_keys
        and _covers(lower.rule.effect, lower.glob, upper.glob)
    )
    # Of two that say the same, the later one is the superfluous one.
    return not is_twin or upper.position < lower.position


def _sentence(rule: Rule, above: Rule) -> str:
    if above.effect == rule.effect and above.condition_keys == rule.condition_keys:
        same = [glob.text for glob in above.globs] == [glob.text for glob in rule.globs]
        if same:
            return f"{rule.where} can never act: it repeats {above.where}"
    verb = "denies" if above.effect == "deny" else "allows"
    return f"{rule.where} can never act: {above.where} {verb} all that it could match"


def _idle_allows(rules: list[Rule], default: Effect) -> list[str]:
    """Report allows that change nothing, because unlisted tools are allowed and no rule limits."""
    allows = [rule for rule in rules if rule.effect == "allow"]
    if default == "deny" or any(rule.conditions for rule in allows):
        return []
    return [
        f'{rule.where} can never act: default = "allow" lets every other tool through as well; '
        'write default = "deny" if only the listed tools are meant'
        for rule in allows
    ]


def _covers(effect: Effect, wide: Glob, narrow: Glob) -> bool:
    """Return True only if, for rules of this effect, ``wide`` matches whatever ``narrow`` does."""
    if effect == "allow" or not (narrow.is_exact and narrow.plain):
        return wide.covers(narrow)
    # An exact deny pattern catches every spelling with the same sanitised form.
    return wide.matches_any_form(ToolName(narrow.plain))


class _Denies:
    """The globs of the deny rules, looked up by exact form or tried one by one."""

    def __init__(self, entries: list[_Entry]) -> None:
        self._wild = [entry for entry in entries if not entry.glob.is_exact]
        self._exact: defaultdict[str, list[_Entry]] = defaultdict(list)
        for entry in entries:
            if entry.glob.is_exact:
                for form in {entry.glob.name, entry.glob.plain} - {""}:
                    self._exact[form].append(entry)

    def covering(self, entry: _Entry) -> tuple[_Entry, ...]:
        """Return the deny entries whose glob matches whatever the given entry's glob does."""
        glob = entry.glob
        if not glob.is_exact:
            return tuple(item for item in self._wild if item.glob.covers(glob))
        if entry.rule.effect == "deny" and glob.plain:
            wild = (item for item in self._wild if _covers("deny", item.glob, glob))
            return (*self._exact[glob.plain], *wild)
        name = ToolName(glob.name)
        wild = (item for item in self._wild if item.glob.matches_any_form(name))
        return (*self._exact[glob.name], *self._exact[glob.plain], *wild)


class _Allows:
    """The globs of the allow rules, which match names only as they are written."""

    def __init__(self, entries: list[_Entry]) -> None:
        self._wild = [entry for entry in entries if not entry.glob.is_exact]
        self._exact: defaultdict[str, list[_Entry]] = defaultdict(list)
        for entry in entries:
            if entry.glob.is_exact:
                self._exact[entry.glob.name].append(entry)

    def covering(self, entry: _Entry) -> tuple[_Entry, ...]:
        """Return the allow entries whose glob matches whatever the given entry's glob does."""
        wild = tuple(item for item in self._wild if item.glob.covers(entry.glob))
        return (*self._exact[entry.glob.name], *wild) if entry.glob.is_exact else wild
