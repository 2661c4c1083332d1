"""Credentials and images in a text that is no JSON, or too broken or too long to be read as such.

All takes time that is linear in the text: an expression can begin at one place only in a run of
the same characters, and repeats nothing that it could take in two ways.
"""

from __future__ import annotations

import re
from typing import Final

from hookcore import Told, told_by

from ._values import end_of_value

__all__ = ["HIDDEN", "without_secrets"]

HIDDEN: Final = "[REDACTED]"

_B64: Final = r"(?:[A-Za-z0-9+/=_%-]|\\/)"
_GAP: Final = r"(?:\s|\\[nrt])"
_DATA_URL: Final = re.compile(
    rf"(data:[^,\s]{{0,200}};[ \t]*base64[ \t]*,)({_GAP}*{_B64}+(?:{_GAP}+{_B64}{{40,}}|"
    rf"(?:[ \t\r]|\\[rt])*(?:\n|\\n){_GAP}*{_B64}+(?=[ \t\r]*(?:[\n\\\"'`()<>\[\]{{}}]|\Z)))*)",
    re.IGNORECASE,
)
_USER_INFO: Final = re.compile(r"(:(?:\\?/){2})[^\s/?#\"<>]+@")
_BEARER: Final = re.compile(
    rf"(bearer(?:{_GAP}|%20|\+)+\\*[\"']?)[\w.~+/=%-]+", re.IGNORECASE | re.ASCII
)
_NAME: Final = r"[\w.\\-]"
_NAMED: Final = re.compile(
    rf"(?<!{_NAME})(?:"
    rf"(?P<name>{_NAME}+)(?P<quote>[\"'`]?)\]?\s*(?P<sign>=>|:=|==?|:){_GAP}*"
    rf"|(?P<first>{_NAME}+)[\"']\s*,\s*(?=\\*[\"'])"
    r"|(?P<option>-[\w.-]+)[ \t]+(?=[^\s-])"
    rf"|(?<=[<:])(?P<tag>{_NAME}+)(?:\s[^<>]{{0,200}})?>)"
)
_PAIR: Final = re.compile(
    r"(?<![^\W_])(?:name|key|header)\\*[\"']?\s*[:=]\s*\\*[\"']?([\w.-]{1,256})", re.IGNORECASE
)
_LOGIN: Final = re.compile(
    r"(?<!\S)((?:-u|--user|--proxy-user)(?:[ \t]+|=)[\"']?[^\s:\"']+:)(?!\d+(?!\S))[^\s\"']+"
)
_ADJECTIVE: Final = re.compile(r"([A-Za-z]+)[ \t]\Z")
_LONGEST_NAME: Final = 256
_QUOTE: Final = re.compile(r"\\*[\"'`]")
_COUNT: Final = re.compile(r"[-+]?[\d.,_]+[\])},]*", re.ASCII)
_NO_TEXT: Final = frozenset(("", "true", "false", "null", "none"))


def without_secrets(text: str) -> str:
    """Return a text without the values of telling names, bearer tokens, user names and images.

    Args:
        text: any text.
    """
    if "base64" in text.lower():
        text = _DATA_URL.sub(lambda found: f"{found[1]}[{len(found[2])} CHARACTERS]", text)
    text = _without_named(text)
    text = _BEARER.sub(rf"\1{HIDDEN}", text)
    text = _LOGIN.sub(rf"\1{HIDDEN}", text)
    return _USER_INFO.sub(rf"\1{HIDDEN}@", text)


def _without_named(text: str) -> str:
    # Which value belongs to which name is for a parser to tell: one that tells is enough.
    pairs = (told_by(found[1]) for found in _PAIR.finditer(text))
    told_of_values = max(pairs, key=list(Told).index, default=Told.NOTHING)
    pieces: list[str] = []
    done = at = 0
    while (found := _NAMED.search(text, at)) is not None:
        at = found.end()
        told = _told(text, found, told_of_values)
        if told is Told.NOTHING:
            # What stands in a tag, behind its name, is read by itself.
            at = found.end("tag") if found["tag"] else at
            continue
        end = end_of_value(text, found)
        value = text[at:end].strip("\"'` \t,;")
        if value.lower() not in _NO_TEXT and not (told is Told.TEXT and _COUNT.fullmatch(value)):
            quote = _QUOTE.match(text, at)
            around = quote[0] if quote is not None else ""
            pieces += [text[done:at], around, HIDDEN, around]
            done = end
        at = end
    return "".join([*pieces, text[done:]]) if pieces else text


def _told(text: str, found: re.Match[str], told_of_values: Told) -> Told:
    """Return what is told of the value that follows a name."""
    name = (found["name"] or found["first"] or found["option"] or found["tag"])[-_LONGEST_NAME:]
    short = name.strip("\\").lower()
    if found["first"] and not _is_first(text, found.start()):
        return Told.NOTHING
    if short in ("value", "values"):
        return told_of_values
    if short in ("key", "keys"):
        adjective = _ADJECTIVE.search(text, max(0, found.start() - 20), found.start())
        name = f"{adjective[1]} {name}" if adjective is not None else name
    return told_by(name)


def _is_first(text: str, start: int) -> bool:
    """Tell whether a quoted name begins a list: then what follows may be its value."""
    return text[max(0, start - 12) : start].rstrip("\"'\\").endswith(("[", "("))
