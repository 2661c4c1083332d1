"""The changes that connect a client or disconnect it, worked out whole before a file is touched."""

from __future__ import annotations

import contextlib
import secrets
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NoReturn

from ..dialects import CLIENTS as DIALECTS
from ..serve.places import Http
from . import files, hooks, jsonedit, records, servers, tomledit
from .clients import CLIENTS, NAME, Client, Scope, Shape
from .jsonc import JsonError
from .jsonedit import EditError
from .records import Record, Switch
from .strict import complaint
from .tomledit import TomlError

__all__ = ["Change", "apply", "plan_connect", "plan_disconnect"]

_BOM = b"\xef\xbb\xbf"
_OWN: tuple[Shape, ...] = ("handlers", "script")


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


@dataclass(frozen=True)
class _Target:
    """A file, and what of ours may be in it."""

    file: Path
    client: Client
    scope: Scope
    project: Path
    hooks: bool
    servers: bool

    @property
    def toml(self) -> bool:
        return self.file.suffix == ".toml"

    def read(self) -> bytes | None:
        below = self.project if self.scope == "project" else None
        return files.read(self.file, below=below)


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
    for target in _targets(name, scope, project):
        wanted = _has_proxy(target) if mcp is None else mcp
        if not target.hooks and not wanted and not _has_proxy(target):
            continue
        before = target.read()
        with _blamed(target.file):
            changes.append(_connected(target, before, mcp=wanted, asked=asked))
    return changes


def plan_disconnect(name: str, scope: Scope, project: Path) -> list[Change]:
    """Work out the changes that take everything of ours out of a client's configuration.

    The arguments, the result and the errors are those of :func:`plan_connect`.
    """
    changes = []
    for target in _targets(name, scope, project):
        before = target.read()
        with _blamed(target.file):
            base, switches = _without_ours(target, before)
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


def _targets(name: str, scope: Scope, project: Path) -> Iterator[_Target]:
    client = CLIENTS[name]
    file = client.file(scope, project)
    if file is None:
        raise files.ClientFileError(
            f"{name} is not known to have a file of the administrator's: use --user, or --project"
        )
    beside = client.servers_file(scope, project)
    yield _Target(file, client, scope, project, hooks=True, servers=beside == file)
    if beside is not None and beside != file:
        yield _Target(beside, client, scope, project, hooks=False, servers=True)


@contextlib.contextmanager
def _blamed(file: Path) -> Iterator[None]:
    """Say of an error in a text which file it is about, and what is to be done."""
    try:
        yield
    except (JsonError, TomlError) as error:
        kind = "JSON" if isinstance(error, JsonError) else "TOML"
        _refuse(file, f", line {error.line}: this is no {kind}: {error}: correct it")
    except EditError as error:
        _refuse(file, f": {error}: change that by hand")


def _refuse(file: Path, message: str) -> NoReturn:
    raise files.ClientFileError(f"{file}{message}, and try again; nothing was changed") from None


def _has_proxy(target: _Target) -> bool:
    """Tell whether a server in a file has the proxy; a file that cannot be read has none."""
    if not target.servers:
        return False
    with contextlib.suppress(files.ClientFileError, JsonError, TomlError):
        return any(one.inner for one in _servers(target, files.text_of(target.file, target.read())))
    return False


def _connected(target: _Target, before: bytes | None, *, mcp: bool, asked: Http | None) -> Change:
    client, shape = target.client, target.client.shape_in(target.scope)
    base, _ = _without_ours(target, before)
    text = files.text_of(target.file, base)
    _readable(target, base)
    switches: list[Switch] = []
    if target.hooks:
        if shape == "script" and text:
            _refuse(target.file, " is there and was not written by hookctl: move it away")
        name = _name(target, before)
        events = list(DIALECTS[client.name].events)
        text = hooks.added(client, shape, text, events, name=name, asked=asked)
        if target.scope == "managed":
            for path, value in client.managed_switches:
                text, switch = _switched(text, path, value, toml=target.toml)
                switches += [switch] if switch is not None else []
    names: list[str] = []
    remote: list[str] = []
    if target.servers and mcp and text:
        text = servers.with_proxy(client.servers, text, toml=target.toml)
        names = [one.name for one in _servers(target, text) if one.inner]
        remote = [one.name for one in _servers(target, text) if not one.words]
    after = _encoded(text, base) if text or base is not None else None
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


def _name(target: _Target, before: bytes | None) -> str:
    """Return the name of our hooks: the one that we have given them, else one made by chance.

    A repository may come with a name of its own choice, and with that name switched off.
    """
    if records.recall(target.file) is not None:
        text = files.text_of(target.file, before)
        name = hooks.name_in(target.client, target.client.shape_in(target.scope), text)
        if name is not None:
            return name
    return NAME + secrets.token_hex(8)


def _servers(target: _Target, text: str) -> list[servers.Server]:
    data = hooks.plain("tables" if target.toml else "groups", text)
    return servers.servers_in(target.client.servers, data)


def _readable(target: _Target, data: bytes | None) -> None:
    """Refuse what we can read and the client cannot, since most skip such a file in silence."""
    if data is None or target.toml or target.client.shape_in(target.scope) == "script":
        return
    found = complaint(target.client.accepts, data)
    if found is not None:
        line, what = found
        title = DIALECTS[target.client.name].title
        _refuse(
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


def _without_ours(target: _Target, now: bytes | None) -> tuple[bytes | None, list[Switch]]:
    """Return the file as it is without us: as it was, or what can be told from how it looks."""
    record = records.recall(target.file)
    if record is not None:
        known, old = records.undone(record, now)
        if known:
            return old, record.switches
    if now is None:
        return None, []
    text = files.text_of(target.file, now)
    edited = _without_switches(target, record, text)
    if target.hooks:
        edited = hooks.stripped(target.client, target.client.shape_in(target.scope), edited)
    if target.servers and edited:
        edited = servers.without_proxy(target.client.servers, edited, toml=target.toml)
    if edited == text:
        return now, []
    switches = record.switches if record is not None else []
    # A file that only we write goes with us; others may have been there before.
    made = record is not None and record.before is None
    if not edited.strip() and (made or target.client.shape_in(target.scope) in _OWN):
        return None, switches
    return _encoded(edited or ("" if target.toml else "{}\n"), now), switches


def _without_switches(target: _Target, record: Record | None, text: str) -> str:
    for switch in record.switches if record is not None else []:
        data: Any = hooks.plain("tables" if target.toml else "groups", text)
        for key in switch.path:
            data = data.get(key) if isinstance(data, dict) else None
        if data != switch.value:  # somebody has set it since
            continue
        edit: Callable[..., str]
        if switch.there:
            edit = tomledit.replace if target.toml else jsonedit.replace
            text = edit(text, switch.path, switch.was)
        else:
            edit = tomledit.remove if target.toml else jsonedit.remove_with_empty
            text = edit(text, switch.path)
    return text


def _encoded(text: str, like: bytes | None) -> bytes:
    mark = _BOM if like is not None and like.startswith(_BOM) else b""
    return mark + text.encode()
