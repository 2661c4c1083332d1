"""MCP servers in the text of one file: the proxy is put before them, or taken away."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from . import jsonedit, tomledit
from .calling import proxied, unproxied
from .client import Servers

__all__ = ["Server", "servers_in", "with_proxy", "without_proxy"]

_Path = tuple[str, ...]


@dataclass(frozen=True)
class Server:
    """An MCP server that a file names."""

    path: _Path
    words: tuple[str, ...]
    """The command and its arguments; none for a server that is not started but connected to."""

    @property
    def name(self) -> str:
        """The server's name, with the project's where it is a project's own."""
        return ".".join((*self.path[:-2][1:], self.path[-1]))

    @property
    def inner(self) -> list[str] | None:
        """The command behind the proxy; None when there is no proxy."""
        return unproxied(list(self.words))


def servers_in(places: Servers, data: Mapping[str, Any]) -> list[Server]:
    """Find the servers that a file names.

    Args:
        places: where the client names them.
        data: what the file says.
    """
    return [
        Server((*path, name), tuple(_words(places, entry)))
        for pattern in places.paths
        for path, table in _tables(data, pattern, ())
        for name, entry in table.items()
        if isinstance(entry, dict)
    ]


def _tables(value: Any, pattern: _Path, path: _Path) -> Iterator[tuple[_Path, dict[str, Any]]]:
    if not isinstance(value, dict):
        return
    if not pattern:
        yield path, value
        return
    for key in value if pattern[0] == "*" else [pattern[0]]:
        yield from _tables(value.get(key), pattern[1:], (*path, key))


def _words(places: Servers, entry: Mapping[str, Any]) -> list[str]:
    command, arguments = entry.get("command"), entry.get("args", [])
    words = command if places.joined else [command, *_listed(arguments)]
    return (
        [str(w) for w in _listed(words)] if all(isinstance(w, str) for w in _listed(words)) else []
    )


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [None]


def with_proxy(places: Servers, text: str, *, toml: bool) -> str:
    """Put the proxy before every server that is started by a command.

    Args:
        places: where the client names servers.
        text: the text of the file.
        toml: whether it is TOML, not JSON.

    Returns:
        The text with it; servers that have it already stay as they are.

    Raises:
        EditError: its form cannot be edited.
    """
    for server in servers_in(places, _read(text, toml=toml)):
        if server.words and server.inner is None:
            words = proxied(server.path[-1], list(server.words))
            text = _written(places, text, server.path, words, toml=toml)
    return text


def without_proxy(places: Servers, text: str, *, toml: bool) -> str:
    """Take the proxy away; the arguments are those of :func:`with_proxy`."""
    for server in servers_in(places, _read(text, toml=toml)):
        if server.inner:
            text = _written(places, text, server.path, server.inner, toml=toml)
    return text


def _read(text: str, *, toml: bool) -> Mapping[str, Any]:
    from .hooks import plain

    return plain("tables" if toml else "groups", text)


def _written(places: Servers, text: str, path: _Path, words: list[str], *, toml: bool) -> str:
    replace = tomledit.replace if toml else jsonedit.replace
    if places.joined:
        return replace(text, (*path, "command"), words)
    text = replace(text, (*path, "command"), words[0])
    return replace(text, (*path, "args"), words[1:])
