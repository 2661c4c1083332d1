"""Which names tell that their value is a secret: one list for all that hide such values."""

from __future__ import annotations

import re
import unicodedata
from enum import Enum
from functools import lru_cache
from typing import Final

__all__ = ["Told", "is_telling_name", "told_by"]

_SECRETS: Final = frozenset((
    "apikey", "authorization", "bearer", "contrasena", "cookie", "cred", "credential", "cvc",
    "cvv", "hotp", "jwt", "kennwort", "mfa", "mnemonic", "otp", "passcode", "passkey",
    "passphrase", "passwd", "password", "pat", "pin", "pwd", "secret", "senha", "totp", "whsec",
))  # fmt: skip
_COUNTABLE: Final = frozenset(("auth", "oauth", "pass", "token"))
"""Words that also stand in the names of counts and switches, such as ``max_tokens``."""
_MEASURES: Final = frozenset((
    "age", "changed", "count", "days", "expired", "expires", "failed", "found", "hours", "index",
    "length", "limit", "max", "min", "minutes", "seconds", "size", "total", "ttl", "used",
))  # fmt: skip
"""Words that make of a secret something that is counted, where they end its name."""
_OPENING: Final = frozenset((
    "access", "account", "admin", "api", "app", "auth", "client", "decryption", "deploy",
    "encrypt", "encryption", "gpg", "hash", "hmac", "license", "master", "pgp", "private", "rsa",
    "secret", "service", "session", "shared", "sign", "signing", "ssh", "storage", "subscription",
    "webhook",
))  # fmt: skip
"""What makes of a key, which may well be a column's, one that opens something."""
_PROVING: Final = frozenset(("backup", "login", "recovery", "security", "seed", "verification"))
"""What makes of a code or phrase one that lets somebody in."""
_INSIDE: Final = re.compile(
    r"passw|passphrase|passcode|secret|credential|authorization|cookie|connectionstring"
    r"|motdepasse|pwd$"
    r"|(?:admin|db|ftp|ldap|mail|redis|root|smtp|sql|sudo|user)pass$"
    r"|(?:access|account|api|auth|encryption|hmac|license|master|private|service|session|shared"
    r"|signing|ssh|storage)key"
)
"""Telling enough to be seen in a name that does not part its words."""
_ESCAPED: Final = re.compile(r"\\u([0-9a-fA-F]{4})")
_BOUNDARY: Final = re.compile(
    r"\\.|[^A-Za-z]+|(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", re.DOTALL
)
_SHORT: Final = 64
_REMEMBERED: Final = 1024
"""How many short names are remembered: they may come from a model."""


class Told(Enum):
    """What a name tells of its value."""

    NOTHING = "nothing"
    TEXT = "a text is a secret, a number is a count"
    ALL = "a secret"


def is_telling_name(name: str) -> bool:
    """Tell whether a name says that a text under it is a secret, such as ``dbPassword``.

    Args:
        name: a key, a header's, option's or variable's name.
    """
    return told_by(name) is not Told.NOTHING


def told_by(name: str) -> Told:
    """Tell what a name says of its value: under ``max_tokens`` a text is a secret, and 512 is none.

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
    if words & _SECRETS or _opens(words) or _INSIDE.search(joined):
        return Told.TEXT if len(parts) > 1 and parts[-1] in _MEASURES else Told.ALL
    if words & _COUNTABLE or joined.endswith(("token", "tokens")):
        return Told.TEXT
    return Told.NOTHING


_remembered = lru_cache(_REMEMBERED)(_told_by)


def _opens(words: set[str]) -> bool:
    if "key" in words and words & _OPENING:
        return True
    return bool(words & {"code", "phrase"} and words & _PROVING)


def _is_mark(char: str) -> bool:
    return unicodedata.combining(char) != 0 or unicodedata.category(char) == "Cf"


def _singular(word: str) -> str:
    return word if word == "pass" else word.removesuffix("s")
