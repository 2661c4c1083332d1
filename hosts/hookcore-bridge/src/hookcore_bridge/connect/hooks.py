"""Our hooks in the text of one file, in each shape that files have: added, found, taken out."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ..serve.places import Http
from . import http, jsonedit, script, tomledit
from .calling import hook_command, is_our_hook
from .client import NAME, SECONDS, Client, Scope, Shape
from .jsonc import JsonError, parse

__all__ = ["added", "found", "is_json", "name_in", "ours", "plain", "stripped"]


def is_json(shape: Shape) -> bool:
    """Tell whether files of a shape are JSON."""
    return shape not in ("tables", "script")


def plain(shape: Shape, text: str) -> dict[str, Any]:
    """Read what a file says.

    Args:
        shape: how the file holds hooks.
        text: its text; an empty one says nothing.

    Returns:
        Its outermost table.

    Raises:
        JsonError: it is no JSON, or no table.
        TomlError: it is no TOML.
    """
    if shape == "script" or not text.strip():
        return {}
    if shape == "tables":
        return tomledit.parse(text)
    value = parse(text).value
    if not isinstance(value, dict):
        raise JsonError("the outermost value is no object", 1, 1)
    return value


def added(
    client: Client,
    scope: Scope,
    text: str,
    events: Sequence[str],
    *,
    name: str,
    asked: Http | None = None,
) -> str:
    """Put a hook for each event into a file.

    Args:
        client: the client whose file it is.
        scope: whose file it is.
        text: its text, which has none of ours.
        events: the client's names of the events.
        name: the name of the hooks, where the client names them.
        asked: where requests are answered, for hooks that are requests; None for programs alone.

    Returns:
        The text with them.

    Raises:
        EditError: its form cannot be edited.
    """
    shape = client.shape_in(scope)
    if shape == "script":
        return script.text(scope)
    groups = {event: _item(client, scope, event, name, asked) for event in events}
    if shape == "tables":
        return tomledit.add_tables(text, [(("hooks", name), one) for name, one in groups.items()])
    if not text.strip():
        text = json.dumps(dict(client.frame), indent=2) + "\n"
    for event, group in groups.items():
        text = jsonedit.append(text, ("hooks", event), group)
    return text


def _item(
    client: Client, scope: Scope, event: str, name: str, asked: Http | None
) -> dict[str, Any]:
    shape = client.shape_in(scope)
    if asked is not None and http.takes_http(client.name, event):
        return {"hooks": [http.handler(asked, event)]}
    key, units = client.timeout
    handler = {
        "type": "command",
        client.command_key: hook_command(client.name, event, scope),
        **client.handler,
        **({"name": name} if shape == "named groups" else {}),
        key: client.limits.get(event, SECONDS) * units,
    }
    return handler if shape == "handlers" else {**client.unmatched, "hooks": [handler]}


def name_in(client: Client, shape: Shape, text: str) -> str | None:
    """Return the name that our hooks have in a file; None when they have none.

    Args:
        client: the client whose file it is.
        shape: how the file holds hooks.
        text: its text.
    """
    data = plain(shape, text)
    for path, _ in ours(client, data) if shape == "named groups" else ():
        name = _at(data, path).get("name")
        if isinstance(name, str) and name.startswith(NAME):
            return name
    return None


def found(client: Client, shape: Shape, text: str) -> dict[str, list[str]]:
    """Find our hooks in a file.

    Args:
        client: the client whose file it is.
        shape: how the file holds hooks.
        text: its text.

    Returns:
        The commands for each event that has any; for a script, its text under the empty name.

    Raises:
        JsonError: it is no JSON.
        TomlError: it is no TOML.
    """
    if shape == "script":
        return {"": [text]} if script.is_ours(text) else {}
    commands: dict[str, list[str]] = {}
    for path, command in ours(client, plain(shape, text)):
        commands.setdefault(str(path[1]), []).append(command)
    return commands


def stripped(client: Client, shape: Shape, text: str) -> str:
    """Take our hooks out of a file, and the lists and groups that are empty without them.

    Args:
        client: the client whose file it is.
        shape: how the file holds hooks.
        text: its text.

    Returns:
        The text without them; an empty one when nothing is left that means anything.

    Raises:
        JsonError: it is no JSON.
        TomlError: it is no TOML.
        EditError: its form cannot be edited.
    """
    if shape == "script":
        return "" if script.is_ours(text) else text
    if shape == "tables":
        text = tomledit.cut_tables(text)
        if any(ours(client, plain(shape, text))):
            raise jsonedit.EditError(f"hooks of hookctl stand outside of '{tomledit.BEGIN}'")
        return text
    places = [path for path, _ in ours(client, plain(shape, text))]
    if not places:
        return text
    for path in reversed(places):
        text = _cut(text, path)
    left = plain(shape, text)
    empty = {key: value for key, value in left.items() if value != {}} in ({}, dict(client.frame))
    return "" if empty and not text.strip(" \t\r\n{}") else text


def _cut(text: str, path: jsonedit.Path) -> str:
    """Remove a handler, and what around it is empty then."""
    data = parse(text).value
    if len(path) > len(("hooks", "event", 0)) and len(_at(data, path[:-1])) == 1:
        path = path[:3]  # a group without handlers means nothing
    return jsonedit.remove_with_empty(text, path)


def _at(value: Any, path: jsonedit.Path) -> Any:
    for key in path:
        value = value[key]
    return value


def ours(client: Client, data: Mapping[str, Any]) -> Iterator[tuple[jsonedit.Path, str]]:
    """Yield the place and the command of each of our hooks, whatever else is in the file."""
    hooks = data.get("hooks")
    for event, items in hooks.items() if isinstance(hooks, dict) else ():
        for index, item in enumerate(items if isinstance(items, list) else ()):
            path: tuple[str | int, ...] = ("hooks", event, index)
            if not isinstance(item, dict):
                continue
            if is_our_hook(item.get(client.command_key)):
                yield path, item[client.command_key]
            inner = item.get("hooks")
            for place, handler in enumerate(inner if isinstance(inner, list) else ()):
                if not isinstance(handler, dict):
                    continue
                if is_our_hook(handler.get(client.command_key)):
                    yield (*path, "hooks", place), str(handler[client.command_key])
                elif http.is_ours(handler):
                    yield (*path, "hooks", place), str(handler["url"])
