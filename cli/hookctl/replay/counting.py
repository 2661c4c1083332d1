"""Findings counted by what made them."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .findings import Ledger

__all__ = ["COLUMNS", "statistics"]

COLUMNS = ("count", "plugin", "verdict", "point", "tool", "reason")
_KEYS = COLUMNS[1:]


def statistics(ledger: Ledger) -> list[dict[str, Any]]:
    """Count findings by plugin, verdict, point, tool and reason, which names the rule.

    Args:
        ledger: what was found.

    Returns:
        A row for each kind, the most frequent first.
    """
    counts = Counter(tuple(finding[key] for key in _KEYS) for finding in ledger.findings())
    ordered = sorted(counts.items(), key=lambda item: (-item[1], tuple(map(str, item[0]))))
    return [{"count": count, **dict(zip(_KEYS, kind, strict=True))} for kind, count in ordered]
