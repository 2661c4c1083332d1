"""``hookctl mcp``."""

from __future__ import annotations

import asyncio
import contextvars
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from hookctl.examples import examples
from hookctl.failure import UsageError
from hookctl.output import one_line

if TYPE_CHECKING:
    from .session import Session

_SERVER: Final = "hookcore_bridge.mcp.server"


class _Proxy(click.Group):
    """A group of which everything behind ``--`` is the server's command."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        cut = args.index("--") if "--" in args else len(args)
        ctx.meta[_SERVER] = tuple(args[cut + 1 :])
        return super().parse_args(ctx, args[:cut])

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        return ["pins"]

    def get_command(
        self,
        ctx: click.Context,  # noqa: ARG002
        cmd_name: str,
    ) -> click.Command | None:
        if cmd_name != "pins":
            return None
        from .pins_command import pins

        return pins


@click.group(
    "mcp",
    cls=_Proxy,
    invoke_without_command=True,
    subcommand_metavar="-- COMMAND [ARG]...",
    epilog=examples(
        "hookctl mcp -- npx -y @modelcontextprotocol/server-everything",
        "hookctl mcp --name files -- uvx mcp-server-files /srv/data",
        "hookctl mcp pins list",
    ),
)
@click.option(
    "--name",
    metavar="NAME",
    help="The server's name in the client's configuration: policies know its tools as "
    "mcp__NAME__TOOL, as they do in the client. Without it, by their own names.",
)
@click.option(
    "--no-pins",
    is_flag=True,
    help="Let the server change what it says of its tools without anybody's consent.",
)
@click.pass_context
def command(ctx: click.Context, *, name: str | None, no_pins: bool) -> None:
    """Stand between an MCP client and a server, with the enabled policies.

    Put it before the server's command in the client's configuration. It starts the server, and
    passes on what the policies leave: of tools, resources, prompts, sampling and elicitation.
    """
    server: tuple[str, ...] = ctx.meta[_SERVER]
    if ctx.invoked_subcommand is not None:
        if server:
            raise UsageError(f"hookctl mcp {ctx.invoked_subcommand} takes no server")
        return
    if not server:
        raise UsageError("which server? Name its command: hookctl mcp -- COMMAND [ARG]...")
    _serve_stdio(server, name, pinned=not no_pins)


def _serve_stdio(server: tuple[str, ...], name: str | None, *, pinned: bool) -> None:
    from .stdio import StdioProxy
    from .streams import take_standard_streams

    source, target = take_standard_streams()
    attributes: dict[str, Any] = {"cwd": os.getcwd()}  # noqa: PTH109 - a text
    session = _session(server, name, attributes, pinned=pinned)
    try:
        code = asyncio.run(StdioProxy(session, server, _note).run(source, target))
    except OSError as error:
        problem = error.strerror or type(error).__name__
        raise UsageError(f"the server {server[0]} cannot be started: {problem}") from error
    sys.exit(code)


def _session(
    server: tuple[str, ...], name: str | None, attributes: dict[str, Any], *, pinned: bool
) -> Session:
    from .host import HOST
    from .pins import Pins, identity
    from .points import loaded_manager
    from .session import Session
    from .tools import Offers

    # `hookctl` keeps what is only tried out from the log of decisions; this here is real.
    manager = contextvars.Context().run(loaded_manager)
    HOST.declare(manager)
    if name is not None:
        attributes["mcp_server"] = name
    pins = Pins(identity(server), name or Path(server[0]).name) if pinned else None
    return Session(manager, Offers(manager, name, pins, _note), _note, attributes)


def _note(text: str) -> None:
    sys.stderr.write(one_line(f"hookctl mcp: {text}") + "\n")
