"""The sums of the log's events, mostly from what was counted when they were written."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple

from .classes import class_of
from .rows import BLOCK

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator

    from .filters import Filter

__all__ = ["VerdictSum", "count_anew", "outcome_sums", "outcome_trend", "verdict_sums"]

# Each has a place for a condition on events.
_KINDS = f"""
    SELECT id / {BLOCK} AS block, point, coalesce(tool, '') AS tool, outcome,
    min(at) AS first, max(at) AS last, count(*) AS number
    FROM events WHERE %s GROUP BY 1, 2, 3, 4"""  # noqa: S608 - our own number
_VERDICTS = f"""
    SELECT event / {BLOCK} AS block, plugin, point,
    CASE WHEN effect = 'observed' AND verdict = 'deny' THEN coalesce(tool, '') ELSE '' END AS tool,
    coalesce(rule, '') AS rule, verdict, effect, class_of(records.duration_ms) AS class,
    count(*) AS number, sum(records.duration_ms) AS milliseconds
    FROM records JOIN events ON events.id = records.event WHERE %s
    GROUP BY 1, 2, 3, 4, 5, 6, 7, 8"""  # noqa: S608 - the same
_WHOLE = "SELECT block FROM kinds GROUP BY block HAVING min(first) >= ?"
_CUT = "SELECT block FROM kinds GROUP BY block HAVING min(first) < ? AND max(last) >= ?"


class VerdictSum(NamedTuple):
    """The number of times that a plugin's hooks at a point said the same and took about as long."""

    plugin: str
    point: str
    tool: str
    """The tool's name, where a denial was only observed; else empty."""
    rule: str
    """The rule that denied, as the plugin names it; else empty."""
    verdict: str
    effect: str
    duration_class: int
    number: int
    milliseconds: float
    """Of all of them together."""

    @property
    def is_of_rule(self) -> bool:
        """True for a rule that is only monitored; its hook's own verdict is told beside it."""
        return bool(self.rule) and self.effect == "observed" and not self.milliseconds


def count_anew(connection: sqlite3.Connection) -> None:
    """Stand in for the counts that an older version of hookcore did not write."""
    _prepare(connection)
    connection.execute("CREATE TEMP VIEW records AS SELECT *, NULL AS rule FROM main.records")
    for table, query in {"kinds": _KINDS, "verdicts": _VERDICTS}.items():
        connection.execute(f"CREATE TEMP VIEW {table} AS {query % 1}")


def outcome_sums(connection: sqlite3.Connection, wanted: Filter) -> dict[str, int]:
    """Return how many events had each outcome."""
    found: Counter[str] = Counter()
    if not wanted.is_of_time:
        condition, values = wanted.where()
        query = f"SELECT outcome, count(*) FROM events WHERE {condition} GROUP BY outcome"  # noqa: S608
        return dict(connection.execute(query, values).fetchall())
    condition, values = _in_whole_blocks(wanted)
    query = f"SELECT outcome, sum(number) FROM kinds WHERE {condition} GROUP BY outcome"  # noqa: S608
    found.update(dict(connection.execute(query, values).fetchall()))
    for condition, values in _in_cut_blocks(connection, wanted):
        for row in connection.execute(_KINDS % condition, values):
            found[row[3]] += row[6]
    return dict(found)


def outcome_trend(
    connection: sqlite3.Connection, wanted: Filter, parts: int
) -> list[tuple[float, Counter[str]]]:
    """Return how many events had each outcome in equal parts of the time.

    Args:
        connection: to the log.
        wanted: which events count.
        parts: how many parts there are.

    Returns:
        The beginning of each part, in seconds since 1970, and the events in it by outcome; nothing
        where no event counts.
    """
    condition, values = wanted.where()
    query = f"SELECT min(at), max(at) FROM events WHERE {condition}"  # noqa: S608 - ours
    first, last = connection.execute(query, values).fetchone()
    if first is None:
        return []
    width = (last - first) / parts or 1.0
    found: list[Counter[str]] = [Counter() for _ in range(parts)]
    query = (
        "SELECT min(cast((at - ?) / ? AS INTEGER), ?) AS part, outcome, count(*) "  # noqa: S608
        f"FROM events WHERE {condition} GROUP BY 1, 2"
    )
    for part, outcome, number in connection.execute(query, [first, width, parts - 1, *values]):
        found[part][outcome] = number
    return [(first + part * width, counts) for part, counts in enumerate(found)]


def verdict_sums(connection: sqlite3.Connection, wanted: Filter) -> Iterator[VerdictSum]:
    """Yield what hooks said; sums of the same kind may come more than once."""
    _prepare(connection)
    if not wanted.is_of_time:
        condition, values = wanted.where()
        if wanted.plugin is not None:
            condition, values = f"{condition} AND plugin GLOB ?", [*values, wanted.plugin]
        yield from _sums(connection.execute(_VERDICTS % condition, values))
        return
    condition, values = _in_whole_blocks(wanted)
    query = (
        "SELECT 0, plugin, point, tool, rule, verdict, effect, class, sum(number), "  # noqa: S608
        f"sum(milliseconds) FROM verdicts WHERE {condition} GROUP BY 2, 3, 4, 5, 6, 7, 8"
    )
    yield from _sums(connection.execute(query, values))
    for condition, values in _in_cut_blocks(connection, wanted):
        yield from _sums(connection.execute(_VERDICTS % condition, values))


def _sums(rows: Iterator[tuple[Any, ...]]) -> Iterator[VerdictSum]:
    return (VerdictSum(*row[1:]) for row in rows)


def _in_whole_blocks(wanted: Filter) -> tuple[str, list[Any]]:
    return ("1", []) if wanted.since is None else (f"block IN ({_WHOLE})", [wanted.since])


def _in_cut_blocks(
    connection: sqlite3.Connection, wanted: Filter
) -> Iterator[tuple[str, list[Any]]]:
    """Yield conditions for the events of blocks of which a part is too old."""
    if wanted.since is not None:
        cut = connection.execute(_CUT, [wanted.since, wanted.since]).fetchall()
        for (block,) in cut:
            values = [block * BLOCK, (block + 1) * BLOCK, wanted.since]
            yield "id >= ? AND id < ? AND at >= ?", values


def _prepare(connection: sqlite3.Connection) -> None:
    connection.create_function("class_of", 1, class_of, deterministic=True)
