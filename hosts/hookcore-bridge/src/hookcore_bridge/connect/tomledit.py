"""Edits of TOML in which comments and order stay, and tables of ours between two marks."""

from __future__ import annotations

import copy
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from .jsonedit import EditError

__all__ = [
    "BEGIN",
    "END",
    "TomlError",
    "add_tables",
    "cut_tables",
    "each_text",
    "parse",
    "remove",
    "replace",
]

BEGIN = "# hookctl connect: begin"
END = "# hookctl connect: end"
_OURS = re.compile(rf"(?:(?<=\n)\r?\n)?^{BEGIN}\r?\n.*?^{END}\r?\n?", re.MULTILINE | re.DOTALL)
_TEXTS = (
    r'"""(?:\\.|[^\\])*?"""',
    r"'''.*?'''",
    r'"(?:\\.|[^"\\\n])*"',
    r"'[^'\n]*'",
    r"(#[^\n]*)",
)
_COMMENT = re.compile("|".join(_TEXTS), re.DOTALL)


class TomlError(ValueError):
    """The text is no TOML; ``line`` counts from 1."""

    def __init__(self, message: str, line: int) -> None:
        super().__init__(message)
        self.line = line


def parse(text: str) -> dict[str, Any]:
    """Read a text.

    Args:
        text: TOML.

    Returns:
        The tables in it.

    Raises:
        TomlError: it is something else.
    """
    import tomlkit
    from tomlkit.exceptions import ParseError, TOMLKitError

    try:
        plain: dict[str, Any] = tomlkit.parse(text).unwrap()
    except ParseError as error:
        raise TomlError(str(error).partition(" at line")[0], error.line) from error
    except TOMLKitError as error:  # a key that is there twice
        raise TomlError(str(error), 1) from error
    return plain


def replace(text: str, path: Sequence[str], value: Any) -> str:
    """Set one value.

    Args:
        text: TOML.
        path: where the value belongs; tables on the way are made.
        value: plain data.

    Returns:
        The text with that value, and else as it was.

    Raises:
        TomlError: the text is no TOML.
        EditError: its form cannot be edited without changing something else.
    """
    import tomlkit

    before = parse(text)
    expected = _with(before, path, value)
    if expected == before:
        return text

    def in_place() -> str:
        document: Any = tomlkit.parse(text)
        table = document
        for key in path[:-1]:
            table = table[key] if key in table else table.setdefault(key, tomlkit.table())
        table[path[-1]] = value
        return tomlkit.dumps(document)

    def at_the_end() -> str:
        header = tomlkit.key(list(path[:-1])).as_string()
        line = f"{tomlkit.key(path[-1]).as_string()} = {tomlkit.item(value).as_string()}"
        return f"{_ended(text)}[{header}]\n{line}\n"

    return _first(text, expected, (in_place, at_the_end))


def remove(text: str, path: Sequence[str]) -> str:
    """Take one value away, and the tables around it that are then empty.

    Args:
        text: TOML.
        path: where it is.

    Returns:
        The text without it.

    Raises:
        TomlError: the text is no TOML.
        EditError: it is not there, or cannot be taken away without changing something else.
    """
    import tomlkit

    expected = copy.deepcopy(parse(text))
    _drop(expected, path)

    def in_place() -> str:
        document: Any = tomlkit.parse(text)
        _drop(document, path)
        return tomlkit.dumps(document)

    return _first(text, expected, (in_place,))


def add_tables(text: str, tables: Sequence[tuple[Sequence[str], Mapping[str, Any]]]) -> str:
    """Add items to arrays of tables, at the end and between marks.

    Args:
        text: TOML.
        tables: for each item the array's path and the item; items may hold lists of tables.

    Returns:
        The text with them, and else as it was.

    Raises:
        TomlError: the text is no TOML.
        EditError: something of the names of the arrays is there and is no array of tables.
    """
    expected = copy.deepcopy(parse(text))
    lines = [BEGIN]
    for path, item in tables:
        holder = expected
        for key in path[:-1]:
            holder = _inner(holder, key, {})
        _inner(holder, path[-1], []).append(dict(item))
        lines += _table(path, item)
    block = "\n".join([*lines, END])
    return _first(text, expected, (lambda: f"{_ended(text)}{block}\n",), more=True)


def cut_tables(text: str) -> str:
    """Take away what :func:`add_tables` added, with its marks and the empty line before them."""
    return _OURS.sub("", text)


def each_text(text: str, change: Callable[[str], str]) -> str:
    """Replace the texts in a document, and leave all else as it is written.

    Args:
        text: TOML.
        change: gives for the value of a text another, or the same to leave it alone.

    Returns:
        The document with the texts as they were given.
    """
    import tomlkit

    def written(match: re.Match[str]) -> str:
        if match[1]:  # a comment
            return match[0]
        value = str(tomlkit.value(match[0]).unwrap())
        other = change(value)
        return match[0] if other == value else tomlkit.item(other).as_string()

    return _COMMENT.sub(written, text)


def _inner(holder: dict[str, Any], key: str, empty: Any) -> Any:
    inner = holder.setdefault(key, empty)
    if type(inner) is not type(empty):
        raise EditError(f"{key} is no {'table' if empty == {} else 'array of tables'}")
    return inner


def _table(path: Sequence[str], item: Mapping[str, Any]) -> list[str]:
    import tomlkit

    lines = [f"[[{tomlkit.key(list(path)).as_string()}]]"]
    inner: list[str] = []
    for key, value in item.items():
        if isinstance(value, list) and value and all(isinstance(one, dict) for one in value):
            for one in value:
                inner += _table([*path, key], one)
        else:
            lines.append(f"{tomlkit.key(key).as_string()} = {tomlkit.item(value).as_string()}")
    return lines + inner


def _ended(text: str) -> str:
    """Return the text with an empty line at its end, unless there is nothing before it."""
    if not text.strip():
        return text
    return (text if text.endswith("\n") else f"{text}\n") + "\n"


def _drop(holder: Any, path: Sequence[str]) -> None:
    tables = [holder]
    for key in path[:-1]:
        tables.append(tables[-1].get(key) or {})
    if path[-1] not in tables[-1]:
        raise EditError(f"there is no {'.'.join(path)}")
    del tables[-1][path[-1]]
    for table, key in zip(reversed(tables[:-1]), reversed(path[:-1]), strict=True):
        if not table[key]:
            del table[key]


def _with(whole: Mapping[str, Any], path: Sequence[str], value: Any) -> dict[str, Any]:
    changed = dict(whole)
    if len(path) == 1:
        changed[path[0]] = value
        return changed
    inner = changed.get(path[0], {})
    if not isinstance(inner, dict):
        raise EditError(f"{path[0]} is no table")
    changed[path[0]] = _with(inner, path[1:], value)
    return changed


def _comments(text: str) -> list[str]:
    return [match[1].rstrip() for match in _COMMENT.finditer(text) if match[1]]


def _first(text: str, expected: Any, ways: Sequence[Any], *, more: bool = False) -> str:
    """Return what the first way makes that says what it should and keeps every comment."""
    from tomlkit.exceptions import TOMLKitError

    newline = "\r\n" if text.count("\r\n") == text.count("\n") > 0 else "\n"
    kept = _comments(text)
    for way in ways:
        try:
            edited = way().replace("\r\n", "\n").replace("\n", newline)
            told = _comments(edited)
            if parse(edited) == expected and (kept == told or (more and kept == told[:-2])):
                return str(edited)
        except (TomlError, TOMLKitError, AttributeError, KeyError, TypeError, ValueError):
            continue
    raise EditError("it has a form that cannot be edited without changing something else")
