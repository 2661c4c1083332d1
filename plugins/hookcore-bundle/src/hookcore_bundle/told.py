"""The arguments that commands share, and their failures as messages."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from ._machine import Machine

__all__ = ["FOLDER", "KEYS", "BrokenError", "machine", "told"]

FOLDER = click.argument("folder", type=click.Path(path_type=Path, file_okay=False))
KEYS = click.option(
    "--key",
    "keys",
    multiple=True,
    type=click.Path(path_type=Path),
    help="A file with a secret key to sign with; may be given several times.",
)


class BrokenError(click.ClickException):
    """A configuration or a plugin is broken."""

    exit_code = 3


@contextlib.contextmanager
def told() -> Iterator[None]:
    """Turn what goes wrong into a message: 1 for what is refused, 3 for what is broken."""
    from hookcore import HookcoreError

    from ._keys import KeyFormatError
    from ._refused import RefusedError

    try:
        yield
    except RefusedError as error:
        raise click.ClickException(f"bundle: {error}") from error
    except KeyFormatError as error:
        raise click.UsageError(str(error)) from error
    except HookcoreError as error:
        raise BrokenError(f"bundle: {error}") from error
    except OSError as error:
        raise click.UsageError(f"{error.filename}: {error.strerror or error}") from error


def machine() -> Machine:
    """Return this machine, as the system's file has it.

    Raises:
        BrokenError: the file asks for no bundle, or says something wrong.
    """
    from pydantic import ValidationError

    from hookcore.bundles import bundle_table, system_file

    from ._machine import Machine
    from .settings import BundleSettings

    table = bundle_table()
    if table is None:
        raise BrokenError(f"bundle: {system_file()} asks for none: write a table [bundle] into it")
    try:
        return Machine(BundleSettings(**table))
    except ValidationError as error:
        told = "; ".join(
            f"bundle.{'.'.join(map(str, each['loc']))}: {each['msg']}"
            for each in error.errors(include_url=False, include_input=False)
        )
        raise BrokenError(f"{system_file()}: {told}") from None
