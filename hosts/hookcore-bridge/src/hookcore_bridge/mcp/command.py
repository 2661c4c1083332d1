"""``hookctl mcp``."""

from __future__ import annotations

import asyncio
import contextvars
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

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
        "hookctl mcp --name search --url https://mcp.example.com/mcp",
        "hookctl mcp pins list",
    ),
)
@click.option(
    "--name",
    metavar="NAME",
    help="The server's name in the client's configuration: policies know its tools as "
    "mcp__NAME__TOOL, as they do in the client. Without it, by their own names.",
)
@click.option("--url", metavar="URL", help="The address of a server on streamable HTTP.")
@click.option(
    "--listen",
    metavar="HOST:PORT",
    default="127.0.0.1:8930",
    show_default=True,
    help="With --url: where clients find the proxy; port 0 is any that is free.",
)
@click.option(
    "--allow-host",
    "hosts",
    multiple=True,
    metavar="NAME",
    help="With --url: a name by which clients may call the proxy, beside this machine's own.",
)
@click.option(
    "--allow-origin",
    "origins",
    multiple=True,
    metavar="ORIGIN",
    help="With --url: a web page's origin that may use the proxy.",
)
@click.option(
    "--no-pins",
    is_flag=True,
    help="Let the server change what it says of its tools without anybody's consent.",
)
@click.pass_context
def command(
    ctx: click.Context,
    *,
    name: str | None,
    url: str | None,
    listen: str,
    hosts: tuple[str, ...],
    origins: tuple[str, ...],
    no_pins: bool,
) -> None:
    """Stand between an MCP client and a server, with the enabled policies.

    Put it before the server's command in the client's configuration: it starts the server. Or give
    it the address of a server, and give the client the proxy's. It passes on what the policies
    leave of tools, resources, prompts, sampling and elicitation, and all else as it is.
    """
    server: tuple[str, ...] = ctx.meta[_SERVER]
    if ctx.invoked_subcommand is not None:
        if server:
            raise UsageError(f"hookctl mcp {ctx.invoked_subcommand} takes no server")
        return
    if bool(server) == (url is not None):
        raise UsageError(
            "which server? Name its command, hookctl mcp -- COMMAND [ARG]..., or its address, "
            "hookctl mcp --url URL"
        )
    if url is not None:
        _serve_http(
            url, listen, (hosts, origins), lambda: _sessions((url,), name, {}, pinned=not no_pins)
        )
        return
    _serve_stdio(server, name, pinned=not no_pins)


def _serve_stdio(server: tuple[str, ...], name: str | None, *, pinned: bool) -> None:
    from .stdio import StdioProxy
    from .streams import take_standard_streams

    source, target = take_standard_streams()
    with source, target:
        attributes: dict[str, Any] = {"cwd": os.getcwd()}  # noqa: PTH109 - a text
        session = _sessions(server, name, attributes, pinned=pinned)()
        try:
            code = asyncio.run(StdioProxy(session, server, _note).run(source, target))
        except OSError as error:
            problem = error.strerror or type(error).__name__
            raise UsageError(f"the server {server[0]} cannot be started: {problem}") from error
    sys.exit(code)


def _serve_http(
    url: str,
    listen: str,
    allowed: tuple[tuple[str, ...], tuple[str, ...]],
    sessions: Callable[[], Callable[[], Session]],
) -> None:
    from ..relay.guard import Guard
    from ..relay.serving import Address, needs_aiohttp, serve
    from ..relay.upstream import checked_url, open_client, warn_of_plain

    needs_aiohttp("mcp")
    from .http import HttpProxy

    target, address = checked_url(url), Address(listen)
    path = urlsplit(target).path or "/mcp"
    address.warn(_note)
    warn_of_plain(target, _note)
    make_session = sessions()

    async def run() -> None:
        async with open_client() as client:
            proxy = HttpProxy(make_session, target, path, client, Guard(*allowed))
            try:
                await serve(proxy.answer, address, lambda at: _note(f"listening at {at}{path}"))
            finally:
                await proxy.close()

    asyncio.run(run())


def _sessions(
    server: tuple[str, ...], name: str | None, attributes: dict[str, Any], *, pinned: bool
) -> Callable[[], Session]:
    """Load the policies; return what makes sessions under them."""
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
    pins = Pins(identity(server), name or _label(server)) if pinned else None
    offers = Offers(manager, name, pins, _note)
    return lambda: Session(manager, offers, _note, attributes)


def _label(server: tuple[str, ...]) -> str:
    return urlsplit(server[0]).hostname or Path(server[0]).name


def _note(text: str) -> None:
    sys.stderr.write(one_line(f"hookctl mcp: {text}") + "\n")
