"""Values that are never redacted."""

from __future__ import annotations

import re
from collections.abc import Iterable

from hookcore import Regex

__all__ = ["AllowList"]


class AllowList:
    """Globs of values that are left as they are; upper and lower case are the same.

    Args:
        globs: ``*`` is any run of characters, ``?`` any one; all else stands for itself.
    """

    def __init__(self, globs: Iterable[str]) -> None:
        shapes = [_expression(glob) for glob in globs]
        self._regex = Regex(f"(?is)(?:{'|'.join(shapes)})") if shapes else None

    def __bool__(self) -> bool:
        return self._regex is not None

    def has(self, value: bytes) -> bool:
        """Tell whether a value is to be left as it is."""
        return self._regex is not None and self._regex.is_whole(value)


def _expression(glob: str) -> str:
    pieces = re.split(r"([*?])", glob)
    return "".join({"*": ".*", "?": "."}.get(piece, re.escape(piece)) for piece in pieces)
