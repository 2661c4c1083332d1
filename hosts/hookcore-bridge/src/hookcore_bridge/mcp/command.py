"""``hookctl mcp``."""

from __future__ import annotations

import asyncio
import contextvars
import os
import sys
from typing import TYPE_CHECKING, Any

import click

from hookctl.examples import examples
from hookctl.failure import UsageError
from hookctl.output import one_line

if TYPE_CHECKING:
    from hookcore import HookManager


@click.command(
    "mcp",
    epilog=examples(
        "hookctl mcp -- npx -y @modelcontextprotocol/server-everything",
        "hookctl mcp --name files -- uvx mcp-server-files /srv/data",
    ),
)
@click.option(
    "--name",
    metavar="NAME",
    help="The server's name in the client's configuration: policies know its tools as "
    "mcp__NAME__TOOL, as they do in the client. Without it, by their own names.",
)
@click.argument("server", nargs=-1, metavar="-- COMMAND [ARG]...", type=click.UNPROCESSED)
def command(name: str | None, server: tuple[str, ...]) -> None:
    """Stand between an MCP client and a server, with the enabled policies.

    Put it before the server's command in the client's configuration. It starts the server, and
    passes on what the policies leave: of tools, resources, prompts, sampling and elicitation.
    """
    if not server:
        raise UsageError("which server? Name its command: hookctl mcp -- COMMAND [ARG]...")
    _run(name, server)


def _run(name: str | None, server: tuple[str, ...]) -> None:
    from .host import HOST
    from .session import Session
    from .stdio import StdioProxy
    from .streams import take_standard_streams
    from .tools import Offers

    source, target = take_standard_streams()
    manager = loaded()
    HOST.declare(manager)
    attributes: dict[str, Any] = {"cwd": os.getcwd()}  # noqa: PTH109 - a text
    if name is not None:
        attributes["mcp_server"] = name
    session = Session(manager, Offers(manager, name), _note, attributes)
    try:
        code = asyncio.run(StdioProxy(session, server, _note).run(source, target))
    except OSError as error:
        problem = error.strerror or type(error).__name__
        raise UsageError(f"the server {server[0]} cannot be started: {problem}") from error
    sys.exit(code)


def loaded() -> HookManager:
    """Return a manager with the enabled plugins, which keeps the log of decisions."""
    from hookcore import HookManager

    # `hookctl` keeps what is only tried out from that log; this here is real.
    return contextvars.Context().run(HookManager.load)


def _note(text: str) -> None:
    sys.stderr.write(one_line(f"hookctl mcp: {text}") + "\n")
