"""A tool's name and the forms that it is compared in."""

from __future__ import annotations

from typing import Final

from hookcore import sanitize_tool_name

from ._regex import to_utf8

MAX_NAME: Final = 256
"""The longest tool name that is judged, in characters; a longer one is denied."""


class ToolName:
    """A tool's name as the model wrote it, with what it is compared as.

    Args:
        text: the name, of at most :data:`MAX_NAME` characters.
    """

    __slots__ = ("plain", "plain_forms", "text", "utf8")

    def __init__(self, text: str) -> None:
        self.text = text
        self.utf8 = to_utf8(text)
        self.plain = sanitize_tool_name(text)
        self.plain_forms = tuple(form.encode("utf-8") for form in _plain_forms(text, self.plain))


def _plain_forms(text: str, plain: str) -> tuple[str, ...]:
    """Return the sanitised form and, when that was cut, all of it: a glob may match its end."""
    return tuple(dict.fromkeys((plain, sanitize_tool_name(text, None)))) if plain else ()
