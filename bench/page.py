"""The table of `docs/performance.md`, between two marks; what stands around it is kept."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from .race import Verdict

__all__ = ["BEGIN", "END", "filled_in"]

BEGIN = "<!-- measured: begin -->"
END = "<!-- measured: end -->"


def filled_in(page: str, verdicts: Sequence[Verdict], about: str, notes: Sequence[str] = ()) -> str:
    """Return a page with the figures of a run between the marks.

    Args:
        page: the page, with both marks in it.
        verdicts: what was measured.
        about: where and with what it was measured, a sentence.
        notes: what was left out.

    Raises:
        ValueError: the marks are missing.
    """
    head, begin, rest = page.partition(BEGIN)
    _, end, tail = rest.partition(END)
    if not (begin and end):
        raise ValueError(f"the page has to hold the lines {BEGIN} and {END}")
    limited = [one for one in verdicts if one.limit is not None]
    told = [one for one in verdicts if one.limit is None]
    parts = [about, _table(limited), "Told, and without a limit:", _table(told)]
    parts += ["\n".join(f"- {note}" for note in notes)] if notes else []
    return f"{head}{BEGIN}\n" + "\n\n".join(parts) + f"\n{END}{tail}"


def _table(verdicts: Sequence[Verdict]) -> str:
    rows: list[Mapping[str, str]] = [
        {
            "what": one.name.replace("|", "\\|"),
            "came to": number(one.value, one.unit),
            "quartiles": f"{one.quartiles[0]:.3g} - {one.quartiles[1]:.3g}",
            "limit": "" if one.limit is None else f"{one.sense} {number(one.limit, one.unit)}",
            "": {True: "met", False: "**missed**", None: ""}[one.kept],
        }
        for one in verdicts
    ]
    columns = list(rows[0]) if rows else []
    lines = [columns, ["---" for _ in columns], *(list(row.values()) for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def number(value: float, unit: str) -> str:
    """Return a figure with its unit; a ratio has none."""
    figure = f"{value:,.0f}" if value >= 1000 else f"{value:.3g}"
    return f"{figure} {unit}" if unit not in {"", "exponent"} else figure
