"""Two replays of the same inputs, one held against the other."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .findings import Ledger

__all__ = ["TITLES", "Comparison", "Difference", "Kind", "compared"]

Kind = Literal["newly-aborted", "no-longer-aborted", "changed"]
TITLES: dict[Kind, str] = {
    "newly-aborted": "newly stopped",
    "no-longer-aborted": "no longer stopped",
    "changed": "changed otherwise",
}
"""The kinds of differences, in words."""
_Place = tuple[str, int, str]


@dataclass(frozen=True, slots=True)
class Difference:
    """A place at which two replays came to something else."""

    kind: Kind
    before: dict[str, Any] | None
    """A finding under the other configuration; None where it has none."""
    after: dict[str, Any] | None
    """A finding under this configuration; None where it has none."""

    @property
    def finding(self) -> dict[str, Any]:
        """The finding that tells of the place: this configuration's, where it has one."""
        return self.after or self.before or {}

    def as_json(self) -> dict[str, Any]:
        """Give the difference as JSON has it.

        Returns:
            Its kind, and both findings.
        """
        return {"kind": self.kind, "before": self.before, "after": self.after}


@dataclass(slots=True)
class Comparison:
    """All differences of two replays, in the order of this one."""

    differences: list[Difference] = field(default_factory=list)

    def count(self, kind: Kind) -> int:
        """Count the differences of one kind.

        Args:
            kind: the kind.

        Returns:
            How many there are.
        """
        return sum(difference.kind == kind for difference in self.differences)

    def as_json(self) -> dict[str, Any]:
        """Give the comparison as JSON has it.

        Returns:
            Counts by kind, counts by rule, and the differences.
        """
        return {
            "counts": {kind: self.count(kind) for kind in TITLES},
            "by_rule": self.by_rule(),
            "differences": [difference.as_json() for difference in self.differences],
        }

    def by_rule(self) -> list[dict[str, Any]]:
        """Count the differences by what made them.

        Returns:
            Kind, plugin, rule, reason and count, the most frequent first. Where a policy names no
            rule, the reason stands for it; else it is the first one that the rule gave.
        """
        counts: dict[tuple[Any, ...], int] = {}
        reasons: dict[tuple[Any, ...], Any] = {}
        for difference in self.differences:
            found = difference.finding
            rule = found.get("rule")
            told = (rule, None) if rule is not None else (None, found["reason"])
            key = (difference.kind, found["plugin"], *told)
            counts[key] = counts.get(key, 0) + 1
            reasons.setdefault(key, found["reason"])
        ordered = sorted(counts.items(), key=lambda item: (-item[1], str(item[0])))
        return [
            {
                "kind": key[0],
                "plugin": key[1],
                "rule": key[2],
                "reason": reasons[key],
                "count": count,
            }
            for key, count in ordered
        ]


def compared(before: Ledger, after: Ledger) -> Comparison:
    """Hold two replays of the same inputs against each other.

    A place is a step of a run at a point. It is newly stopped where only this configuration stops
    it, not stopped any more where only the other one does, and changed otherwise where their
    plugins, verdicts, reasons or changes are others. What is only monitored stops nothing.

    Args:
        before: the replay under the other configuration.
        after: the replay under this one.

    Returns:
        The differences.
    """
    there, here = _places(before), _places(after)
    found = Comparison()
    for place in {**here, **there}:
        found.differences += _differences(there.get(place, []), here.get(place, []))
    return found


def _places(ledger: Ledger) -> dict[_Place, list[str]]:
    places: dict[_Place, list[str]] = {}
    for line in ledger.lines():
        finding = json.loads(line)
        key = (finding["run"], finding["step"], finding["point"])
        places.setdefault(key, []).append(line)
    return places


def _differences(before: list[str], after: list[str]) -> Iterator[Difference]:
    if before == after:
        return
    there, here = [json.loads(line) for line in before], [json.loads(line) for line in after]
    was, is_ = _stopping(there), _stopping(here)
    if (was is None) != (is_ is None):
        kind: Kind = "newly-aborted" if was is None else "no-longer-aborted"
        yield Difference(kind, was or next(iter(there), None), is_ or next(iter(here), None))
        return
    gone = [finding for finding in there if _told(finding) not in map(_told, here)]
    fresh = [finding for finding in here if _told(finding) not in map(_told, there)]
    for at in range(max(len(gone), len(fresh))):
        yield Difference(
            "changed",
            gone[at] if at < len(gone) else None,
            fresh[at] if at < len(fresh) else None,
        )


def _stopping(findings: list[dict[str, Any]]) -> dict[str, Any] | None:
    stopping = (one for one in findings if one["stops"] and one["effect"] != "observed")
    return next(stopping, None)


def _told(finding: dict[str, Any]) -> tuple[Any, ...]:
    return tuple(finding[key] for key in ("plugin", "verdict", "effect", "reason", "diff"))
