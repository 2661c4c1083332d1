"""``hookctl bundle``: the commands of those who publish; :mod:`.fleet` has the machines'."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from .fleet import pull_command, rollback_command, status_command, verify_command
from .told import FOLDER, KEYS, told

if TYPE_CHECKING:
    from ._documents import RoleName
    from ._keys import PublicKey, SecretKey
    from ._publishing import Publisher

__all__ = ["command"]

_EPILOG = """\b
Those who publish:
  hookctl bundle init-root policies --name prod --keys ~/hookcore-keys
  hookctl bundle build policies
  hookctl bundle sign policies --key ~/hookcore-keys/bundle.key
  hookctl bundle sign policies --key timestamp.key         once an hour
  hookctl bundle rollback policies --revision 4
\b
Each machine:
  hookctl bundle pull
  hookctl bundle status
"""
_ROLES: Final[tuple[RoleName, ...]] = ("root", "bundle", "timestamp")
_DAYS = click.IntRange(1, 36_500)


@click.group("bundle", epilog=_EPILOG)
def command() -> None:
    """Publish signed configuration to many machines, and take it there."""


@command.command("keygen")
@click.argument("file", type=click.Path(path_type=Path))
def keygen_command(file: Path) -> None:
    """Make a key: the secret one in FILE, for you alone, the public one in FILE.pub."""
    from ._keys import write_new

    with told():
        key = write_new(file)
    click.echo(f"{file} holds key {key.public.id}, and {file}.pub what others may know of it")


@command.command("init-root")
@FOLDER
@click.option("--name", help="The fleet's name, such as prod.")
@click.option(
    "--keys",
    "place",
    type=click.Path(path_type=Path, file_okay=False),
    help="A folder with a key for each role that is given none; made if it is not there.",
)
@click.option(
    "--role",
    "given",
    multiple=True,
    metavar="ROLE=FILE.pub",
    help="A public key of a role (root, bundle, timestamp); may be given several times.",
)
@click.option(
    "--threshold",
    "wanted",
    multiple=True,
    metavar="ROLE=N",
    help="How many keys of a role must sign; 1 when not given.",
)
@click.option("--days", type=_DAYS, default=365, show_default=True, help="How long it holds.")
@click.option(
    "--rotate", is_flag=True, help="Make the next version, with other keys or a later end."
)
@KEYS
def init_root_command(  # noqa: PLR0917 - click passes all by keyword
    folder: Path,
    name: str | None,
    place: Path | None,
    given: tuple[str, ...],
    wanted: tuple[str, ...],
    days: int,
    rotate: bool,  # noqa: FBT001 - click passes flags as arguments
    keys: tuple[Path, ...],
) -> None:
    """Say whose keys count: make FOLDER/root.json, which machines get by hand, once.

    With --rotate the next version is made, which comes to the machines with the bundles. It has to
    be signed by keys of the version before it and by its own: give them with --key, or sign later.
    """
    from ._publishing import Publisher

    with told():
        publisher, secrets = Publisher(folder), _secrets(keys)
        roles, thresholds = _roles(given), _thresholds(wanted)
        if rotate:
            root = publisher.rotate(roles, thresholds, days)
        else:
            if name is None:
                raise click.UsageError("--name names the fleet")
            folder.mkdir(parents=True, exist_ok=True)
            made = {role: _made(place, role) for role in _ROLES if role not in roles}
            secrets += [key for role, key in made.items() if role == "root"]
            whole = roles | {role: [key.public] for role, key in made.items()}
            root = publisher.init_root(name, whole, thresholds, days)
    click.echo(f"{folder / 'roots.json'} has version {root.version} of the root of {root.name}")
    _sign(publisher, secrets)


@command.command("build")
@FOLDER
@click.option("--days", type=_DAYS, default=30, show_default=True, help="How long it holds.")
@click.option("--revision", type=click.IntRange(1), help="Its number, else the next one.")
@click.option(
    "--try", "tried", is_flag=True, help="Load all that it enables here, as machines will do."
)
@KEYS
def build_command(
    folder: Path,
    days: int,
    revision: int | None,
    tried: bool,  # noqa: FBT001 - click passes flags as arguments
    keys: tuple[Path, ...],
) -> None:
    """Build the next revision of FOLDER: hookcore.toml, hookcore.lock and constraints.txt."""
    from hookcore.bundles import check_bundle, try_bundle

    from ._publishing import Publisher

    with told():
        publisher, secrets = Publisher(folder), _secrets(keys)
        publisher.roots()
        if (folder / "hookcore.toml").is_file():
            (try_bundle if tried else check_bundle)(folder)
        manifest, file = publisher.build(days, revision)
    click.echo(f"{file} is revision {manifest.revision}: {', '.join(manifest.files)}")
    _sign(publisher, secrets)


@command.command("sign")
@FOLDER
@KEYS
def sign_command(folder: Path, keys: tuple[Path, ...]) -> None:
    """Sign what the keys may sign: a new root, the newest revision, a timestamp of now.

    What enough keys have signed is published in FOLDER/dist. The key of the timestamp has to sign
    once an hour or so: from that, machines know that nothing newer is kept from them.
    """
    from ._publishing import Publisher

    if not keys:
        raise click.UsageError("--key names the file of a secret key")
    with told():
        secrets = _secrets(keys)
    _sign(Publisher(folder), secrets)


def _sign(publisher: Publisher, secrets: list[SecretKey]) -> None:
    with told():
        signed = publisher.sign(secrets)
    for line in signed.done:
        click.echo(line)
    for line in signed.lacking:
        click.echo(f"not signed yet: {line}", err=True)
    for key in secrets:
        if key.public.id not in signed.used:
            click.echo(f"key {key.public.id} may sign nothing here", err=True)
    if secrets and not any(key.public.id in signed.used for key in secrets):
        raise SystemExit(1)


def _secrets(files: tuple[Path, ...]) -> list[SecretKey]:
    from ._keys import read_secret

    return [read_secret(file) for file in files]


def _made(place: Path | None, role: str) -> SecretKey:
    from ._keys import read_secret, write_new

    if place is None:
        raise click.UsageError(
            f"--role {role}=FILE.pub names a key, or --keys FOLDER has one made there"
        )
    file = place / f"{role}.key"
    if file.exists():
        return read_secret(file)
    place.mkdir(mode=0o700, parents=True, exist_ok=True)
    return write_new(file)


def _roles(given: tuple[str, ...]) -> dict[RoleName, list[PublicKey]]:
    from ._keys import read_public

    roles: dict[RoleName, list[PublicKey]] = {}
    for text in given:
        role, value = _pair("--role", text, "FILE.pub")
        roles.setdefault(role, []).append(read_public(Path(value)))
    return roles


def _thresholds(given: tuple[str, ...]) -> dict[RoleName, int]:
    thresholds: dict[RoleName, int] = {}
    for text in given:
        role, value = _pair("--threshold", text, "N")
        if not value.isdecimal() or int(value) < 1:
            raise click.UsageError(f"--threshold takes ROLE=N, not {text}")
        thresholds[role] = int(value)
    return thresholds


def _pair(option: str, text: str, what: str) -> tuple[RoleName, str]:
    name, _, value = text.partition("=")
    for role in _ROLES:
        if role == name and value:
            return role, value
    raise click.UsageError(f"{option} takes ROLE={what} with one of {', '.join(_ROLES)}: {text}")


for each in (verify_command, pull_command, status_command, rollback_command):
    command.add_command(each)
