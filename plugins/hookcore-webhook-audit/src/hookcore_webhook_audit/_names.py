"""Which names tell that their value is a credential."""

from __future__ import annotations

import re
import unicodedata
from enum import Enum
from functools import lru_cache
from typing import Final

__all__ = ["Told", "told_by"]

_SECRETS: Final = frozenset((
    "apikey", "authorization", "bearer", "cookie", "cred", "credential", "cvc", "cvv",
    "jwt", "otp", "passcode", "passphrase", "passwd", "password", "pin", "pwd", "secret",
    "totp", "whsec",
))  # fmt: skip
_COUNTABLE: Final = frozenset(("auth", "oauth", "pass", "token"))
"""Words that also stand in the names of counts and switches, such as ``max_tokens``."""
_MEASURES: Final = frozenset((
    "age", "changed", "count", "days", "expired", "expires", "failed", "found", "hours", "index",
    "length", "limit", "max", "min", "minutes", "seconds", "size", "total", "ttl", "used",
))  # fmt: skip
"""Words that make of a credential something that is counted, where they end its name."""
_KEYS: Final = frozenset((
    "access", "account", "admin", "api", "app", "auth", "client", "decryption", "deploy",
    "encrypt", "encryption", "gpg", "hmac", "license", "master", "pgp", "private", "rsa",
    "secret", "service", "session", "shared", "sign", "signing", "ssh", "subscription",
    "webhook",
))  # fmt: skip
"""What makes of a key, which may well be a column's, one that opens something."""
_INSIDE: Final = re.compile(
    r"passw|passphrase|secret|credential|authorization|cookie"
    r"|(?:access|api|auth|encryption|master|private|signing)key"
)
"""Telling enough to be seen in a name that does not part its words."""
_ESCAPED: Final = re.compile(r"\\u([0-9a-fA-F]{4})")
_BOUNDARY: Final = re.compile(
    r"\\.|[^A-Za-z]+|(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", re.DOTALL
)
_SHORT: Final = 64
_REMEMBERED: Final = 1024
"""How many short names are remembered: they come from a model."""


class Told(Enum):
    """What a name tells of its value."""

    NOTHING = "nothing"
    TEXT = "a text is a credential, a number is a count"
    ALL = "a credential"


def told_by(name: str) -> Told:
    """Tell what a name says of its value.

    It is taken apart where its case changes and at everything that is no letter.

    Args:
        name: a key, a header's, option's or variable's name; also with JSON's escapes in it.
    """
    return _remembered(name) if len(name) <= _SHORT else _told_by(name)


def _told_by(name: str) -> Told:
    text = _ESCAPED.sub(lambda found: chr(int(found[1], 16)), name) if "\\u" in name else name
    if not text.isascii():
        # Letters that only look different: full-width ones, those with marks.
        text = "".join(c for c in unicodedata.normalize("NFKD", text) if not _is_mark(c))
    parts = [word.lower() for word in _BOUNDARY.split(text) if word]
    words = {_singular(word) for word in parts}
    joined = re.sub(r"[^a-z]", "", text.lower())
    if words & _SECRETS or _INSIDE.search(joined) or ("key" in words and words & _KEYS):
        return Told.TEXT if len(parts) > 1 and parts[-1] in _MEASURES else Told.ALL
    if words & _COUNTABLE or joined.endswith(("token", "tokens")):
        return Told.TEXT
    return Told.NOTHING


_remembered = lru_cache(_REMEMBERED)(_told_by)


def _is_mark(char: str) -> bool:
    return unicodedata.combining(char) != 0 or unicodedata.category(char) == "Cf"


def _singular(word: str) -> str:
    return word if word == "pass" else word.removesuffix("s")
