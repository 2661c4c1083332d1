"""The places where a client is connected on this machine, and what stands there."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass
from pathlib import Path

from . import files, hooks, records
from .client import SCOPES, Client, Scope
from .clients import CLIENTS
from .jsonc import JsonError
from .tomledit import TomlError

__all__ = ["Place", "asks_by_http", "broken_place", "connected_in", "place_of"]


@dataclass(frozen=True)
class Place:
    """A file with hooks of ours."""

    client: Client
    scope: Scope
    file: Path
    data: bytes
    commands: dict[str, list[str]]
    """The commands of ours, by the client's event."""

    @property
    def text(self) -> str:
        """The file as text."""
        return self.data.decode("utf-8-sig", errors="replace")


def place_of(name: str, scope: Scope, project: Path) -> Place | None:
    """Read a client's file of one scope.

    Args:
        name: the client.
        scope: whose file.
        project: the project's folder.

    Returns:
        The file; None when there is none, or nothing of ours in it.
    """
    client = CLIENTS[name]
    with contextlib.suppress(files.ClientFileError, JsonError, TomlError):
        file = client.file(scope, project)
        if file is None:
            return None
        data = files.read(file)
        found = hooks.found(client, client.shape_in(scope), files.text_of(file, data))
        if data is not None and found:
            return Place(client, scope, file, data, found)
    return None


def broken_place(name: str, scope: Scope, project: Path) -> tuple[Path, str] | None:
    """Find out whether a file once had hooks of ours, and has none that can be found.

    Args:
        name: the client.
        scope: whose file.
        project: the project's folder.

    Returns:
        The file, and what is wrong with it; None when nothing is.
    """
    client = CLIENTS[name]
    try:
        file = client.file(scope, project)
    except files.ClientFileError:
        return None
    if file is None:
        return None
    record = records.recall(file)
    try:
        data = files.read(file)
        found = hooks.found(client, client.shape_in(scope), files.text_of(file, data))
    except (files.ClientFileError, JsonError, TomlError) as error:
        line = f"line {error.line}: " if isinstance(error, JsonError | TomlError) else ""
        return (file, f"{line}{error}") if record is not None or _mentions_us(file) else None
    given_back = record is not None and records.undone(record, data) == (True, data)
    if record is None or found or given_back:
        return None
    return file, "the hooks that 'hookctl connect' has put there are gone"


def _mentions_us(file: Path) -> bool:
    with contextlib.suppress(OSError):
        return b"hookcore_bridge" in file.read_bytes()
    return False


def asks_by_http(name: str, scope: Scope, project: Path) -> bool:
    """Tell whether hooks of ours in a client's file are HTTP requests.

    The arguments are those of :func:`place_of`.
    """
    place = place_of(name, scope, project)
    if place is None:
        return False
    return any(one.startswith("http://") for many in place.commands.values() for one in many)


def connected_in(name: str, project: Path) -> list[Scope]:
    """Return the scopes in which a client is connected.

    Args:
        name: the client.
        project: the project's folder.
    """
    return [scope for scope in SCOPES if place_of(name, scope, project) is not None]
