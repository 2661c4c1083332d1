"""The end of a value in a text that nothing else can be told of."""

from __future__ import annotations

import re
from typing import Final

__all__ = ["end_of_value"]

_QUOTE: Final = re.compile(r"(?<!\\)(\\*)([\"'`])")
_QUOTE_OR_BRACKET: Final = re.compile(r"(?<!\\)(\\*)([\"'`])|[\[\]{}()]")
_LISTED: Final = re.compile(r"(?:-[ \t]+[^\r\n]*\s*)+")
_BLOCK: Final = re.compile(r"[|>][+-]?\d?[ \t]*\r?\n(?:[ \t]+[^\n]*\n?)*")
_WORD: Final = re.compile(
    r"(?:(?:bearer|basic|token|digest|negotiate|apikey)[ \t]+)?[^\s&;]+", re.IGNORECASE
)
_LINE: Final = re.compile(r"[^\r\n]*")
_WHOLE_LINES: Final = re.compile(r"authorization|cookie", re.IGNORECASE)


def end_of_value(text: str, named: re.Match[str]) -> int:
    """Return where the value ends that follows a name; rather too far on than too early.

    Args:
        text: the text.
        named: the match of the name and what parts it from the value.
    """
    at = named.end()
    if named["tag"]:
        end = text.find("<", at)
        return len(text) if end < 0 else end
    quote = _QUOTE.match(text, at)
    if quote is not None:
        return _end_of_quoted(text, quote)
    if text[at : at + 1] in ("[", "{", "("):
        return _end_of_bracketed(text, at)
    around = text[named.start() - 1] if named.start() else ""
    if around in ("'", '"', "`") and not named["quote"]:
        end = text.find(around, at)
        return len(text) if end < 0 else end
    return _end_of_bare(text, named)


def _end_of_bare(text: str, named: re.Match[str]) -> int:
    at = named.end()
    if named["sign"] == ":" and _WHOLE_LINES.search(named["name"]):
        patterns: tuple[re.Pattern[str], ...] = (_LINE,)
    else:
        patterns = (_LISTED, _BLOCK, _WORD)
    found = next((match for each in patterns if (match := each.match(text, at))), None)
    return at if found is None else at + len(found[0].rstrip())


def _end_of_quoted(text: str, opening: re.Match[str]) -> int:
    for quote in _QUOTE.finditer(text, opening.end()):
        if _closes(opening, quote):
            return quote.end()
    return len(text)


def _end_of_bracketed(text: str, at: int) -> int:
    depth, opening = 0, None
    for found in _QUOTE_OR_BRACKET.finditer(text, at):
        if found[2]:
            if opening is None:
                opening = found
            elif _closes(opening, found):
                opening = None
        elif opening is None:
            depth += 1 if found[0] in "[{(" else -1
            if depth == 0:
                return found.end()
    return len(text)


def _closes(opening: re.Match[str], quote: re.Match[str]) -> bool:
    """Tell whether a quote ends what an other began, in JSON within JSON's texts as well.

    There, each level doubles the backslashes: what is escaped inside has more of them.
    """
    depth = len(opening[1])
    return opening[2] == quote[2] and len(quote[1]) % (2 * depth + 2) == depth
