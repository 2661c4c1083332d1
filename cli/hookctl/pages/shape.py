"""The shape of all that a page shows, wherever it comes from: runs, their moments, findings."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from datetime import datetime, timezone
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

from ..replay.safetext import printable, shorten

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

__all__ = ["MOST_FINDINGS", "Moment", "Page", "plain", "state"]

MOST_FINDINGS = 50_000
"""The findings that a page shows; of more, the first."""
_MOST_KINDS, _MOST_COUNTED = 1_000, 20_000
"""The kinds of findings that are shown, and that are told apart."""
_NAME, _TEXT, _DIFF = 200, 2_000, 8_000
"""Characters of a name, of a text and of a diff, which a model may have written."""
Moment = tuple["int | str", str, str | None, "float | None"]
"""The step or the time, the point, the tool, and the milliseconds of hooks."""


def plain(text: object, most: int = _NAME) -> str:
    """Make a text fit to be shown: cut, on one line, in the order in which it is written.

    Args:
        text: anything.
        most: the characters that are kept.

    Returns:
        The text; what would be unseen in it, or reorder it, is escaped.
    """
    return printable(shorten(str(text), most))


def state(verdict: str, effect: str, *, stops: bool) -> str:
    """Say in a word or two what a hook did.

    Args:
        verdict: what it said.
        effect: what was done with that.
        stops: whether the operation did not happen because of it, or would not in enforce mode.

    Returns:
        One of the words that the page has a colour for.
    """
    watched = effect == "observed"
    if verdict == "timeout":
        return "timed out"
    if verdict == "error":
        return "failed"
    if stops or verdict == "deny":
        return "would stop" if watched else "stopped"
    return "would change" if watched else "changed"


@dataclass(slots=True)
class Page:
    """A page that is being put together.

    Args:
        kind: `replay` or `log`.
        title: its heading.
    """

    kind: str
    title: str
    about: list[tuple[str, str]] = field(default_factory=list)
    """The sources of the page, as names and values."""
    totals: list[tuple[str, int, str]] = field(default_factory=list)
    """Names, numbers, and the state that a number belongs to, or an empty text."""
    notes: list[str] = field(default_factory=list)
    """Sentences that a reader has to know."""
    plugins: list[dict[str, Any]] = field(default_factory=list)
    """The time that hooks took: a row for each plugin."""
    trend: dict[str, Any] = field(default_factory=dict)
    counted: int = 0
    """All findings."""
    left_out: int = 0
    """Findings beyond those that are shown."""
    _findings: list[dict[str, Any]] = field(default_factory=list)
    _runs: list[dict[str, Any]] = field(default_factory=list)
    _numbers: dict[str, int] = field(default_factory=dict)
    _kinds: Counter[tuple[Any, ...]] = field(default_factory=Counter)

    def run(self, name: str, where: str = "", moments: Iterable[Moment] | None = None) -> int:
        """Add a run, or give the number of the one that has this name.

        Args:
            name: its name.
            where: its place.
            moments: what was dispatched in it; None where nobody knows.

        Returns:
            Its number.
        """
        if name not in self._numbers:
            self._numbers[name] = len(self._runs)
            rows = None if moments is None else [_moment(one) for one in moments]
            self._runs.append({"id": plain(name), "where": plain(where), "moments": rows})
        return self._numbers[name]

    def add(self, run: int, finding: dict[str, Any]) -> None:
        """Count a finding, and show it where there is room.

        Args:
            run: the number of its run.
            finding: its `state`, `plugin`, `point`, `tool` and `reason`, and what else there is.
        """
        told = _plain(finding)
        kind = tuple(told.get(name) for name in _KIND)
        self.counted += 1
        if kind in self._kinds or len(self._kinds) < _MOST_COUNTED:
            self._kinds[kind] += 1
        if len(self._findings) < MOST_FINDINGS:
            self._findings.append({"run": run, **told})
        else:
            self.left_out += 1

    def to_data(self) -> dict[str, Any]:
        """Give all that the page shows.

        Returns:
            A value for JSON.
        """
        kinds = sorted(self._kinds.items(), key=lambda item: (-item[1], tuple(map(str, item[0]))))
        kinds = kinds[:_MOST_KINDS]
        return {
            "kind": self.kind,
            "title": self.title,
            "made": datetime.now(timezone.utc).isoformat(timespec="seconds"),
            "version": version("hookcore"),
            "about": [(name, plain(value, _TEXT)) for name, value in self.about],
            "totals": self.totals,
            "notes": [plain(text, _TEXT) for text in self.notes],
            "kinds": [[count, *kind] for kind, count in kinds],
            "of_other_kinds": self.counted - sum(count for _, count in kinds),
            "plugins": self.plugins,
            "trend": self.trend,
            "runs": self._runs,
            "findings": self._findings,
            "left_out": self.left_out,
        }


_NAMES = {"plugin", "point", "tool", "rule", "where", "call", "source", "hook"}
_KIND = ("state", "plugin", "point", "tool", "reason", "rule")


def _plain(finding: Mapping[str, Any]) -> dict[str, Any]:
    told = {name: value for name, value in finding.items() if value is not None}
    for name in _NAMES & told.keys():
        told[name] = plain(told[name])
    if "reason" in told:
        told["reason"] = plain(told["reason"], _TEXT)
    if "diff" in told:
        told["diff"] = _cut(told["diff"])
    if "was" in told:
        told["was"] = _plain(told["was"])
    return told


def _cut(diff: str) -> str:
    """Cut a long diff where a line ends."""
    if len(diff) <= _DIFF:
        return diff
    head, _, _ = diff[:_DIFF].rpartition("\n")
    return f"{head or diff[:_DIFF]}\n… cut here"


def _moment(moment: Sequence[Any]) -> list[Any]:
    when, point, tool, milliseconds = moment
    spent = None if milliseconds is None else round(milliseconds, 4)
    return [when, point, None if tool is None else plain(tool), spent]
