"""``hookctl disconnect``."""

from __future__ import annotations

import click

from hookctl.examples import examples
from hookctl.output import printable
from hookctl.vouching import one_at_a_time

from .options import client_and_scope, one_scope, project_folder


@click.command(
    "disconnect",
    epilog=examples(
        "hookctl disconnect claude-code",
        "hookctl disconnect gemini-cli --project --dry-run",
    ),
)
@client_and_scope
def command(name: str, *, user: bool, project: bool, managed: bool, dry_run: bool) -> None:
    """Take out what 'hookctl connect' has put into a coding agent's configuration.

    A file that nobody has changed since is given back to the byte; from others only what is ours
    is taken out. Policies stay enabled.
    """
    from .difference import difference
    from .places import connected_in
    from .plan import apply, plan_disconnect
    from .records import forget

    scope = one_scope(user=user, project=project, managed=managed)
    folder = project_folder(name)
    with one_at_a_time():
        planned = plan_disconnect(name, scope, folder)
        for change in reversed(planned if not dry_run else []):  # folders come with the first
            apply(change) if change.is_one else forget(change.file)
    changes = [change for change in planned if change.is_one]
    if not changes:
        others = connected_in(name, folder)
        where = f" It is by --{', --'.join(others)}." if others else ""
        click.echo(f"{name} is not connected by --{scope}.{where}")
    for change in changes:
        if dry_run:
            click.echo(difference(change))
            continue
        gone = "removed" if change.after is None else "given back"
        click.echo(printable(f"Disconnected {name}: {change.file} is {gone}"))
