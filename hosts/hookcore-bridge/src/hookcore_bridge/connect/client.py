"""The configuration of a client, as data: files, their shapes, and what switches hooks off."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Literal

from .files import ClientFileError
from .strict import Leniency

__all__ = ["NAME", "SCOPES", "SECONDS", "Client", "Off", "Scope", "Servers", "Shape"]

Scope = Literal["user", "project", "managed"]
Shape = Literal["groups", "named groups", "handlers", "tables", "script"]
"""The ways in which files hold hooks.

``groups`` are lists of groups of handlers, ``named groups`` have a matcher and names besides,
``handlers`` are plain lists, ``tables`` are the same as groups in TOML, and a ``script`` is a
program of ours.
"""

SCOPES: Final[tuple[Scope, ...]] = ("user", "project", "managed")
SECONDS: Final = 10
"""A client's own limit for one hook; what answers stays below it."""
NAME: Final = "hookctl-"
"""The beginning of our hooks' name in clients that name them.

A project can switch a hook off by its name, an administrator's too, so the rest is made by chance.
"""


@dataclass(frozen=True, kw_only=True)
class Off:
    """A switch in a file that keeps hooks from running.

    Args:
        files: the files below a project that may hold it.
        user: the same below the client's own folder.
        path: where it stands in a file.
        value: the value that switches off; where it is None, a list that holds our name does.
    """

    files: tuple[str, ...]
    user: tuple[str, ...] = ()
    path: tuple[str, ...]
    value: bool | None


@dataclass(frozen=True, kw_only=True)
class Servers:
    """The places where a client names MCP servers.

    Args:
        user: the file below the home folder or, where it has one, the client's own folder.
        project: the file below a project.
        paths: the tables of servers in the file; a ``*`` stands for any name.
        instead: a name that the file may have instead.
        joined: the command and its arguments are one list, as in opencode.
    """

    user: str
    project: str
    paths: tuple[tuple[str, ...], ...] = (("mcpServers",),)
    instead: str | None = None
    joined: bool = False


@dataclass(frozen=True, kw_only=True)
class Client:
    """A coding agent, and where and how it is told of hooks.

    Args:
        name: the name of its dialect.
        variable: the environment variable that moves its own folder.
        below: where its own folder is below what that variable names.
        folder: its own folder below the home folder.
        user: the file below that folder.
        project: the file below a project.
        from_root: a project begins where its repository does, not in the working folder.
        managed: the administrator's file; None where the client is not known to have one.
        shape: how files hold hooks.
        accepts: what of JSON that is more than JSON it reads; else it skips the file.
        managed_shape: the same for the administrator's file, where it differs.
        managed_list: the file beside the administrator's that has to name it as a plugin.
        handler: what each handler has besides the command; a name is added where groups are named.
        command_key: the key of the command in a handler.
        timeout: the key of the limit, and how many of its units are a second.
        limits: the seconds of events for which it grants fewer.
        unmatched: what each group has besides the handlers.
        frame: what a new file has besides the hooks.
        managed_switches: values that keep hooks on in the administrator's file.
        off: the switches that keep hooks from running.
        variables: the files below a project that give variables to hooks.
        managed_off: values in the administrator's file that keep all others' hooks from running.
        servers: where MCP servers are named.
        trust: for a scope, what has to be pressed before the client runs the hooks.
        loose: what starts the client without hooks of that scope, by scope.
    """

    name: str
    variable: str | None = None
    below: str = ""
    folder: str
    user: str
    project: str
    from_root: bool = False
    managed: Path | None = None
    shape: Shape
    accepts: frozenset[Leniency] = frozenset()
    managed_shape: Shape | None = None
    managed_list: str | None = None
    handler: Mapping[str, Any] = field(default_factory=dict)
    command_key: str = "command"
    timeout: tuple[str, int] = ("timeout", 1)
    limits: Mapping[str, int] = field(default_factory=dict)
    unmatched: Mapping[str, Any] = field(default_factory=dict)
    frame: Mapping[str, Any] = field(default_factory=dict)
    managed_switches: tuple[tuple[tuple[str, ...], Any], ...] = ()
    off: tuple[Off, ...] = ()
    variables: tuple[str, ...] = ()
    managed_off: tuple[tuple[tuple[str, ...], bool], ...] = ()
    servers: Servers
    trust: Mapping[Scope, str] = field(default_factory=dict)
    loose: Mapping[Scope, str] = field(default_factory=dict)

    def home(self) -> Path:
        """Return the client's own folder."""
        moved = os.environ.get(self.variable) if self.variable else None
        folder = Path(moved).expanduser() / self.below if moved else _home() / self.folder
        return folder.absolute()

    def shape_in(self, scope: Scope) -> Shape:
        """Return how the file of a scope holds hooks."""
        return (self.managed_shape or self.shape) if scope == "managed" else self.shape

    def file(self, scope: Scope, project: Path) -> Path | None:
        """Return the file of a scope; None where the client has none.

        Args:
            scope: whose file.
            project: the project's folder.
        """
        if scope == "managed":
            return self.managed
        return self.home() / self.user if scope == "user" else project / self.project

    def list_file(self, file: Path) -> Path | None:
        """Return the file that has to name the administrator's; None where none has to.

        Args:
            file: the administrator's file.
        """
        if self.managed_list is None:
            return None
        return self._or_instead(file.with_name(self.managed_list))

    def servers_file(self, scope: Scope, project: Path) -> Path | None:
        """Return the file of a scope that names MCP servers; None where there is none."""
        if scope == "managed":
            return None
        if scope == "project":
            return self._or_instead(project / self.servers.project)
        below_home = self.servers.user.startswith("~/") and not self._is_moved()
        home = _home() if below_home else self.home()
        return self._or_instead(home / self.servers.user.removeprefix("~/"))

    def _or_instead(self, file: Path) -> Path:
        other = file.with_name(self.servers.instead) if self.servers.instead else file
        return other if other.exists() and not file.exists() else file

    def _is_moved(self) -> bool:
        return bool(self.variable and os.environ.get(self.variable))


def _home() -> Path:
    try:
        return Path.home()
    except RuntimeError as error:
        raise ClientFileError("there is no home folder with a client's files: set HOME") from error
