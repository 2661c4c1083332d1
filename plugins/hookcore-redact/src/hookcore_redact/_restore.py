"""Turning placeholders in tool inputs back into the values that they stand for."""

from __future__ import annotations

from ._json import as_text_in_json, escaped_at, is_json
from ._regex import Expression
from ._text import from_utf8, to_utf8
from ._vault import Vault

__all__ = ["Restorer"]


class Restorer:
    """Replaces the placeholders of this run; one that nobody gave out stays as it is.

    Args:
        placeholders: matches placeholders.
        vault: knows which values the run's placeholders stand for.
        kinds: the kinds that are turned back.
    """

    __slots__ = ("_kinds", "_placeholders", "_vault")

    def __init__(self, placeholders: Expression, vault: Vault, kinds: frozenset[str]) -> None:
        self._placeholders = placeholders
        self._vault = vault
        self._kinds = kinds

    def text(self, text: str, name: str | None = None) -> str:
        """Return a string with the values in the places of their placeholders."""
        del name
        if "[" not in text:
            return text
        data = to_utf8(text)
        in_json = is_json(text)
        pieces, at = [], 0
        for match in self._placeholders.all(data):
            start, end = match.span()
            known = self._vault.value(data[start:end].decode())
            if known is not None and known[0] in self._kinds:
                value = known[1]
                if in_json:
                    value = as_text_in_json(value, escaped_at(data, start))
                pieces += [data[at:start], to_utf8(value)]
                at = end
        return from_utf8(b"".join([*pieces, data[at:]])) if pieces else text

    def data(self, data: bytes) -> bytes:
        """Return bytes as they are: what a tool takes as bytes was no message."""
        return data

    def number(self, number: int, name: str | None) -> int:
        """Return a number as it is."""
        del name
        return number
