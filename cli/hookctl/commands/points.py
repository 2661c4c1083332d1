"""``hookctl points``."""

from __future__ import annotations

import dataclasses
import re
from typing import TYPE_CHECKING, Any

import click

from ..completing import points as point_names
from ..examples import examples
from ..output import plugins_print_to_stderr, print_json, print_table, printable
from ..slowness import slow_imports_told

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hookcore.hooks.hook import HookInfo
    from hookcore.hooks.points import PointSpec

_CHAIN = ("plugin", "hook", "priority", "on_error", "mode", "tools", "agents", "timeout", "gate")


@click.command("points", epilog=examples("hookctl points", "hookctl points pre_tool_call --json"))
@click.argument("name", required=False, shell_complete=point_names)
@click.option(
    "--json", "as_json", is_flag=True, help="Print JSON: an array, or with NAME an object."
)
def command(name: str | None, as_json: bool) -> None:
    """Show the interception points.

    With NAME, show that point and the hooks of the enabled plugins in the order in which they run.
    """
    from hookcore import HookManager

    if name is None:
        _catalogue(list(HookManager().points.values()), as_json=as_json)
        return
    HookManager().hooks(name)  # an unknown name is told before anything is imported
    with plugins_print_to_stderr(), slow_imports_told():
        manager = HookManager.load()
    _one(manager.points[name], manager.hooks(name), as_json=as_json)


def _catalogue(points: Sequence[PointSpec], *, as_json: bool) -> None:
    described = [_describe(point) for point in points]
    if as_json:
        print_json(described)
        return
    rows = [(p["point"], p["kind"], p["payload"], _plain(p["doc"], first=True)) for p in described]
    print_table(("point", "kind", "payload", "when"), rows)


def _one(point: PointSpec, chain: Sequence[HookInfo], *, as_json: bool) -> None:
    described = _describe(point)
    if as_json:
        print_json({**described, "chain": [dataclasses.asdict(hook) for hook in chain]})
        return
    click.echo(f"{point.name}: {described['kind']}, payload {described['payload']}")
    click.echo(printable(f"\n{_plain(described['doc'])}\n"))
    if not chain:
        click.echo("No enabled plugin hooks it.")
        return
    told = [dataclasses.asdict(hook) for hook in chain]
    columns = [c for c in _CHAIN if any(hook[c] not in {None, False} for hook in told)]
    print_table(columns, [[_cell(hook[column]) for column in columns] for hook in told])


def _describe(point: PointSpec) -> dict[str, Any]:
    return {
        "point": point.name,
        "kind": str(point.kind),
        "payload": _payload(point),
        "context": point.options.context.__name__,
        "doc": point.doc,
    }


def _payload(point: PointSpec) -> str:
    types = point.options.payload
    names = [t.__name__ for t in (types if isinstance(types, tuple) else (types,))]
    return " or ".join("any" if name == "object" else name for name in names)


def _plain(doc: str, *, first: bool = False) -> str:
    """Take the markup out of a docstring, and keep its first paragraph if that is all one wants."""
    text = re.sub(r"(?::\w+:)?`+~?([^`]+)`+", r"\1", doc)
    return " ".join(text.partition("\n\n")[0].split()) if first else text


def _cell(value: object) -> object:
    if isinstance(value, tuple):
        return ", ".join(map(str, value))
    return {True: "yes", False: None}[value] if isinstance(value, bool) else value
