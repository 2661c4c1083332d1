"""Write life-cycle.svg, the points of an agent's life in their order, from the specifications.

Run it as `python docs/lifecycle.py`; it writes life-cycle.svg beside this file.
"""
# ruff: noqa: INP001 - a script, no package

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING

from hookcore import HookManager

if TYPE_CHECKING:
    from hookcore.hooks.points import PointSpec

PICTURE = Path(__file__).with_name("life-cycle.svg")

# A boundary, and what runs inside of it, between its first points and its last.
NESTED = {
    "Gateway": ("Session",),
    "Session": ("Message",),
    "Message": ("Setup", "Run"),
    "Run": ("Turn", "Step"),
    "Turn": ("Model", "Tool"),
}
ROOT = "Gateway"
SIDE_BY_SIDE = {"Turn"}
_LAST = re.compile(r"^(post_|output$|execution_end$)|_(finished|end|stop|sending|sent)$")
_COLOURS = {"intercept": "#3f51b5", "observe": "#00796b", "wrap": "#b26a00", "collect": "#8e24aa"}
_WORDS = {
    "intercept": "changes, replaces, aborts",
    "observe": "told",
    "wrap": "stands around",
    "collect": "is asked",
}
_LINE, _PAD, _TITLE, _GAP, _WIDE = 20, 12, 24, 6, 210


@dataclass
class Box:
    """A boundary with its points, and the boundaries inside of it."""

    name: str
    first: list[PointSpec] = field(default_factory=list)
    inner: list[Box] = field(default_factory=list)
    last: list[PointSpec] = field(default_factory=list)

    @property
    def beside(self) -> bool:
        """Tell whether the inner boxes stand side by side."""
        return self.name in SIDE_BY_SIDE

    @property
    def width(self) -> int:
        """The width in pixels, padding included."""
        widths = [box.width for box in self.inner]
        if self.beside:
            return max(_WIDE, sum(widths) + _PAD * (len(widths) - 1)) + 2 * _PAD
        return max([_WIDE, *widths]) + 2 * _PAD

    @property
    def height(self) -> int:
        """The height in pixels, padding included."""
        heights = [box.height for box in self.inner]
        inside = max(heights) + _PAD if self.beside else sum(heights) + _PAD * len(heights)
        points = len(self.first) + len(self.last)
        return _TITLE + _LINE * points + (inside + _GAP if heights else 0) + _PAD


def boxes() -> list[Box]:
    """Return the outermost boundary, and those that stand beside all others."""
    points = list(HookManager().points.values())
    groups = {
        owner.removesuffix("Specs"): list(group)
        for owner, group in groupby(points, key=lambda point: point.owner)
    }
    inside = {name for names in NESTED.values() for name in names}
    return [_box(name, groups) for name in groups if name == ROOT or name not in inside]


def picture() -> str:
    """Return the text of the picture."""
    whole = boxes()
    width = sum(box.width for box in whole[:1]) + max(box.width for box in whole[1:]) + 3 * _PAD
    height = whole[0].height + 2 * _PAD
    lines = [
        _opened(width, height),
        '<title id="title">The life of an agent, point by point</title>',
        f'<desc id="desc">{"; ".join(_said(box) for box in whole)}</desc>',
        f'<rect width="{width}" height="{height}" fill="#ffffff"/>',
    ]
    lines += _drawn(whole[0], _PAD, _PAD, 0)
    left, top = whole[0].width + 2 * _PAD, _PAD
    for box in whole[1:]:
        lines += _drawn(box, left, top, 0)
        top += box.height + _PAD
    lines += _legend(left, top)
    return "\n".join([*lines, "</svg>", ""])


def _opened(width: int, height: int) -> str:
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
        f'width="{width}" height="{height}" role="img" aria-labelledby="title desc" '
        'font-family="sans-serif" font-size="13">'
    )


def _text(left: int, top: int, text: str, more: str = "") -> str:
    return f'<text x="{left}" y="{top}"{more} fill="#22252c">{text}</text>'


def _box(name: str, groups: dict[str, list[PointSpec]]) -> Box:
    box = Box(name, inner=[_box(inner, groups) for inner in NESTED.get(name, ())])
    for point in groups[name]:
        comes_last = bool(box.inner) and _LAST.search(point.name)
        (box.last if comes_last else box.first).append(point)
    return box


def _said(box: Box) -> str:
    """Describe a box for those who do not see it."""
    inner = [f"inside of it {_said(one)}" for one in box.inner]
    names = [", ".join(point.name for point in points) for points in (box.first, box.last)]
    return f"{box.name}: " + ", ".join(part for part in (names[0], *inner, names[1]) if part)


def _drawn(box: Box, left: int, top: int, depth: int) -> Iterator[str]:
    fill = "#f3f4f8" if depth % 2 == 0 else "#ffffff"
    yield (
        f'<rect x="{left}" y="{top}" width="{box.width}" height="{box.height}" rx="6" '
        f'fill="{fill}" stroke="#9aa0ae"/>'
    )
    yield _text(left + _PAD, top + 17, box.name, ' font-weight="bold"')
    at = top + _TITLE
    yield from _points(box.first, left + _PAD, at)
    at += _LINE * len(box.first) + (_GAP if box.inner else 0)
    inner_left = left + _PAD
    for one in box.inner:
        yield from _drawn(one, inner_left, at, depth + 1)
        if box.beside:
            inner_left += one.width + _PAD
        else:
            at += one.height + _PAD
    if box.beside and box.inner:
        at += max(one.height for one in box.inner) + _PAD
    yield from _points(box.last, left + _PAD, at)


def _points(points: list[PointSpec], left: int, top: int) -> Iterator[str]:
    for number, point in enumerate(points):
        y = top + _LINE * number
        colour = _COLOURS[str(point.kind)]
        yield f'<circle cx="{left + 5}" cy="{y + 9}" r="4" fill="{colour}"/>'
        yield _text(left + 16, y + 14, point.name)


def _legend(left: int, top: int) -> Iterator[str]:
    for number, (kind, colour) in enumerate(_COLOURS.items()):
        y = top + _LINE * number
        yield f'<circle cx="{left + _PAD + 5}" cy="{y + 9}" r="4" fill="{colour}"/>'
        yield _text(left + _PAD + 16, y + 14, f"{kind}: {_WORDS[kind]}")


def main() -> None:
    """Write the picture."""
    unfinished = PICTURE.with_name(f"{PICTURE.name}.part")
    unfinished.write_text(picture(), encoding="utf-8")
    unfinished.replace(PICTURE)


if __name__ == "__main__":
    main()
