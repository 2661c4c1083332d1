"""``hookctl audit``."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from ._report import Anchor, Report

__all__ = ["command"]

_EPILOG = """\b
Examples:
  hookctl audit keygen audit.key
  hookctl audit verify
  hookctl audit verify /var/log/agents/audit --public-key audit.key.pub
  hookctl audit verify --anchors /mnt/other/anchors
"""


@click.group("audit", epilog=_EPILOG)
def command() -> None:
    """Verify the audit log of the plugin audit, and make the keys that sign it."""


@command.command("verify")
@click.argument("folder", required=False, type=click.Path(path_type=Path))
@click.option(
    "--public-key",
    "keys",
    multiple=True,
    type=click.Path(path_type=Path),
    help="A file with a key that may have signed it; checkpoints are looked at then.",
)
@click.option("--anchor", "given", multiple=True, metavar="SEQ:HASH", help="A record to be there.")
@click.option(
    "--anchors",
    "files",
    multiple=True,
    type=click.Path(path_type=Path),
    help="A text with such records, say a log of the plugin's anchors.",
)
@click.option("--json", "as_json", is_flag=True, help="Print a JSON object.")
def verify_command(
    folder: Path | None,
    keys: tuple[Path, ...],
    given: tuple[str, ...],
    files: tuple[Path, ...],
    as_json: bool,  # noqa: FBT001 - click passes flags as arguments
) -> None:
    """Tell whether a log is as it was written; without FOLDER, that of this configuration.

    It tells records that were edited, are missing, stand in another order or follow the same one,
    a torn last line, and signatures that are wrong. That the end was cut off is only told by
    anchors: records that were kept elsewhere. Exits with 1 when anything is wrong.
    """
    from ._verify import verify

    where = _configured() if folder is None else folder
    if not where.is_dir():
        raise click.UsageError(f"there is no audit log in {where}: name its folder")
    try:
        report = verify(
            where, public_keys=[_read(file) for file in keys], anchors=_anchors(given, files)
        )
    except ValueError as error:
        raise click.UsageError(str(error)) from error
    if not report.files and not (given or files):
        raise click.UsageError(f"there is no audit log in {where}: name its folder")
    if as_json:
        click.echo(json.dumps(_as_json(where, report), indent=2))
    else:
        _print(where, report, signatures=bool(keys))
    if not report.whole:
        raise SystemExit(1)


def _configured() -> Path:
    from hookcore import plugin_settings

    from ._folder import log_folder
    from .settings import AuditSettings

    return log_folder(plugin_settings("audit", AuditSettings).path)


def _read(file: Path) -> str:
    try:
        return file.read_text("utf-8", "replace")
    except OSError as error:
        raise click.UsageError(f"{file} cannot be read: {error.strerror or error}") from error


def _anchors(given: tuple[str, ...], files: tuple[Path, ...]) -> list[Anchor]:
    from ._anchors import anchors_in

    found = []
    for text in given:
        anchors = anchors_in(text)
        if len(anchors) != 1:
            raise click.UsageError(f"--anchor takes SEQ:HASH, as verify prints it, not {text!r}")
        found += anchors
    for file in files:
        anchors = anchors_in(_read(file))
        if not anchors:
            raise click.UsageError(f"there is no anchor (SEQ:HASH) in {file}")
        found += anchors
    return found


def _as_json(folder: Path, report: Report) -> dict[str, object]:
    return {
        "folder": str(folder),
        "whole": report.whole,
        "records": report.records,
        "files": report.files,
        "first": report.first,
        "last": None if report.last is None else str(report.last),
        "signed": report.signed,
        "anchored": report.anchored,
        "repairs": report.repairs,
        "lost": report.lost,
        "counts": dict(report.counts),
        "findings": [
            {"kind": each.kind, "file": each.file, "line": each.line, "text": each.text}
            for each in report.findings
        ],
    }


def _print(folder: Path, report: Report, *, signatures: bool) -> None:
    for finding in report.findings:
        click.echo(str(finding))
    more = report.counts.total() - len(report.findings)
    if more:
        click.echo(f"and {more} more")
    state = "nothing is wrong" if report.whole else "it is NOT as it was written"
    click.echo(f"{folder}: {report.records} records in {report.files} files, {state}")
    if report.last is not None:
        click.echo(f"records {report.first} to {report.last.seq}; the last is {report.last}")
    if signatures:
        signed = "nothing" if report.signed is None else f"records up to {report.signed}"
        click.echo(f"signatures vouch for {signed}")
    if report.repairs:
        numbers = ", ".join(map(str, report.repairs[:10]))
        click.echo(f"{len(report.repairs)} torn lines were cut off by the next writer: {numbers}")
    if report.lost:
        click.echo(f"{report.lost} decisions or calls could not be written in their time")


@command.command("keygen")
@click.argument("file", type=click.Path(path_type=Path))
def keygen_command(file: Path) -> None:
    """Make a key: the secret one in FILE, for you alone, the public one in FILE.pub."""
    from ._signing import KeyFormatError, SigningKey

    if not file.name:
        raise click.UsageError(f"{file} is a folder: name a file in it")
    try:
        key = SigningKey()
    except KeyFormatError as error:
        raise click.ClickException(str(error)) from error
    public = file.with_name(f"{file.name}.pub")
    _write_new(file, key.secret(), 0o600)
    _write_new(public, key.public, 0o644)
    click.echo(f"{file} holds the key: put it into the variable that sign_key_env names")
    click.echo(f"{public} is for: hookctl audit verify --public-key {public}")


def _write_new(file: Path, text: str, mode: int) -> None:
    try:
        descriptor = os.open(file, os.O_CREAT | os.O_EXCL | os.O_WRONLY, mode)
    except FileExistsError as error:
        raise click.UsageError(f"{file} is there already: name another file") from error
    with os.fdopen(descriptor, "w") as opened:
        opened.write(f"{text}\n")
