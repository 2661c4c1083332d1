"""The plain paths that a text may stand for: tools differ in what they decode and expand."""

from __future__ import annotations

import os
import re
from typing import Final
from urllib.parse import unquote_to_bytes

from ._refusals import Refusal

__all__ = ["MAX_BYTES", "MAX_NAME", "plain_text", "readings"]

MAX_BYTES: Final = 4000
"""The longest path that is judged, in bytes."""

MAX_NAME: Final = 255
"""The longest component of a path, in bytes, as file systems have it."""

_SIMPLE: Final = re.compile(r"[A-Za-z0-9_./-]{1,255}")
_CONTROL: Final = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")
_SCHEME: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://")
_FILE_URL: Final = re.compile(r"file:(?://(?:localhost)?)?(/(?!/).*)", re.IGNORECASE | re.DOTALL)
_DRIVE: Final = re.compile(r"[A-Za-z]:")
_UP_BACKSLASH: Final = re.compile(r"(?:^|[\\/])\.\.\\|\\\.\.(?:$|[\\/])")
_VARIABLE: Final = re.compile(r"\$\{|\$[A-Za-z_]|%[A-Za-z_][A-Za-z0-9_()]*%")


def readings(text: object) -> tuple[str, ...]:
    """Return every plain path that a tool may take this text for.

    A text has more than one reading where some tools trim it or take a backslash for a separator,
    and others do not. All of them are to be judged.

    Args:
        text: the value of a path argument.

    Returns:
        One path or more, none of them empty.

    Raises:
        Refusal: the text is no path that can be judged.
    """
    # Components of this alphabet, within this length, mean the same to everybody.
    if isinstance(text, str) and _SIMPLE.fullmatch(text):
        return (text,)
    written = plain_text(text)
    plain = _from_url(written)
    forms = dict.fromkeys((plain, plain.strip()))
    return tuple(dict.fromkeys(path for form in forms for path in _expanded(form, written)))


def plain_text(text: object) -> str:
    """Return a value that is text of a kind and length that file systems take.

    Raises:
        Refusal: it is something else.
    """
    if not isinstance(text, str):
        raise Refusal("text")
    if not text:
        raise Refusal("empty")
    # Before anything looks at each character.
    if len(text) > MAX_BYTES:
        raise Refusal("long", text)
    if _CONTROL.search(text):
        raise Refusal("control")
    try:
        raw = text.encode()
    except UnicodeEncodeError as error:
        raise Refusal("text") from error
    if len(raw) > MAX_BYTES or any(len(name) > MAX_NAME for name in raw.split(b"/")):
        raise Refusal("long", text)
    return text


def _from_url(text: str) -> str:
    """Return the path in a file URL, decoded once, and any other text as it is."""
    stripped = text.strip()
    if stripped[:5].lower() != "file:":
        if _SCHEME.match(stripped):
            raise Refusal("scheme", text)
        return text
    found = _FILE_URL.fullmatch(stripped)
    path = found[1] if found else ""
    # A query and a fragment are cut off by some tools and kept by others.
    if not path or "?" in path or "#" in path:
        raise Refusal("scheme", text)
    try:
        decoded = unquote_to_bytes(path).decode()
    except UnicodeDecodeError as error:
        raise Refusal("scheme", text) from error
    return plain_text(decoded)


def _expanded(path: str, text: str) -> tuple[str, ...]:
    """Return the readings of a path that is no URL."""
    if not path:
        raise Refusal("empty")
    if _DRIVE.match(path) or path[0] == "\\" or _UP_BACKSLASH.search(path):
        raise Refusal("windows", text)
    if _VARIABLE.match(path):
        raise Refusal("variable", text)
    forms = [path]
    if path[0] == "~":
        home = os.path.expanduser("~")  # noqa: PTH111 - a string, as every path here
        if path[1:2] not in ("", "/") or home[0] != "/":
            raise Refusal("user", text)
        forms = [home + path[1:]]
    if "\\" in path:
        forms += [form.replace("\\", "/") for form in forms]
    return tuple(forms)
