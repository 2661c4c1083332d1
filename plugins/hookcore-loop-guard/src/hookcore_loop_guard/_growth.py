"""Arguments that get longer from call to call."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from ._digests import Digests

__all__ = ["Growth"]

_LEAST: Final = 8
"""The characters that a text has at the least before it can be told to grow."""


class _Part(NamedTuple):
    """An argument: its kind, its length, its digest. Nothing of it is kept."""

    kind: str
    length: int
    digest: int


class _Last(NamedTuple):
    """A call, and how often in a row arguments had grown up to it."""

    tool: str
    parts: dict[str, _Part]
    times: int


class Growth:
    """Counts how often in a row a call is the one before with one text or list longer at its end.

    Args:
        digests: makes digests of values.
    """

    def __init__(self, digests: Digests) -> None:
        self._digests = digests
        self._last = self._before = _Last("", {}, 0)

    def times(self, tool: str, arguments: Mapping[str, Any]) -> int:
        """Return how often in a row arguments have grown up to a call, which is remembered.

        Args:
            tool: the tool that is called.
            arguments: its arguments.
        """
        ignored, last = self._digests.is_ignored, self._last
        parts = {name: self._part(each) for name, each in arguments.items() if not ignored(name)}
        grew = tool == last.tool and parts.keys() == last.parts.keys()
        if grew:
            changed = [name for name in parts if parts[name] != last.parts[name]]
            grew = len(changed) == 1 and self._grew(last.parts[changed[0]], arguments[changed[0]])
        self._before = last
        self._last = _Last(tool, parts, last.times + 1 if grew else 0)
        return self._last.times

    def take_back(self) -> None:
        """Forget the last call."""
        self._last = self._before

    def _part(self, value: Any) -> _Part:
        if isinstance(value, str):
            return _Part("text", len(value), hash(value))
        length = len(value) if isinstance(value, list) else 0
        return _Part(type(value).__name__, length, self._digests.of(value))

    def _grew(self, before: _Part, value: Any) -> bool:
        length = before.length
        if isinstance(value, str):
            is_longer = before.kind == "text" and _LEAST <= length < len(value)
            return is_longer and hash(value[:length]) == before.digest
        if not isinstance(value, list) or before.kind != type(value).__name__:
            return False
        return 0 < length < len(value) and self._digests.of(value[:length]) == before.digest
