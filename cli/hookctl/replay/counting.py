"""Findings counted by what made them."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .findings import Ledger

__all__ = ["COLUMNS", "statistics"]

COLUMNS = ("count", "plugin", "verdict", "point", "tool", "rule", "reason")
_KEYS = COLUMNS[1:-2]


def statistics(ledger: Ledger) -> list[dict[str, Any]]:
    """Count findings by plugin, verdict, point, tool and rule.

    Args:
        ledger: what was found.

    Returns:
        A row for each kind, the most frequent first. Where a policy names no rule, the reason
        stands for it; else it is the first one that the rule gave.
    """
    counts: Counter[tuple[Any, ...]] = Counter()
    reasons: dict[tuple[Any, ...], Any] = {}
    for finding in ledger.findings():
        rule = finding.get("rule")
        told = (rule, None) if rule is not None else (None, finding["reason"])
        kind = (*(finding[key] for key in _KEYS), *told)
        counts[kind] += 1
        reasons.setdefault(kind, finding["reason"])
    ordered = sorted(counts.items(), key=lambda item: (-item[1], tuple(map(str, item[0]))))
    return [
        {"count": count, **dict(zip(COLUMNS[1:], (*kind[:-1], reasons[kind]), strict=True))}
        for kind, count in ordered
    ]
