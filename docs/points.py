"""Write points.md, the table of all standard points, from their specifications.

Run it as `python docs/points.py`; it writes points.md beside this file.
"""
# ruff: noqa: INP001 - a script, no package

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING

from hookcore import HookContext, HookManager

if TYPE_CHECKING:
    from hookcore.hooks.points import PointSpec

PAGE = Path(__file__).with_name("points.md")

HEAD = """\
# Interception points

Made by `python docs/points.py` from the specifications. `hookctl points NAME` tells the whole story
of one point, with an example.

![The boundaries of an agent's life, one inside of the other, with their points](life-cycle.svg)

A host that has no gateway, turns or steps leaves those out; the order stays.

| kind | what its hooks may do | a host calls |
|---|---|---|
| intercept | a chain: each hook may go on, change or replace the payload, or abort | `dispatch` |
| observe | hooks are told; they can change and stop nothing | `dispatch` |
| wrap | hooks stand around the operation | `wrap`, `awrap`, `awrap_stream` |
| collect | all are asked, and those that say yes are named | `collect` |

The [boundaries](embedding.md#boundaries) dispatch the points of an operation in their order, and
`settle` gives the judged value of one point. An answer of the wrong type denies at every intercept
point, whatever `on_error` says.
"""


def page() -> str:
    """Return the text of the page."""
    points = list(HookManager().points.values())
    lines = [HEAD]
    for owner, group in groupby(points, key=lambda point: point.owner):
        lines += [f"## {owner.removesuffix('Specs')}", "", *_table(list(group)), ""]
    lines += ["## Contexts", "", *_contexts(points)]
    return "\n".join(lines) + "\n"


def _table(points: list[PointSpec]) -> Iterator[str]:
    yield "| point | kind | payload | context | when |"
    yield "|---|---|---|---|---|"
    for point in points:
        context = point.options.context.__name__
        when = point.doc.partition("\n\n")[0].replace("\n", " ")
        when = re.sub(r":\w+:`(\w+)`", r"`\1`", when.replace("``", "`"))
        yield f"| `{point.name}` | {point.kind} | {_payload(point)} | {context} | {when} |"


def _payload(point: PointSpec) -> str:
    if "There is no payload" in point.doc:
        return "-"
    types = point.options.payload
    names = [item.__name__ for item in (types if isinstance(types, tuple) else (types,))]
    return " or ".join("any" if name == "object" else f"`{name}`" for name in names)


def _contexts(points: list[PointSpec]) -> Iterator[str]:
    common = ", ".join(f"`{name}`" for name in _fields(HookContext, object))
    yield f"All contexts have {common}, and the methods `request_human_input` and"
    yield "`arequest_human_input`. Beyond them:"
    yield ""
    yield "| context | fields |"
    yield "|---|---|"
    for context in dict.fromkeys(point.options.context for point in points):
        own = ", ".join(f"`{name}`" for name in _fields(context, HookContext))
        yield f"| {context.__name__} | {own or '-'} |"


def _fields(context: type, base: type) -> list[str]:
    """Return the public fields of a context class that its base does not have."""
    names: set[str] = set()
    for cls in context.__mro__:
        names.update(getattr(cls, "__slots__", ()))
        names.update(name for name, value in vars(cls).items() if isinstance(value, property))
    return sorted(name for name in names if not name.startswith("_") and not hasattr(base, name))


def main() -> None:
    """Write the page."""
    unfinished = PAGE.with_name(f"{PAGE.name}.part")
    unfinished.write_text(page(), encoding="utf-8")
    unfinished.replace(PAGE)


if __name__ == "__main__":
    main()
