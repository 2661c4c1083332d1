"""The changes that connect a client or disconnect it, worked out whole before a file is touched."""

from __future__ import annotations

import contextlib
import secrets
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..dialects import CLIENTS as DIALECTS
from ..serve.places import Http
from . import files, hooks, jsonedit, records, servers, tomledit
from .client import NAME, Client, Scope
from .jsonc import JsonError
from .records import Switch
from .strict import complaint
from .target import Target, blamed, encoded, refuse, servers_of, targets
from .tomledit import TomlError
from .undo import without_ours

__all__ = ["Change", "apply", "plan_connect", "plan_disconnect"]


@dataclass(frozen=True, kw_only=True)
class Change:
    """The content of one file, now and as it is to be."""

    file: Path
    client: Client
    scope: Scope
    before: bytes | None
    after: bytes | None
    base: bytes | None
    """The file without anything of ours; None where there would be no file."""
    hooks: bool = True
    """True for a file of hooks, false for one of MCP servers alone."""
    private: bool = False
    """True when nobody else may read the file, since a token is to stand in it."""
    switches: list[Switch] = field(default_factory=list)
    servers_wanted: bool = False
    """True when the proxy is to stand before the MCP servers of the file."""
    servers: list[str] = field(default_factory=list)
    """The MCP servers that have the proxy before them afterwards."""
    remote: list[str] = field(default_factory=list)
    """The MCP servers that no command starts, which the proxy is not put before."""

    @property
    def is_one(self) -> bool:
        """Tell whether the file has to be written."""
        return self.before != self.after


def plan_connect(
    name: str,
    scope: Scope,
    project: Path,
    *,
    mcp: bool | None = None,
    asked: Http | None = None,
) -> list[Change]:
    """Work out the changes that put our hooks into a client's configuration.

    Args:
        name: the client.
        scope: whose configuration.
        project: the project's folder.
        mcp: whether the proxy belongs before the MCP servers; None leaves that as it is.
        asked: where requests are answered, for hooks that are requests.

    Returns:
        A change for each file that is concerned; of those that say so already, one without effect.

    Raises:
        ClientFileError: a file is broken, strange, or cannot be edited; the message says where.
    """
    changes = []
    for target in targets(name, scope, project):
        wanted = _has_proxy(target) if mcp is None else mcp
        if not (target.hooks or target.named or wanted or _has_proxy(target)):
            continue
        before = target.read()
        with blamed(target.file):
            changes.append(_connected(target, before, mcp=wanted, asked=asked))
    return changes


def plan_disconnect(name: str, scope: Scope, project: Path) -> list[Change]:
    """Work out the changes that take everything of ours out of a client's configuration.

    The arguments, the result and the errors are those of :func:`plan_connect`.
    """
    changes = []
    for target in targets(name, scope, project):
        before = target.read()
        with blamed(target.file):
            base, switches = without_ours(target, before)
        changes.append(
            Change(
                file=target.file,
                client=target.client,
                scope=scope,
                before=before,
                after=base,
                base=base,
                hooks=target.hooks,
                switches=switches,
            )
        )
    return [change for change in changes if change.is_one or records.recall(change.file)]


def apply(change: Change) -> None:
    """Write one change, with the record of it.

    Args:
        change: the change.

    Raises:
        ClientFileError: the file was changed meanwhile or cannot be written.
        StateError: the record cannot be written; the file is as it was.
    """
    shared = change.scope == "managed"
    old = records.recall(change.file)
    if change.after == change.base:
        files.write(change.file, change.before, change.after, shared=shared)
        if old is not None and change.after is None:
            files.remove_folders(old.folders)
        elif old is not None and old.mode is not None:
            change.file.chmod(old.mode)
        records.forget(change.file)
        return
    folders = files.missing_folders(change.file)
    record = records.make(
        change.file,
        change.client.name,
        change.scope,
        before=change.base,
        after=change.after or b"",
        folders=folders or (old.folders if old is not None else []),
        switches=change.switches,
        mode=old.mode if old is not None and old.mode is not None else files.mode_of(change.file),
    )
    # First the record: whatever happens between the two, the file can be given back.
    records.keep(record)
    private = change.private
    files.write(change.file, change.before, change.after, shared=shared, private=private)


def _has_proxy(target: Target) -> bool:
    """Tell whether a server in a file has the proxy; a file that cannot be read has none."""
    if not target.servers:
        return False
    with contextlib.suppress(files.ClientFileError, JsonError, TomlError):
        return any(
            one.inner for one in servers_of(target, files.text_of(target.file, target.read()))
        )
    return False


def _connected(target: Target, before: bytes | None, *, mcp: bool, asked: Http | None) -> Change:
    client, shape = target.client, target.client.shape_in(target.scope)
    base, _ = without_ours(target, before)
    text = files.text_of(target.file, base)
    _readable(target, base)
    switches: list[Switch] = []
    if target.hooks:
        if shape == "script" and text:
            refuse(target.file, " is there and was not written by hookctl: move it away")
        name = _name(target, before)
        events = list(DIALECTS[client.name].events)
        text = hooks.added(client, target.scope, text, events, name=name, asked=asked)
        if target.scope == "managed":
            for path, value in client.managed_switches:
                text, switch = _switched(text, path, value, toml=target.toml)
                switches += [switch] if switch is not None else []
    if target.named is not None:
        text = jsonedit.append(text or "{}\n", ("plugin",), target.named)
    names: list[str] = []
    remote: list[str] = []
    if target.servers and mcp and text:
        text = servers.with_proxy(client.servers, text, toml=target.toml)
        names = [one.name for one in servers_of(target, text) if one.inner]
        remote = [one.name for one in servers_of(target, text) if not one.words]
    after = encoded(text, base) if text or base is not None else None
    return Change(
        file=target.file,
        client=client,
        scope=target.scope,
        before=before,
        after=after,
        base=base,
        hooks=target.hooks,
        private=target.hooks and asked is not None,
        switches=switches,
        servers_wanted=target.servers and mcp,
        servers=names,
        remote=remote,
    )


def _name(target: Target, before: bytes | None) -> str:
    """Return the name of our hooks: the one that we have given them, else one made by chance.

    A repository may come with a name of its own choice, and with that name switched off.
    """
    if records.recall(target.file) is not None:
        text = files.text_of(target.file, before)
        name = hooks.name_in(target.client, target.client.shape_in(target.scope), text)
        if name is not None:
            return name
    return NAME + secrets.token_hex(8)


def _readable(target: Target, data: bytes | None) -> None:
    """Refuse what we can read and the client cannot, since most skip such a file in silence."""
    if data is None or target.toml or target.file.suffix == ".js":
        return
    found = complaint(target.client.accepts, data)
    if found is not None:
        line, what = found
        title = DIALECTS[target.client.name].title
        refuse(
            target.file,
            f", line {line}: {title} does not read a file with {what}: take it out",
        )


def _switched(
    text: str, path: tuple[str, ...], value: Any, *, toml: bool
) -> tuple[str, Switch | None]:
    data: Any = hooks.plain("tables" if toml else "groups", text)
    there = True
    for key in path:
        there = there and isinstance(data, dict) and key in data
        data = data[key] if there else None
    if there and data == value:
        return text, None
    edited = (tomledit.replace if toml else jsonedit.replace)(text, path, value)
    return edited, Switch(path, value, data, there)
