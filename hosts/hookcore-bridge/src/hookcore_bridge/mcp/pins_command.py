"""``hookctl mcp pins``."""

from __future__ import annotations

import difflib
import json
from collections.abc import Iterator
from typing import Any

import click

from hookctl.examples import examples
from hookctl.failure import UsageError
from hookctl.output import note, one_line, print_json, print_table

from .pins import Pin, Pins, Record, all_records

__all__ = ["pins"]


@click.group("pins")
def pins() -> None:
    """Show and accept what servers say of their tools.

    A tool is pinned when it is first seen. One that has changed since is withheld from the client,
    and its calls are denied, until the change is accepted.
    """


@pins.command("list", epilog=examples("hookctl mcp pins list", "hookctl mcp pins list files"))
@click.argument("server", required=False)
@click.option("--json", "as_json", is_flag=True, help="Print a JSON array.")
def list_pins(server: str | None, *, as_json: bool) -> None:
    """List the tools of all servers, or of one; what has changed is shown line by line."""
    rows = [
        {"server": record.label, "id": record.id, "tool": name, "state": state, "seen": pin.seen}
        for record in _matching(server)
        for name, state, pin in _states(record)
    ]
    if as_json:
        print_json(rows)
        return
    if not rows:
        note("No server's tools are pinned yet.")
        return
    print_table(list(rows[0]), [list(row.values()) for row in rows])
    for record in _matching(server):
        for name, pin in record.changed.items():
            click.echo()
            _show(record, name, record.pinned[name], pin)


@pins.command("accept", epilog=examples("hookctl mcp pins accept files read_file"))
@click.argument("server")
@click.argument("tools", nargs=-1, metavar="[TOOL]...")
def accept(server: str, tools: tuple[str, ...]) -> None:
    """Let changed tools of a server be used as they are now: all of them, or those named."""
    record = _one(server)
    unknown = [name for name in tools if name not in record.changed]
    if unknown:
        raise UsageError(f"{record.label} has no changed tool {', '.join(unknown)}")
    accepted = Pins(record.id, record.label).accept(tools or None)
    for name, (before, after) in accepted.items():
        _show(record, name, before, after)
    if not accepted:
        note(f"No tool of {record.label} has changed.")
    for name in accepted:
        click.echo(one_line(f"Accepted {name} of {record.label}."))


@pins.command("forget", epilog=examples("hookctl mcp pins forget files"))
@click.argument("server")
def forget(server: str) -> None:
    """Forget a server: its tools are pinned anew when they are next seen."""
    record = _one(server)
    Pins(record.id, record.label).forget()
    click.echo(one_line(f"Forgot {record.label} ({record.id})."))


def _matching(server: str | None) -> list[Record]:
    records = all_records()
    if server is None:
        return records
    found = [record for record in records if server in (record.label, record.id)]
    if not found:
        raise UsageError(f"no server {server} has pins: see 'hookctl mcp pins list'")
    return found


def _one(server: str) -> Record:
    found = _matching(server)
    if len(found) > 1:
        ids = ", ".join(record.id for record in found)
        raise UsageError(f"{len(found)} servers are called {server}: name one by its id, {ids}")
    return found[0]


def _states(record: Record) -> Iterator[tuple[str, str, Pin]]:
    for name, pin in record.pinned.items():
        changed = record.changed.get(name)
        yield (name, "pinned", pin) if changed is None else (name, "changed", changed)


def _show(record: Record, name: str, before: Pin, after: Pin) -> None:
    lines = difflib.unified_diff(
        _lines(before.entry),
        _lines(after.entry),
        f"{name} of {record.label}, {before.seen}",
        f"{name} of {record.label}, {after.seen}",
        lineterm="",
    )
    for line in lines:
        click.echo(one_line(line))


def _lines(entry: dict[str, Any]) -> list[str]:
    return json.dumps(entry, indent=2, sort_keys=True, ensure_ascii=False).split("\n")
