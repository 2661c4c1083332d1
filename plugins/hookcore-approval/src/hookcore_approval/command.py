"""``hookctl approvals``."""

from __future__ import annotations

import json
import time
from datetime import datetime, timezone
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from .requests import Request, Requests, Verdict
    from .settings import ApprovalSettings

__all__ = ["command"]

_EPILOG = """\b
Examples:
  hookctl approvals list
  hookctl approvals show 3f9c0b7de21a4c55
  hookctl approvals approve 3f9c0b7de21a4c55
  hookctl approvals deny 3f9c0b7de21a4c55 --by ann
  hookctl approvals serve --port 8077
"""
_AS_JSON = click.option("--json", "as_json", is_flag=True, help="Print JSON.")


class _Refused(click.ClickException):
    """A decision that does not count."""

    exit_code = 2


@click.group("approvals", epilog=_EPILOG)
def command() -> None:
    """Decide which tool calls may be made, one by one: the queue of the plugin approval."""


@command.command("list")
@click.option("--all", "everything", is_flag=True, help="Show decided and expired ones, too.")
@_AS_JSON
def list_command(everything: bool, as_json: bool) -> None:  # noqa: FBT001 - click passes flags as arguments
    """List the requests that wait for a person, the oldest first."""
    from ._shown import one_line

    _, requests = _opened()
    found = requests.listed(pending=not everything)
    if as_json:
        click.echo(json.dumps([_as_json(each) for each in found], indent=2))
        return
    for request in found:
        people = f" by {', '.join(request.by)}" if request.by else ""
        call = one_line(f"{request.tool} {request.shown}")
        short = call if len(call) <= 100 else f"{call[:99]}…"  # noqa: PLR2004 - a terminal's line
        click.echo(f"{request.id}  {request.state}{one_line(people)}  {_left(request)}  {short}")
    if not found:
        click.echo("No request waits." if not everything else "There are no requests.")


@command.command("show")
@click.argument("request_id")
@_AS_JSON
def show_command(request_id: str, as_json: bool) -> None:  # noqa: FBT001 - click passes flags as arguments
    """Show all that is known of a request."""
    from ._shown import one_line

    _, requests = _opened()
    request = _found(requests, request_id)
    if as_json:
        click.echo(json.dumps(_as_json(request), indent=2))
        return
    lines = {
        "request": request.id,
        "state": f"{request.state}, {_left(request)}",
        "tool": request.tool,
        "asked by": request.asker or "approval",
        "scope": request.scope,
        "decided by": ", ".join(request.by) or "nobody",
        "needs": f"{request.needed} people" if request.needed > 1 else "one person",
        "created": _time(request.created),
        "digest": request.digest,
    }
    for name, value in lines.items():
        click.echo(f"{name + ':':<12}{one_line(value)}")
    click.echo("arguments:")
    for line in json.dumps(json.loads(request.shown), indent=2, ensure_ascii=False).split("\n"):
        click.echo(f"  {one_line(line)}")


def _decide(request_id: str, verdict: Verdict, by: str | None, digest: str | None) -> None:
    from ._people import may_decide, user_name
    from ._shown import one_line

    settings, requests = _opened()
    person = user_name() if by is None else by
    if not person or not person.isprintable():
        raise click.UsageError("--by takes a name")
    if not may_decide(settings, person):
        known = ", ".join(settings.approvers)
        raise _Refused(f"{one_line(person)} is none of the approvers ({one_line(known)})")
    request = _found(requests, request_id)
    done = requests.decide(request.id, digest or request.digest, verdict, person)
    if not done.counted:
        raise _Refused(f"request {request.id} was not decided: {done.why}")
    if done.state == "pending":
        click.echo(f"Request {request.id} needs another person's approval, too")
    else:
        click.echo(f"Request {request.id} ({one_line(request.tool)}) is {done.state}")


_BY = click.option("--by", help="Who decides; your user name when it is left out.")
_DIGEST = click.option(
    "--digest", help="Decide only if the request is of the call with this digest."
)


@command.command("approve")
@click.argument("request_id")
@_BY
@_DIGEST
def approve_command(request_id: str, by: str | None, digest: str | None) -> None:
    """Let exactly the call of a request be made, once."""
    _decide(request_id, "approved", by, digest)


@command.command("deny")
@click.argument("request_id")
@_BY
@_DIGEST
def deny_command(request_id: str, by: str | None, digest: str | None) -> None:
    """Deny the call of a request until the request expires."""
    _decide(request_id, "denied", by, digest)


@command.command("serve")
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen at.")
@click.option("--port", default=8077, show_default=True, type=click.IntRange(0, 65535))
def serve_command(host: str, port: int) -> None:
    """Take signed decisions over HTTP, and post new requests to notify_url, until interrupted.

    Messages are signed as Standard Webhooks has it, with the secret in the variable that
    secret_env names. Put a proxy with TLS before it when it listens beyond this machine.
    """
    import threading

    from ._notifier import Notifier
    from ._server import DecisionServer
    from ._signatures import SecretError, Signatures

    settings, requests = _opened()
    try:
        signatures = Signatures(settings.secret_env)
    except SecretError as error:
        raise click.UsageError(str(error)) from error
    with DecisionServer((host, port), requests, signatures, settings) as server:
        click.echo(f"Taking decisions at http://{host}:{server.server_address[1]}/")
        threading.Thread(target=server.serve_forever, daemon=True).start()
        url = settings.notify_url
        notifier = url and Notifier(url.get_secret_value(), requests, signatures)
        try:
            while True:
                if notifier:
                    notifier.turn()
                time.sleep(1.0)
        finally:
            server.shutdown()


def _opened() -> tuple[ApprovalSettings, Requests]:
    from hookcore import plugin_settings

    from ._stores import requests_of
    from .settings import ApprovalSettings

    settings = plugin_settings("approval", ApprovalSettings)
    return settings, requests_of(settings)


def _found(requests: Requests, ident: str) -> Request:
    request = requests.find(ident)
    if request is None:
        raise _Refused(f"there is no request {ident!r}: see hookctl approvals list --all")
    return request


def _as_json(request: Request) -> dict[str, Any]:
    return {
        "id": request.id,
        "state": request.state,
        "tool": request.tool,
        "arguments": json.loads(request.shown),
        "asker": request.asker,
        "scope": request.scope,
        "needed": request.needed,
        "by": list(request.by),
        "created": _time(request.created),
        "expires": _time(request.expires),
        "digest": request.digest,
    }


def _time(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, timezone.utc).isoformat(timespec="seconds")


def _left(request: Request) -> str:
    if request.state not in {"pending", "approved"}:
        return f"since {_time(request.created)}"
    what = "to decide" if request.state == "pending" else "to be made"
    return f"{max(0, round(request.expires - time.time()))} s {what}"
