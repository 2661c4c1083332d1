"""The judgements of one dispatch, one for each plugin."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from hookcore import HookAborted

if TYPE_CHECKING:
    from collections.abc import Iterable

    from hookcore.tracing import Change

_RANK = {"modify": 0, "timeout": 1, "error": 1, "deny": 2}


@dataclass(frozen=True, slots=True)
class Judgement:
    """The judgement of one plugin in one dispatch."""

    plugin: str | None
    verdict: str
    effect: str
    reason: str | None
    stops: bool
    """True when the operation does not happen because of it, or would not in enforce mode."""
    before: object = None
    after: object = None
    rule: str | None = None
    """The rule that denied, where the policy names it."""

    @property
    def comparable(self) -> bool:
        """True when the payloads before and after are known."""
        return self.before is not None or self.after is not None


def judgements(changes: Iterable[Change], stopped_by: BaseException | None) -> list[Judgement]:
    """Sum up a dispatch.

    Args:
        changes: what its hooks did, in order.
        stopped_by: the exception that ended it, if one did.

    Returns:
        One judgement for each plugin that did something. When the dispatch was stopped and no
        hook says so, one more for whoever stopped it.
    """
    by_plugin: dict[str, list[Change]] = {}
    for change in changes:
        by_plugin.setdefault(change.plugin, []).append(change)
    found = [_summed(plugin, group) for plugin, group in by_plugin.items()]
    if stopped_by is not None and not any(one.stops and one.effect == "applied" for one in found):
        found.append(_unexplained(stopped_by))
    return found


def _summed(plugin: str, changes: list[Change]) -> Judgement:
    """Put the hooks of one plugin together: the gravest verdict, the first and the last payload."""
    gravest = max(changes, key=_gravity)
    reasons = dict.fromkeys(change.reason for change in changes if change.reason)
    return Judgement(
        plugin=plugin,
        verdict=gravest.verdict,
        effect=gravest.effect,
        reason="; ".join(reasons) or None,
        stops=any(map(_stops, changes)),
        before=changes[0].before,
        after=changes[-1].after,
        rule=_rule(gravest) or next(filter(None, map(_rule, changes)), None),
    )


def _gravity(change: Change) -> tuple[int, bool]:
    """Return how grave a verdict is; what was done is graver than what was only observed."""
    return _RANK.get(change.verdict, 0), change.effect == "applied"


def _rule(change: Change) -> str | None:
    return change.error.rule if isinstance(change.error, HookAborted) else None


def _stops(change: Change) -> bool:
    failed = change.verdict in ("error", "timeout")
    return change.verdict == "deny" or (failed and change.effect == "applied")


def _unexplained(error: BaseException) -> Judgement:
    if isinstance(error, HookAborted):
        source = None if error.source is None else str(error.source)
        return Judgement(source, "deny", "applied", error.reason, stops=True)
    return Judgement(None, "error", "applied", type(error).__name__, stops=True)
