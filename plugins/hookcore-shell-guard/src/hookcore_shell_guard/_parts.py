"""The parts of a word, and the texts that they make together."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import product
from typing import Final

from ._ansi import unescape
from ._state import MAX_VALUES

MAX_TEXT: Final = 4_096
_ESCAPED_IN_DOUBLE: Final = re.compile(r'\\([$`"\\\n])')

Part = str | tuple[str, ...] | None
"""A text, the texts that a known variable can have, or None for what only the shell will know."""


class Flags:
    __slots__ = ("glob", "home")

    def __init__(self) -> None:
        self.glob = False
        self.home = False


def values_of(parts: list[str | tuple[str, ...]]) -> tuple[str, ...] | None:
    """Return all texts that the parts can make, or None when they are too many or too long."""
    count = 1
    options = [(part,) if isinstance(part, str) else part for part in parts]
    for option in options:
        count *= len(option)
        if count > MAX_VALUES:
            return None
    texts = tuple(dict.fromkeys("".join(choice) for choice in product(*options)))
    return texts if all(len(text) <= MAX_TEXT for text in texts) else None


def known_part(parts: list[Part], *, backwards: bool = False) -> str:
    """Return the text of the leading parts that have one."""
    texts: list[str] = []
    for part in parts:
        if not isinstance(part, str):
            break
        texts.append(part)
    return "".join(reversed(texts) if backwards else texts)


TEXTS: Final[dict[str, Callable[[str], str]]] = {
    "string_content": lambda raw: _ESCAPED_IN_DOUBLE.sub(r"\1", raw) if "\\" in raw else raw,
    "raw_string": lambda raw: raw[1:-1],
    "ansi_c_string": lambda raw: unescape(raw[2:-1]),
    "$": lambda raw: raw,
}
"""The kinds of parts whose text needs nothing but itself."""
