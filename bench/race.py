"""Timing contestants against each other so that a noisy machine does not decide.

All contestants run in short bursts, in rounds, in alternating order; what is reported are ratios
between bursts of the same round, over all rounds.
"""

from __future__ import annotations

import gc
import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

__all__ = ["Burst", "Claim", "Round", "Verdict", "judge", "lasting", "race", "ratio", "summary"]

Burst = Callable[[int], float]
"""Does the operation so many times; returns the seconds that it took."""

Round = Mapping[str, float]
"""Nanoseconds of one operation by contestant, in one round."""


@dataclass(frozen=True)
class Claim:
    """A ratio of one round's times, or such a time, and the limit that it has to keep."""

    name: str
    ratio: Callable[[Round], float]
    sense: Literal["<=", ">=", ""] = ""
    limit: float | None = None
    by_best: bool = False
    """True where the least times of all rounds decide, not the median of the rounds' ratios."""
    unit: str = ""
    """The limit's unit, where it is no ratio."""


@dataclass(frozen=True)
class Verdict:
    """A claim as it was measured: the median, the quartiles, and the ratio of the best times."""

    name: str
    median: float
    quartiles: tuple[float, float]
    best: float
    sense: str
    limit: float | None
    by_best: bool = False
    unit: str = ""

    @property
    def value(self) -> float:
        """The figure that decides: the median, or the ratio of the best times."""
        return self.best if self.by_best else self.median

    @property
    def kept(self) -> bool | None:
        """True when the limit was kept; None when the claim has none."""
        if self.limit is None:
            return None
        return self.value <= self.limit if self.sense == "<=" else self.value >= self.limit


def ratio(
    top: str,
    bottom: str,
    limit: float | None = None,
    *,
    name: str | None = None,
    of: int = 1,
) -> Claim:
    """Claim that one contestant takes at most so many times as long as another one, at its least.

    Args:
        top: the contestant.
        bottom: what it is compared with.
        limit: how many times as long it may take; None to tell only.
        name: what the claim is called; after the two when None.
        of: how many times the other one is to be taken.
    """
    return Claim(
        name or f"{top} / {bottom}",
        lambda times: times[top] / times[bottom] / of,
        "" if limit is None else "<=",
        limit,
        by_best=True,
    )


def lasting(top: str, limit: float, unit: Literal["us", "ms", "s"]) -> Claim:
    """Claim that a contestant takes at most so long, at its least.

    Args:
        top: the contestant.
        limit: the most that it may take.
        unit: what the limit counts.
    """
    size = {"us": 1e3, "ms": 1e6, "s": 1e9}[unit]
    return Claim(top, lambda times: times[top] / size, "<=", limit, by_best=True, unit=unit)


def race(
    contestants: Mapping[str, Burst], *, rounds: int, burst_s: float, baseline: str | None = None
) -> list[Round]:
    """Run all contestants in interleaved rounds.

    Args:
        contestants: the bursts by name.
        rounds: how many rounds.
        burst_s: about how long one burst shall take, in seconds.
        baseline: the contestant whose time (an empty loop's) is taken off all others.

    Returns:
        One mapping of names to nanoseconds for each round.
    """
    counts = {name: _calibrated(burst, burst_s) for name, burst in contestants.items()}
    order = list(contestants)
    results: list[Round] = []
    for _ in range(rounds):
        gc.collect()
        gc.disable()
        try:
            times = {name: contestants[name](counts[name]) / counts[name] * 1e9 for name in order}
        finally:
            gc.enable()
        off = 0.0 if baseline is None else times[baseline]
        results.append({name: max(times[name] - off, 0.1) for name in contestants})
        order.reverse()
    return results


def _calibrated(burst: Burst, seconds: float) -> int:
    burst(1)  # the first time pays for what is cached afterwards
    if seconds <= 0:
        return 1
    count = 1
    while (took := burst(count)) < seconds / 8 and count < 10_000_000:
        count *= 4
    return max(1, round(count * seconds / took)) if took > 0 else count


def judge(claims: Sequence[Claim], rounds: Sequence[Round]) -> list[Verdict]:
    """Return what the rounds say of each claim."""
    best = {name: min(one[name] for one in rounds) for name in rounds[0]}
    verdicts = []
    for claim in claims:
        ratios = [claim.ratio(one) for one in rounds]
        low, middle, high = quartiles(ratios)
        verdicts.append(
            Verdict(
                claim.name,
                middle,
                (low, high),
                claim.ratio(best),
                claim.sense,
                claim.limit,
                claim.by_best,
                claim.unit,
            )
        )
    return verdicts


def quartiles(values: Sequence[float]) -> tuple[float, float, float]:
    """Return the three quartiles; of a single value, that value."""
    if len(values) == 1:
        return values[0], values[0], values[0]
    low, middle, high = statistics.quantiles(values, n=4, method="inclusive")
    return low, middle, high


def summary(rounds: Sequence[Round]) -> dict[str, dict[str, float]]:
    """Return the median and the best time of each contestant, in nanoseconds."""
    return {
        name: {
            "median_ns": statistics.median(one[name] for one in rounds),
            "best_ns": min(one[name] for one in rounds),
        }
        for name in rounds[0]
    }
