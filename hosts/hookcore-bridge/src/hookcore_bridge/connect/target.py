"""The files of a client that something of ours may be in, and errors that name them."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

from . import files, hooks
from .client import Client, Scope
from .clients import CLIENTS
from .jsonc import JsonError
from .jsonedit import EditError
from .servers import Server, servers_in
from .tomledit import TomlError

__all__ = ["Target", "blamed", "encoded", "refuse", "servers_of", "targets"]

_BOM = b"\xef\xbb\xbf"


@dataclass(frozen=True)
class Target:
    """A file, and what of ours may be in it."""

    file: Path
    client: Client
    scope: Scope
    project: Path
    hooks: bool
    servers: bool
    named: str | None = None
    """The plugin that the file has to name."""

    @property
    def toml(self) -> bool:
        """Tell whether the file is TOML, not JSON or a script."""
        return self.file.suffix == ".toml"

    def read(self) -> bytes | None:
        """Return the file's content; None when there is no file.

        Raises:
            ClientFileError: it is strange, out of reach, or a link out of the project.
        """
        below = self.project if self.scope == "project" else None
        return files.read(self.file, below=below)


def targets(name: str, scope: Scope, project: Path) -> Iterator[Target]:
    """Yield a client's files of one scope, that of the hooks first.

    Args:
        name: the client.
        scope: whose files.
        project: the project's folder.

    Raises:
        ClientFileError: the client has no file of that scope.
    """
    client = CLIENTS[name]
    file = client.file(scope, project)
    if file is None:
        raise files.ClientFileError(
            f"{name} is not known to have a file of the administrator's: use --user, or --project"
        )
    listing = client.list_file(file) if scope == "managed" else None
    beside = client.servers_file(scope, project)
    yield Target(file, client, scope, project, hooks=True, servers=beside == file)
    if beside is not None and beside != file:
        yield Target(beside, client, scope, project, hooks=False, servers=True)
    if listing is not None:
        named = file.as_uri()
        yield Target(listing, client, scope, project, hooks=False, servers=False, named=named)


@contextlib.contextmanager
def blamed(file: Path) -> Iterator[None]:
    """Say of an error in a text which file it is about, and what is to be done."""
    try:
        yield
    except (JsonError, TomlError) as error:
        kind = "JSON" if isinstance(error, JsonError) else "TOML"
        refuse(file, f", line {error.line}: this is no {kind}: {error}: correct it")
    except EditError as error:
        refuse(file, f": {error}: change that by hand")


def refuse(file: Path, message: str) -> NoReturn:
    """Refuse to change a file.

    Args:
        file: the file.
        message: what is wrong with it and what to do, to stand behind its path.

    Raises:
        ClientFileError: always.
    """
    raise files.ClientFileError(f"{file}{message}, and try again; nothing was changed") from None


def servers_of(target: Target, text: str) -> list[Server]:
    """Return the MCP servers that a file names.

    Args:
        target: the file.
        text: its text.
    """
    data = hooks.plain("tables" if target.toml else "groups", text)
    return servers_in(target.client.servers, data)


def encoded(text: str, like: bytes | None) -> bytes:
    """Encode a text, with a byte order mark where the file had one.

    Args:
        text: the text.
        like: the file's content before; None when there was no file.
    """
    mark = _BOM if like is not None and like.startswith(_BOM) else b""
    return mark + text.encode()
