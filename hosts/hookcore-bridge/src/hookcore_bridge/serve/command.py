"""``hookctl serve``."""

from __future__ import annotations

import json
import logging
import os
from typing import TYPE_CHECKING

import click

from hookctl.examples import examples
from hookctl.failure import UsageError
from hookctl.output import note, print_json

if TYPE_CHECKING:
    from .places import Places

__all__ = ["command"]

_LARGEST_LOG = 1_000_000


@click.command(
    "serve",
    epilog=examples("hookctl serve", "hookctl serve --status", "hookctl serve --unit systemd"),
)
@click.option("--idle", type=float, help="End after so many seconds without a request.")
@click.option(
    "--deadline",
    type=click.FloatRange(0.1, 60),
    help="The seconds that policies have for an answer (7).",
)
@click.option("--no-http", is_flag=True, help="Answer on the socket only.")
@click.option("--status", is_flag=True, help="Show the daemon that runs, and end.")
@click.option(
    "--unit",
    type=click.Choice(["systemd", "launchd"]),
    help="Print a unit that keeps a daemon running, and end.",
)
def command(
    idle: float | None, deadline: float | None, no_http: bool, status: bool, unit: str | None
) -> None:
    """Answer the hooks of coding agents, with the policies loaded once.

    Clients start a daemon on demand, so that this command is only needed to keep one running or to
    watch it. There is one for each user and configuration, behind a socket of the user's alone;
    clients whose hooks are HTTP requests find it on the loopback, with a token.

    A configuration that changes counts from the next event on. While it cannot be loaded,
    everything is denied. The environment of who starts it does not count, except for the places
    of files (HOME, XDG_*).
    """
    if os.name == "nt":
        raise UsageError("there is no daemon on Windows: 'hookctl hook' judges by itself there")
    if unit is not None:
        from .units import unit_text

        click.echo(unit_text(unit), nl=False)
        return
    from .places import places

    where = places()
    if status:
        print_json(_status(where))
        return
    from .answering import DEADLINE
    from .daemon import serve

    _forget_configuration()
    _set_up_logging(where.log)
    alone = serve(
        where,
        idle=idle,
        seconds=DEADLINE if deadline is None else deadline,
        http=not no_http,
    )
    if not alone:
        note("a daemon is running already: 'hookctl serve --status' shows it")


def _forget_configuration() -> None:
    """Take HOOKCORE_* out of the environment: who starts a daemon does not configure it."""
    for name in [name for name in os.environ if name.startswith("HOOKCORE_")]:
        del os.environ[name]


def _set_up_logging(log: str) -> None:
    """Write to standard error, which is the log file where a client has started the daemon."""
    try:
        if os.path.getsize(log) > _LARGEST_LOG:  # noqa: PTH202
            os.truncate(log, 0)
    except OSError:
        pass  # there is none yet, or it is not ours to cut
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(message)s")


def _status(where: Places) -> dict[str, object]:
    """Return what is known of the daemon; the token stays in its file."""
    from .asking import get

    try:
        found = {"running": True, **json.loads(get(where.socket, "/v1/status"))}
    except OSError:
        found = {"running": False}
    known = where.http_file.exists()
    return {
        **found,
        "socket": where.socket,
        "log": where.log,
        "url": where.http().url if known else None,
        "token_file": str(where.http_file) if known else None,
    }
