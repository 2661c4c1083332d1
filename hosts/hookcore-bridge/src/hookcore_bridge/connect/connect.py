"""``hookctl connect``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from hookctl.examples import examples
from hookctl.failure import UsageError
from hookctl.output import note, one_line, printable
from hookctl.vouching import one_at_a_time

from .options import client_and_scope, one_scope, project_folder

if TYPE_CHECKING:
    from ..serve.places import Http
    from .client import Scope
    from .plan import Change


@click.command(
    "connect",
    epilog=examples(
        "hookctl connect claude-code --dry-run",
        "hookctl connect codex --preset careful",
        "hookctl connect gemini-cli --project --mcp",
        "sudo hookctl connect claude-code --managed",
    ),
)
@client_and_scope
@click.option(
    "--mcp/--no-mcp",
    default=None,
    help="Put 'hookctl mcp' before the MCP servers that the client starts, or take it away.",
)
@click.option(
    "--http/--no-http",
    "by_http",
    default=None,
    help="Ask about tools by HTTP, which is quicker (claude-code, --user), or by programs.",
)
@click.option(
    "--preset", type=click.Choice(["careful"]), help="Enable the installed guards as well."
)
def command(
    name: str,
    *,
    user: bool,
    project: bool,
    managed: bool,
    dry_run: bool,
    mcp: bool | None,
    by_http: bool | None,
    preset: str | None,
) -> None:
    """Let the enabled policies judge what a coding agent does.

    CLIENT is one of claude-code, codex, gemini-cli, qwen-code, copilot and opencode. Its
    configuration gets a hook for each event that policies can judge; comments, order and other
    hooks stay as they are. 'hookctl disconnect' gives the file back as it was.
    """
    from .plan import apply, plan_connect
    from .ready import check_ready

    scope = one_scope(user=user, project=project, managed=managed)
    check_ready(scope, mcp=mcp)
    folder = project_folder(name)
    asked = _address(name, scope, folder, by_http=by_http, dry_run=dry_run)
    changes = plan_connect(name, scope, folder, mcp=mcp, asked=asked)
    if preset is not None:
        from .preset import enable_preset

        enable_preset(scope, dry_run=dry_run)
    if dry_run:
        from .difference import difference

        for change in changes:
            text = difference(change)
            click.echo(text or printable(f"{change.file} says so already."))
        return
    with one_at_a_time():  # what was planned before may be old by now
        changes = plan_connect(name, scope, folder, mcp=mcp, asked=asked)
        for change in changes:
            if change.is_one:
                apply(change)
    for change in changes:
        _tell(change, mcp=mcp is True and change.servers_wanted)
    _what_now(name, scope, folder, changes)


def _address(
    name: str, scope: Scope, folder: Path, *, by_http: bool | None, dry_run: bool
) -> Http | None:
    """Return where requests are answered, if hooks are to be requests, or are already."""
    from .http import address, takes_http
    from .places import asks_by_http

    if by_http is None:
        by_http = asks_by_http(name, scope, folder)
    if not by_http:
        return None
    if not takes_http(name, "PreToolUse"):
        raise UsageError(f"{name} has no hooks that are HTTP requests: leave --http out")
    if scope != "user":
        raise UsageError("a token of yours would stand in the file: --http goes with --user only")
    return address(dry_run=dry_run)


def _tell(change: Change, *, mcp: bool) -> None:
    from ..dialects import CLIENTS as DIALECTS

    events = list(DIALECTS[change.client.name].events)
    if change.hooks:
        word = "Connected" if change.is_one else "Already connected"
        click.echo(printable(f"{word} {change.client.name}: {change.file}"))
        click.echo(f"  hookctl is asked at {', '.join(events)}")
    elif change.is_one:
        click.echo(printable(f"Changed {change.file}"))
    if change.servers:
        click.echo(one_line(f"  'hookctl mcp' stands before {', '.join(change.servers)}"))
    elif mcp:
        click.echo(printable(f"  {change.file} names no MCP server that a command starts"))
    if change.remote:
        note(
            f"The proxy is not put before {one_line(', '.join(change.remote))}: no command starts "
            "them. "
            "'hookctl mcp --url URL' is a command that you can name instead of a URL."
        )


def _what_now(name: str, scope: Scope, folder: Path, changes: list[Change]) -> None:
    from .checks import check_switches
    from .places import connected_in, place_of

    client = changes[0].client
    press = client.trust.get(scope)
    if press is not None:
        click.echo(f"To do: {press}.")
    click.echo("Sessions that run go on without hooks: start them again.")
    loose = client.loose.get(scope)
    if loose is not None:
        by = "" if client.managed is None else f" 'sudo hookctl connect {name} --managed' holds."
        note(f"Mind: {loose}.{by}")
    place = place_of(name, scope, folder)
    for finding in check_switches(place, folder) if place is not None else ():
        note(f"Mind: {finding.subject}: {finding.message}: {finding.fix}.")
    others = [other for other in connected_in(name, folder) if other != scope]
    if others:
        note(
            f"Mind: {name} is connected by --{others[0]} too, so that each call is judged twice: "
            f"hookctl disconnect {name} --{others[0]}"
        )
