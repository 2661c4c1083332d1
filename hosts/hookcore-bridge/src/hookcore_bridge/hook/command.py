"""``hookctl hook``."""

from __future__ import annotations

import sys

import click

from hookctl.examples import examples

__all__ = ["command"]


@click.command(
    "hook",
    epilog=examples(
        "hookctl hook claude-code < event.json", "hookctl hook copilot preToolUse < event.json"
    ),
)
@click.argument("client")
@click.argument("event", required=False)
@click.option("--in-process", is_flag=True, help="Load the policies here, and ask no daemon.")
def command(client: str, event: str | None, in_process: bool) -> None:
    """Answer one event of a coding agent, told as JSON on standard input.

    What clients call is a file that does the same and starts faster: 'hookctl connect' writes it
    into their configuration. EVENT is needed where the client does not tell it (copilot).

    The answer is in the client's own form. Whatever goes wrong is a denial.
    """
    from .once import answer_once

    raise SystemExit(answer_once(client, event, in_process=in_process or sys.platform == "win32"))
