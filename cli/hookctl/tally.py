"""The counts and times of one plugin at one point, from the log of decisions."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

__all__ = ["Tally"]


@dataclass(slots=True)
class Tally:
    """The counts and times of one plugin at one point."""

    verdicts: Counter[str] = field(default_factory=Counter)
    would: Counter[str] = field(default_factory=Counter)
    """Verdicts that were only observed, in monitor mode."""
    rules: Counter[str] = field(default_factory=Counter)
    """The rules that stopped something; an empty name where the plugin named none."""
    would_rules: Counter[str] = field(default_factory=Counter)
    """The same in monitor mode, where nothing was stopped."""
    rule_calls: Counter[str] = field(default_factory=Counter)
    """The calls that rules judged which are only monitored, while their plugin is enforced."""
    rule_stops: Counter[str] = field(default_factory=Counter)
    """Those of them that the rule would have stopped."""
    times: dict[int, tuple[int, float]] = field(default_factory=dict)
    """For each class of durations, how many of the calls are in it, and their milliseconds."""

    @property
    def calls(self) -> int:
        """The number of times that its hooks ran."""
        return sum(number for number, _ in self.times.values())

    @property
    def failures(self) -> int:
        """The number of times that they failed."""
        return self.verdicts["error"] + self.verdicts["timeout"]

    def quantile(self, share: float) -> float | None:
        """Return the milliseconds that so many of the calls took at most, give or take 1 %."""
        before, at = 0, int(share * self.calls)
        for _, (number, milliseconds) in sorted(self.times.items()):
            before += number
            if before > at or before == self.calls:
                return milliseconds / number
        return None
