"""``hookctl hosts``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from hookcore.naming.suggest import did_you_mean

from ..examples import examples
from ..failure import UsageError
from ..hosts import facts_of
from ..output import note, print_json, print_table, printable

if TYPE_CHECKING:
    from hookcore.hosting import InstalledHost

_COLUMNS = ("name", "state", "runtime", "tested", "installed", "distribution", "version")


@click.command(
    "hosts",
    epilog=examples(
        "hookctl hosts",
        "hookctl hosts crewai",
        "hookctl hosts --json | jq '.[] | select(.state != \"ready\") | .name'",
    ),
)
@click.argument("name", required=False)
@click.option(
    "--json", "as_json", is_flag=True, help="Print JSON: an array, or with NAME an object."
)
def command(name: str | None, as_json: bool) -> None:
    """List the hosts that are installed: the runtimes in which policies can be in force.

    With NAME, show the points that the host fires and what it heeds at each: an edit in place
    (change), another payload (replace), an abort, a wrap; and that for calls that are sync, async
    or streamed. No runtime is imported.
    """
    from hookcore.hosting import installed_hosts

    found = installed_hosts()
    if name is not None:
        _one(_named(name, found), as_json=as_json)
        return
    if as_json:
        print_json([facts_of(host) for host in found])
        return
    _all(found)


def _named(name: str, found: list[InstalledHost]) -> InstalledHost:
    named = [host for host in found if host.name == name]
    if not named:
        known = [host.name for host in found]
        raise UsageError(f"no host named {name} is installed{did_you_mean(name, known)}")
    for other in named[1:]:
        note(f"{other.distribution} {other.version} offers a host named {name}, too")
    return named[0]


def _all(found: list[InstalledHost]) -> None:
    if not found:
        click.echo("No hosts are installed: 'pip install' one, for example hookcore-agent.")
        return
    facts = [facts_of(host) for host in found]
    print_table(_COLUMNS, [[_cell(row[column]) for column in _COLUMNS] for row in facts])
    for row in facts:
        _explain(row)


def _one(host: InstalledHost, *, as_json: bool) -> None:
    row = facts_of(host)
    if as_json:
        print_json(row)
        return
    heading = f"{row['name']} ({row['distribution']} {row['version']}): {row['state']}"
    click.echo(printable(heading))
    if host.host is not None:
        click.echo(printable(f"runtime {row['runtime']}{_versions(row)}\n"))
        modes = [str(mode) for mode in host.host.modes]
        rows = [
            [point, *(_heeded(support.get(mode)) for mode in modes)]
            for point, support in row["points"].items()
        ]
        print_table(["point", *modes], rows)
        if row["without"]:
            click.echo(f"\nNot there, since the runtime has none: {', '.join(row['without'])}")
    _explain(row)


def _versions(row: dict[str, Any]) -> str:
    tested = f", tested with {_cell(row['tested'])}" if row["tested"] else ""
    return f"{tested}, {row['installed'] or 'none'} installed"


def _heeded(answers: list[str] | None) -> str | None:
    if answers is None:
        return None
    return " ".join(answers) or "told"


def _cell(value: object) -> object:
    return f">={value[0]},<{value[1]}" if isinstance(value, list) else value


def _explain(row: dict[str, Any]) -> None:
    if row["state"] == "broken":
        note(f"{row['name']} is broken: {row['problem']}")
    elif row["state"] == "missing":
        note(f"{row['name']} governs {row['runtime']}, which is not installed")
    elif row["state"] == "untested":
        note(
            f"{row['name']} was tested with {row['runtime']} {_cell(row['tested'])}, and "
            f"{row['installed']} is installed: run your own tests before you rely on it"
        )
