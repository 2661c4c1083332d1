"""Find rules that can never act: what they would say, another rule has always said already."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from hookcore import NamePatterns

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ._rules import Effect, Rule


_EFFECTS: Final[tuple[Effect, ...]] = ("deny", "ask", "allow")
_VERBS: Final = {"deny": "denies", "ask": "asks about", "allow": "allows"}


@dataclass(frozen=True, slots=True)
class _Entry:
    """One pattern of one rule, with the rule's place in the order of all rules."""

    position: int
    rule: Rule
    pattern: str


def dead_rules(rules: list[Rule], default: Effect) -> list[str]:
    """Return one sentence for each rule that can never act, naming it and what stands above it.

    Only certainties are reported: a rule is dead when each of its tool patterns is covered by a
    rule that denies, or says the same, under no more conditions.

    Args:
        rules: the compiled rules.
        default: what happens to tools that no rule names.
    """
    sides = {effect: _Side(rules, effect) for effect in _EFFECTS}
    problems = []
    for position, rule in enumerate(rules):
        above = _above(position, rule, sides["deny"], sides[rule.effect])
        if above is not None:
            problems.append(_sentence(rule, above))
    return problems + _idle_allows(rules, default)


def _above(position: int, rule: Rule, denies: _Side, same: _Side) -> Rule | None:
    """Return a rule that leaves ``rule`` nothing to do, or None if it may still act."""
    above = None
    for pattern in rule.tools:
        entry = _Entry(position, rule, pattern)
        sides = (denies,) if rule.effect == "deny" else (denies, same)
        found = next((upper for side in sides for upper in side.outranking(entry)), None)
        if found is None:
            return None
        above = above or found.rule
    return above


def _sentence(rule: Rule, above: Rule) -> str:
    if above.effect == rule.effect and above.condition_keys == rule.condition_keys:
        same = above.tools == rule.tools
        if same:
            return f"{rule.where} can never act: it repeats {above.where}"
    verb = _VERBS[above.effect]
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


class _Side:
    """The patterns of all rules of one effect, and which of them cover which."""

    def __init__(self, rules: list[Rule], effect: Effect) -> None:
        self._effect = effect
        self._entries = [
            _Entry(position, rule, pattern)
            for position, rule in enumerate(rules)
            if rule.effect == effect
            for pattern in rule.tools
        ]
        self._patterns = NamePatterns(entry.pattern for entry in self._entries)

    def outranking(self, lower: _Entry) -> Iterator[_Entry]:
        """Yield entries that ask for no more, and match whatever another's pattern matches."""
        for place in self._covering(lower.pattern, lower.rule.effect):
            upper = self._entries[place]
            if upper.position == lower.position:
                continue
            if not upper.rule.condition_keys <= lower.rule.condition_keys:
                continue
            # Of two that say the same, the later one is the superfluous one.
            if upper.position < lower.position or not self._is_twin(upper, lower):
                yield upper

    def _covering(self, pattern: str, effect: Effect) -> list[int]:
        """Return the places of patterns that match whatever one matches in a rule of an effect.

        Allow rules match names as they are written; what covers those in any spelling, or as they
        are written, will do for a deny rule's pattern above them.
        """
        if self._effect == "allow":
            return self._patterns.covering(pattern, as_written=True)
        found = self._patterns.covering(pattern)
        if effect == "allow":
            found = sorted({*found, *self._patterns.covering(pattern, as_written=True)})
        return found

    def _is_twin(self, upper: _Entry, lower: _Entry) -> bool:
        """Tell whether two say the same: each covers the other, under the same conditions."""
        if upper.rule.effect != lower.rule.effect:
            return False
        if upper.rule.condition_keys != lower.rule.condition_keys:
            return False
        back = self._covering(upper.pattern, self._effect)
        return any(self._entries[place].position == lower.position for place in back)
