"""Edits of JSON as text, in which every byte that is not the edit's own stays as it was."""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Sequence
from typing import Any

from .jsonc import JsonError, Member, Node, comments, parse

__all__ = ["EditError", "Path", "append", "remove", "remove_with_empty", "replace"]

Path = Sequence[str | int]
"""Keys of objects and indices of arrays, from the outermost value inwards."""

_INDENT = re.compile(r"\n([ \t]*)\Z")


class EditError(ValueError):
    """The text has a form that cannot be edited without changing something else."""


def replace(text: str, path: Path, value: Any) -> str:
    """Set one value.

    Args:
        text: JSON, with or without comments.
        path: where the value belongs; objects on the way are made.
        value: plain data.

    Returns:
        The text with that value, and else as it was.

    Raises:
        JsonError: the text is no JSON.
        EditError: something on the way is no object.
    """
    root = parse(text)
    node, rest = _walk(text, root, path)
    expected = _with(root.value, path, value)
    if rest:
        edited = _insert(text, node, str(rest[0]), _nested(rest[1:], value))
        return _checked(edited, expected, comments(text))
    edited = text[: node.start] + _written(text, node, value) + text[node.end :]
    return _checked(edited, expected, _around(text, node.start, node.end))


def append(text: str, path: Path, value: Any) -> str:
    """Add an item at the end of an array.

    Args:
        text: as for :func:`replace`.
        path: where the array is; it is made when it is not there.
        value: plain data.

    Returns:
        The text with that item, and else as it was.

    Raises:
        JsonError: the text is no JSON.
        EditError: something on the way is no object, or the last is no array.
    """
    root = parse(text)
    node, rest = _walk(text, root, path)
    if rest:
        return replace(text, path, [value])
    if node.kind != "array":
        raise EditError(f"{_named(path)} is no list ({_line(text, node.start)})")
    expected = _with(root.value, path, [*node.value, value])
    return _checked(_insert(text, node, None, value), expected, comments(text))


def remove(text: str, path: Path) -> str:
    """Take one member of an object or one item of an array away.

    Args:
        text: as for :func:`replace`.
        path: where it is.

    Returns:
        The text without it; comments beside it stay.

    Raises:
        JsonError: the text is no JSON.
        EditError: there is nothing at that place.
    """
    root = parse(text)
    holder, rest = _walk(text, root, path[:-1])
    last = path[-1]
    found = [
        index
        for index, member in enumerate(holder.members)
        if (index if holder.kind == "array" else member.key) == last
    ]
    if rest or not found:
        raise EditError(f"there is no {_named(path)}")
    member = holder.members[found[-1]]
    edited = _cut(text, holder, found[-1])
    kept = _around(text, member.start, member.end)
    return _checked(edited, _without(root.value, path), kept)


def remove_with_empty(text: str, path: Path) -> str:
    """Take a value away, and every object and array around it that would be empty then.

    The arguments, the result and the errors are those of :func:`remove`.
    """
    nodes = [parse(text)]
    for key in path[:-1]:
        members = nodes[-1].members
        nodes.append(members[key].value if isinstance(key, int) else _only(members, key))
    while len(path) > 1 and len(nodes.pop().members) == 1:
        path = path[:-1]
    return remove(text, path)


def _only(members: Sequence[Member], key: str) -> Node:
    return next(member.value for member in members if member.key == key)


def _walk(text: str, node: Node, path: Path) -> tuple[Node, Path]:
    """Go down as far as the path is there; return where that is and what is left of the path."""
    for depth, key in enumerate(path):
        if isinstance(key, int):
            if node.kind != "array" or key >= len(node.members):
                raise EditError(f"there is no {_named(path[: depth + 1])}")
            node = node.members[key].value
            continue
        if node.kind != "object":
            where = _named(path[:depth])
            raise EditError(f"{where} is no table of names ({_line(text, node.start)})")
        twice = [member for member in node.members if member.key == key]
        if len(twice) > 1:
            where = _line(text, twice[-1].start)
            raise EditError(f"{_named(path[: depth + 1])} is there twice ({where})")
        if not twice:
            return node, path[depth:]
        node = twice[0].value
    return node, ()


def _named(path: Path) -> str:
    return ".".join(map(str, path)) or "the whole"


def _line(text: str, at: int) -> str:
    return f"line {text.count(chr(10), 0, at) + 1}"


def _nested(path: Path, value: Any) -> Any:
    for key in reversed(path):
        value = {key: value}
    return value


def _with(whole: Any, path: Path, value: Any) -> Any:
    if not path:
        return value
    changed = copy.copy(whole)
    head = path[0]
    inner = changed.get(head, {}) if isinstance(changed, dict) else changed[head]
    changed[head] = _with(inner, path[1:], value)
    return changed


def _without(whole: Any, path: Path) -> Any:
    changed = copy.copy(whole)
    if len(path) == 1:
        del changed[path[0]]
    else:
        changed[path[0]] = _without(changed[path[0]], path[1:])
    return changed


def _around(text: str, start: int, end: int) -> list[str]:
    return comments(text[:start]) + comments(text[end:])


def _checked(after: str, expected: Any, kept: list[str]) -> str:
    try:
        same = parse(after).value == expected and comments(after) == kept
    except JsonError:
        same = False
    if not same:
        raise EditError("it has a form that cannot be edited without changing something else")
    return after


def _unit(text: str) -> str:
    """Return one step of indentation, as the file has it."""
    found = re.search(r"[{\[][ \t]*\r?\n([ \t]+)\S", text)
    return found[1] if found else "  "


def _newline(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


def _indentation(text: str, at: int) -> str:
    """Return the blanks that the line of an offset begins with."""
    start = text.rfind("\n", 0, at) + 1
    found = re.compile(r"[ \t]*").match(text, start)
    return found[0] if found else ""


def _is_flat(text: str) -> bool:
    """Tell whether the file is kept on one line."""
    return "\n" not in text.strip() and len("".join(text.split())) > len("{}")


def _written(text: str, old: Node, value: Any) -> str:
    """Write a value as the file would, in the place of another."""
    if _is_flat(text) or (old.members and "\n" not in text[old.start : old.end]):
        return _dumps(value)
    lines = _dumps(value, _unit(text)).split("\n")
    return (_newline(text) + _indentation(text, old.start)).join(lines)


def _dumps(value: Any, indent: str | None = None) -> str:
    text = json.dumps(value, ensure_ascii=False, indent=indent)
    if any("\ud800" <= char <= "\udfff" for char in text):  # half a character: only as an escape
        return json.dumps(value, indent=indent)
    return text


def _insert(text: str, holder: Node, key: str | None, value: Any) -> str:
    """Put a member or an item behind the others."""
    close = holder.end - 1
    head = "" if key is None else f"{_dumps(key)}: "
    last = holder.members[-1] if holder.members else None
    inside = text[holder.start + 1 : close]
    comma = "," if last is not None and last.comma is None else ""
    trailing = "," if last is not None and last.comma is not None else ""
    if _is_flat(text) or (last is not None and "\n" not in inside):
        gap = "" if last is None else " "
        new = head + _dumps(value) + trailing
        at = (last.end if last.comma is None else last.comma + 1) if last else holder.start + 1
        return text[:at] + comma + gap + new + text[at:]
    newline, outer = _newline(text), _indentation(text, holder.start)
    inner = _indentation(text, last.start) if last else outer + _unit(text)
    lines = _dumps(value, _unit(text)).split("\n")
    new = newline + inner + head + (newline + inner).join(lines) + trailing
    at = len(text[:close].rstrip(" \t\r\n"))
    tail = text[at:close]
    if "\n" not in tail:  # what was empty, or its closing bracket stood behind something
        tail = newline + outer
    before = text[: last.end] + comma + text[last.end : at] if last else text[:at]
    return before + new + tail + text[close:]


def _cut(text: str, holder: Node, index: int) -> str:
    member = holder.members[index]
    previous = holder.members[index - 1] if index else None
    spans = [_own_lines(text, member)]
    if member.comma is None and previous is not None and previous.comma is not None:
        spans.append((previous.comma, previous.comma + 1))
    elif member.comma is not None and member.comma >= spans[0][1]:  # behind a comment
        spans.append((member.comma, member.comma + 1))
    for start, end in sorted(spans, reverse=True):
        text = text[:start] + text[end:]
    return text


def _own_lines(text: str, member: Member) -> tuple[int, int]:
    """Return what goes with a member: its comma, and its lines where they hold nothing else."""
    start, end = member.start, member.end
    if member.comma is not None and not text[end : member.comma].strip():
        end = member.comma + 1
    before, after = start, end
    while before and text[before - 1] in " \t":
        before -= 1
    while after < len(text) and text[after] in " \t":
        after += 1
    if text[before - 1 : before] != "\n" or text[after : after + 1] not in ("\r", "\n"):
        return (before if text[after : after + 1] in ("}", "]") else start), after
    before -= 2 if text[before - 2 : before] == "\r\n" else 1
    return before, after
