"""Plugins and rules in monitor mode, and whether they are quiet enough to be enforced."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from .tally import Tally

    Found = Mapping[tuple[str, str], Tally]

__all__ = ["monitored", "verdict_on"]

ENOUGH_CALLS = 1000
"""The calls in monitor mode before a plugin or rule is said to be quiet enough to be enforced."""


def monitored(found: Found) -> list[dict[str, Any]]:
    """Tell of each plugin and rule in monitor mode whether it is quiet enough to be enforced.

    It is when a thousand calls and more were neither to be stopped nor failed; None, when there
    were too few calls to tell.

    Args:
        found: the tallies, by plugin and point.

    Returns:
        Plain values for JSON; ``rule`` is None for a whole plugin.
    """
    told = []
    for plugin in sorted({plugin for plugin, _ in found}):
        mine = [tally for (name, _), tally in found.items() if name == plugin]
        if any(tally.would for tally in mine):
            told.append(_plugin(plugin, mine))
        told += _rules(plugin, mine)
    return told


def _plugin(plugin: str, mine: list[Tally]) -> dict[str, Any]:
    would = sum((tally.would for tally in mine), Counter[str]())
    calls, failures = sum(would.values()), would["error"] + would["timeout"]
    loud = would["deny"] + failures
    rules = sum((tally.would_rules for tally in mine), Counter[str]())
    enough = True if calls >= ENOUGH_CALLS else None
    return {
        "plugin": plugin,
        "rule": None,
        "calls": calls,
        "would_deny": would["deny"],
        "would_modify": would["modify"],
        "failures": failures,
        "quiet": False if loud else enough,
        "loud_rules": sorted(filter(None, rules)),
        "other_rules_quiet": False if rules[""] or failures or not rules else enough,
    }


def _rules(plugin: str, mine: list[Tally]) -> Iterator[dict[str, Any]]:
    calls = sum((tally.rule_calls for tally in mine), Counter[str]())
    stops = sum((tally.rule_stops for tally in mine), Counter[str]())
    for rule, number in sorted(calls.items()):
        enough = True if number >= ENOUGH_CALLS else None
        yield {
            "plugin": plugin,
            "rule": rule,
            "calls": number,
            "would_deny": stops[rule],
            "would_modify": 0,
            "failures": 0,
            "quiet": False if stops[rule] else enough,
            "loud_rules": [rule] if stops[rule] else [],
            "other_rules_quiet": False,
        }


def verdict_on(told: Mapping[str, Any]) -> str:
    """Say whether a plugin or rule in monitor mode is quiet enough to be enforced.

    Args:
        told: an item of what :func:`monitored` returned.

    Returns:
        A sentence without its end.
    """
    name, calls = told["plugin"], told["calls"]
    if told["rule"] is not None:
        name = f"rule {told['rule']} of {name}"
    if told["quiet"]:
        return f"{name} is quiet in monitor mode ({calls} calls): enforce it"
    if told["quiet"] is None:
        return f"{name} is quiet in monitor mode so far ({calls} calls): wait for {ENOUGH_CALLS}"
    share = 100 * told["would_deny"] / calls
    stopped = f"of {calls} calls it would have stopped {told['would_deny']} ({share:.3g} %)"
    if told["rule"] is not None:
        return f"{name} is in monitor mode: {stopped}"
    others = (
        "; all its rules but those that are counted here are quiet: enforce them"
        if told["other_rules_quiet"]
        else ""
    )
    return f"{name} is in monitor mode: {stopped}, and it failed in {told['failures']}{others}"
