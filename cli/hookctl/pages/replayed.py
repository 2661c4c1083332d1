"""A replay as a page shows it."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

from ..replay.compare import TITLES
from ..replay.places import shown
from .shape import MOST_FINDINGS, Page, plain, state

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ..replay.compare import Comparison
    from ..replay.configuration import Configuration
    from ..replay.findings import Ledger
    from ..replay.tracks import Track

__all__ = ["replayed"]

_PARTS = 40
"""Bars of the trend."""
_SERIES = {
    "stopped": ("stopped", "would stop"),
    "changed": ("changed", "would change"),
    "failed": ("failed", "timed out"),
}
_MOST_NAMED = 20


def replayed(
    ledger: Ledger,
    comparison: Comparison | None,
    configuration: Configuration,
    inputs: Sequence[str],
    against: str | None = None,
) -> dict[str, Any]:
    """Turn what a replay found into the data of a page.

    Args:
        ledger: the findings, the numbers, and the tracks of runs.
        comparison: what is other than under another configuration, which is shown instead.
        configuration: what judged.
        inputs: what was replayed.
        against: the other configuration, as it was given.

    Returns:
        A value for JSON.
    """
    page = Page("replay", "Replay of recorded runs" if comparison is None else "Two replays")
    page.about = list(_about(configuration, inputs, against))
    page.totals = list(_totals(ledger, comparison))
    page.plugins = [
        {"plugin": plain(name), **stats.as_json()} for name, stats in sorted(ledger.plugins.items())
    ]
    tracks = {} if ledger.tracks is None else {track.run: track for track in ledger.tracks.runs}
    for track in tracks.values():
        page.run(track.run, track.where, track.moments)
    page.trend = _trend(ledger, list(tracks))
    places: tuple[str | None, dict[tuple[int, str], int]] = (None, {})
    for finding, more in _shown(ledger, comparison):
        run: str = finding["run"]
        if run != places[0]:
            places = (run, tracks[run].places() if run in tracks else {})
        moment = places[1].get((finding["step"], finding["point"]))
        page.add(page.run(run), {**_told(finding), **more, "moment": moment})
    page.notes = list(_notes(ledger, page, tracks))
    return page.to_data()


def _about(
    configuration: Configuration, inputs: Sequence[str], against: str | None
) -> Iterator[tuple[str, str]]:
    names = ", ".join(map(shown, inputs[:_MOST_NAMED]))
    more = len(inputs) - _MOST_NAMED
    yield "Replayed", names + (f" and {more} more" if more > 0 else "")
    plugins = [
        name + (" (monitor)" if plugin.mode == "monitor" else "")
        for name, plugin in sorted(configuration.config.plugins.items())
        if plugin.enabled
    ]
    yield "Judged by", ", ".join(plugins) or "no plugin"
    if against is not None:
        yield "Compared with", against


def _totals(ledger: Ledger, comparison: Comparison | None) -> Iterator[tuple[str, int, str]]:
    if comparison is not None:
        for kind, title in TITLES.items():
            yield title, comparison.count(kind), _TONES[kind]
    yield "runs", ledger.runs, ""
    yield "events", ledger.events, ""
    yield "stopped", ledger.aborted, "stopped"
    yield "changed", ledger.modified, "changed"
    yield "failed", ledger.errors, "failed"
    for name in ("observed", "repeated", "malformed"):
        if number := getattr(ledger, name):
            yield name, number, ""


_TONES = {"newly-aborted": "stopped", "no-longer-aborted": "changed", "changed": "failed"}


def _trend(ledger: Ledger, runs: list[str]) -> dict[str, Any]:
    """Count findings along the inputs: for each share of the runs, how many of each kind."""
    parts = min(_PARTS, len(runs))
    if not parts:
        return {}
    part_of = {run: at * parts // len(runs) for at, run in enumerate(runs)}
    counts = [dict.fromkeys(_SERIES, 0) for _ in range(parts)]
    series_of = {word: name for name, words in _SERIES.items() for word in words}
    for finding in ledger.findings():
        part = part_of.get(str(finding["run"]))
        if part is not None:
            counts[part][series_of[_state(finding)]] += 1
    ends = [-(-part * len(runs) // parts) for part in range(parts + 1)]
    labels = [
        f"run {first + 1}" if first + 1 == last else f"runs {first + 1} to {last}"
        for first, last in pairwise(ends)
    ]
    return {
        "along": "the runs, in the order of the inputs",
        "unit": "Runs",
        "series": list(_SERIES),
        "parts": [[label, *row.values()] for label, row in zip(labels, counts, strict=True)],
    }


def _shown(
    ledger: Ledger, comparison: Comparison | None
) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    """Give the findings, and what else is told of each."""
    if comparison is None:
        for finding in ledger.findings():
            yield finding, {}
        return
    for difference in comparison.differences:
        was, now = difference.before, difference.after
        more = {
            "change": TITLES[difference.kind],
            "was": None if was is None or now is None else _told(was),
            "gone": True if now is None else None,
        }
        yield difference.finding, more


def _told(finding: dict[str, Any]) -> dict[str, Any]:
    return {
        "step": finding["step"],
        "point": finding["point"],
        "tool": finding["tool"],
        "plugin": finding["plugin"],
        "state": _state(finding),
        "effect": finding["effect"] if finding["effect"] == "ignored" else None,
        "reason": finding["reason"],
        "rule": finding.get("rule"),
        "diff": finding["diff"],
        "where": finding["where"],
        "call": finding.get("call_id"),
    }


def _state(finding: dict[str, Any]) -> str:
    return state(finding["verdict"], finding["effect"], stops=finding["stops"])


def _notes(ledger: Ledger, page: Page, tracks: dict[str, Track]) -> Iterator[str]:
    if page.left_out:
        yield (
            f"The first {MOST_FINDINGS} findings are shown, and {page.left_out} are not; "
            "the numbers are of all of them."
        )
    without = ledger.runs - sum(track.moments is not None for track in tracks.values())
    if without > 0:
        yield (
            f"Of {without} of {ledger.runs} runs nothing but the findings was kept: "
            "they have no time-line."
        )
    for refused in ledger.unreadable[:_MOST_NAMED]:
        yield f"{refused['where']} cannot be read: {refused['reason']}"
    for entry in ledger.malformed_lines[:_MOST_NAMED]:
        yield f"Left out: {entry['where']}: {entry['reason']}"
    if (more := ledger.malformed - _MOST_NAMED) > 0:
        yield f"Left out: {more} more lines or messages."
