"""Dotted paths into a call's arguments: ``items.0.price``, ``items.*.price``, ``headers."a.b"``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Final

_MAX_INDEX_DIGITS: Final = 9
_SCALARS: Final = (str, int, float, type(None))


class _Missing:
    """Stands where a path ended before it reached a value."""


class _Opaque:
    """Stands where a path met something that is no JSON value, so that nothing can be said."""


MISSING: Final = _Missing()
OPAQUE: Final = _Opaque()


@dataclass(frozen=True, slots=True)
class _Step:
    """One piece of a path: a key, which may also be an index; or, with neither, all children."""

    key: str | None
    index: int | None = None

    def into(self, node: object) -> Iterable[object]:
        """Return the children of ``node`` that this step leads to, or one placeholder."""
        # A subclass may say what it likes of itself: what dict and list say is what is there.
        if isinstance(node, dict):
            return self._into_table(node)
        if isinstance(node, list):
            return self._into_list(tuple(list.__iter__(node)))
        if isinstance(node, tuple):
            return self._into_list(tuple(tuple.__iter__(node)))
        if node is MISSING or node is OPAQUE:
            return (node,)
        return (MISSING,) if isinstance(node, _SCALARS) else (OPAQUE,)

    def _into_table(self, node: dict[Any, object]) -> Iterable[object]:
        if self.key is None:
            return tuple(dict.values(node)) or (MISSING,)
        return (dict.get(node, self.key, MISSING),)

    def _into_list(self, node: tuple[object, ...]) -> Iterable[object]:
        if self.key is None:
            return node or (MISSING,)
        if self.index is None or self.index >= len(node):
            return (MISSING,)
        return (node[self.index],)


class ArgumentPath:
    """A parsed path.

    Pieces are separated by dots. ``*`` means every element of a list and every value of a table;
    a whole number is a list index or, in a table, a key. A piece in double or single quotes is a
    key as it stands, so a key may hold dots; inside double quotes a backslash escapes the next
    character.

    Args:
        text: the path as it was written.

    Raises:
        ValueError: the path is malformed; the text says why.
    """

    __slots__ = ("steps", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self.steps = tuple(_steps(text))

    def values_in(self, arguments: object) -> Iterable[object]:
        """Return every value that the path leads to, at least one.

        Args:
            arguments: the call's arguments.

        Returns:
            The values; :data:`MISSING` for each branch that ended early, :data:`OPAQUE` for each
            that met something that is no JSON value.
        """
        if not isinstance(arguments, dict):
            return (OPAQUE,)
        level: Iterable[object] = (arguments,)
        for step in self.steps:
            level = [child for node in level for child in step.into(node)]
        return level


def _steps(text: str) -> Iterator[_Step]:
    position = 0
    while True:
        step, position = _step(text, position)
        yield step
        if position == len(text):
            return
        if text[position] != ".":
            raise ValueError(f"after the closing quote a dot must follow, not {text[position]!r}")
        position += 1


def _step(text: str, position: int) -> tuple[_Step, int]:
    """Return the piece that begins at ``position``, and the place after it."""
    if text[position : position + 1] in ('"', "'"):
        key, after = _quoted(text, position)
        return _Step(key), after
    end = text.find(".", position)
    end = len(text) if end < 0 else end
    piece = text[position:end]
    if not piece:
        raise ValueError('it has an empty piece; write "" in quotes for an empty key')
    if piece != piece.strip():
        raise ValueError(f"the piece {piece!r} has spaces around it; quote a key that has them")
    if "*" in piece and piece != "*":
        raise ValueError(f"the piece {piece!r} mixes * with text; quote a key that holds a *")
    return (_Step(None) if piece == "*" else _Step(piece, _index(piece))), end


def _index(piece: str) -> int | None:
    is_plain = piece.isascii() and piece.isdigit() and (piece == "0" or piece[0] != "0")
    return int(piece) if is_plain and len(piece) <= _MAX_INDEX_DIGITS else None


def _quoted(text: str, position: int) -> tuple[str, int]:
    quote = text[position]
    key: list[str] = []
    position += 1
    while position < len(text):
        char = text[position]
        position += 1
        if char == quote:
            return "".join(key), position
        if char == "\\" and quote == '"' and position < len(text):
            char = text[position]
            position += 1
        key.append(char)
    raise ValueError(f"the quote {quote} is not closed")
