"""``hookctl bundle``: the commands of the machines that take bundles."""

from __future__ import annotations

import json
import random
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import click

from .told import machine, told

if TYPE_CHECKING:
    from ._machine import Machine, Status

__all__ = ["pull_command", "rollback_command", "status_command", "verify_command"]


@click.command("verify")
@click.argument("file", required=False, type=click.Path(path_type=Path, dir_okay=False))
@click.option(
    "--root",
    type=click.Path(path_type=Path, dir_okay=False),
    help="The root.json to trust, else the one that the system's file names.",
)
@click.option("--json", "as_json", is_flag=True, help="Print a JSON object.")
def verify_command(
    file: Path | None,
    root: Path | None,
    as_json: bool,  # noqa: FBT001 - click passes flags as arguments
) -> None:
    """Verify the bundle in FILE, or the one in force here: who signed it, and what.

    Nothing is taken or changed. Exits with 1 when it is not to be believed.
    """
    with told():
        if file is None:
            _tell_status(as_json=as_json)
        shown = _verified(file, root)
    if as_json:
        click.echo(json.dumps(shown, indent=2))
        return
    click.echo(f"{file}: revision {shown['revision']} of {shown['name']}")
    click.echo(f"signed by {', '.join(shown['signers'])} under root {shown['root']}")
    click.echo(f"holds until {shown['expires']}: {', '.join(shown['files'])}")


def _verified(file: Path, root: Path | None) -> dict[str, Any]:
    from . import _clock
    from ._archive import Archive
    from ._envelope import Envelope
    from ._refused import RefusedError
    from ._roots import Roots

    if root is None:
        roots = machine().roots()
    else:
        roots = Roots.trusted(Envelope.from_json(root.read_bytes(), "root"))
    archive = Archive.unpack(file.read_bytes())
    roots = roots.extended(archive.roots)
    manifest = archive.manifest(roots)
    if manifest.expires <= _clock.now():
        raise RefusedError("expired", f"since {_clock.told(manifest.expires)}")
    latest = roots.latest
    keys = {name: latest.public[name] for name in latest.roles["bundle"].keys}
    return {
        "name": manifest.name,
        "revision": manifest.revision,
        "created": _clock.told(manifest.created),
        "expires": _clock.told(manifest.expires),
        "root": latest.version,
        "signers": sorted(archive.envelope.signers(keys)),
        "files": {name: entry.sha256 for name, entry in manifest.files.items()},
    }


@click.command("pull")
@click.option("--once", is_flag=True, help="Ask once, and exit with 1 if nothing right came.")
def pull_command(once: bool) -> None:  # noqa: FBT001 - click passes flags as arguments
    """Take newer bundles as the table [bundle] of the system's file says, until it is stopped.

    Each is verified and tried before it is put in force; what is refused changes nothing. Running
    programs that watch their configuration take it up within a second or two.
    """
    with told():
        here = machine()
    if once:
        raise SystemExit(0 if _pull(here, told_always=True) else 1)
    while True:
        _pull(here, told_always=False)
        spread = 1 + here.settings.jitter * random.uniform(-1, 1)  # noqa: S311 - no secret
        threading.Event().wait(here.settings.every_s * spread)


def _pull(here: Machine, *, told_always: bool) -> bool:
    from ._pull import pull
    from ._refused import RefusedError

    try:
        done = pull(here)
    except RefusedError as error:
        revision = here.status().revision
        stays = "" if revision is None else f"; revision {revision} stays"
        click.echo(f"bundle: {error}{stays}", err=True)
        return False
    if done.is_new:
        click.echo(f"revision {done.revision} is in force now")
    elif told_always:
        click.echo(f"revision {done.revision} is in force, and the newest")
    return True


@click.command("status")
@click.option("--json", "as_json", is_flag=True, help="Print a JSON object.")
def status_command(as_json: bool) -> None:  # noqa: FBT001 - click passes flags as arguments
    """Tell which bundle is in force here, and how fresh it is.

    Exits with 1 when it is stale, expired, missing or broken.
    """
    with told():
        _tell_status(as_json=as_json)


def _tell_status(*, as_json: bool) -> NoReturn:
    status = machine().status()
    _print_status(status, as_json=as_json)
    raise SystemExit(0 if status.state == "fresh" else 1)


def _print_status(status: Status, *, as_json: bool) -> None:
    from . import _clock

    def at(seconds: int | None) -> str | None:
        return _clock.told(seconds) if seconds else None

    shown = {
        "state": status.state,
        "why": status.why,
        "revision": status.revision,
        "digest": status.digest,
        "signed": at(status.signed),
        "expires": at(status.expires),
        "checked": at(status.seen.checked),
        "error": status.seen.error,
        "break_glass": status.seen.break_glass,
    }
    if as_json:
        click.echo(json.dumps(shown, indent=2))
        return
    revision = "no revision" if status.revision is None else f"revision {status.revision}"
    click.echo(f"{revision}, {status.state}: {status.why}")
    for key in ("digest", "expires", "checked", "error"):
        if shown[key] is not None:
            click.echo(f"{key}: {shown[key]}")
    if status.seen.break_glass is not None:
        back = status.seen.break_glass
        click.echo(f"put in force by hand by {back.get('by')}, {at(back.get('at'))}")


@click.command("rollback")
@click.argument("folder", required=False, type=click.Path(path_type=Path, file_okay=False))
@click.option("--revision", type=click.IntRange(1), required=True, help="The one to go back to.")
@click.option(
    "--days",
    type=click.IntRange(1, 36_500),
    default=30,
    show_default=True,
    help="How long it holds.",
)
@click.option(
    "--break-glass",
    is_flag=True,
    help="Go back on this machine alone, unsigned by anybody; it is logged.",
)
def rollback_command(
    folder: Path | None,
    revision: int,
    days: int,
    break_glass: bool,  # noqa: FBT001 - click passes flags as arguments
) -> None:
    """Make the next revision of FOLDER, with the content of an earlier one.

    Machines never take a lower revision, so the way back is a new one; sign it like any other. With
    --break-glass, and without FOLDER, this machine goes back to a revision that it has kept, until
    one comes that is newer than all it has seen.
    """
    if break_glass == (folder is not None):
        raise click.UsageError("name the FOLDER to publish from, or --break-glass for this machine")
    with told():
        if folder is None:
            _break_glass(revision)
            return
        from ._publishing import Publisher

        manifest, file = Publisher(folder).rebuild(revision, days)
    click.echo(f"{file} is revision {manifest.revision}, with what revision {revision} holds")
    click.echo(f"not signed yet: hookctl bundle sign {folder} --key FILE", err=True)


def _break_glass(revision: int) -> None:
    from ._pull import roll_back

    here = machine()
    roll_back(here, revision)
    status = here.status()
    click.echo(f"revision {revision} is in force on this machine, and {status.state}")
