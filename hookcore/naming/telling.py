"""Names that tell that their value is a secret: one list for all that hide such values."""

from __future__ import annotations

import re
from enum import Enum
from functools import lru_cache
from typing import Final, Literal

from .secretwords import (
    CERTAIN,
    CODES,
    COUNTABLE,
    GLUED,
    KEYS,
    MEASURES,
    NO_KEYS,
    NO_PASS,
    NO_TOKENS,
    OPENING,
    OPENING_APART,
    PASSWORDS,
    PROVING,
    SCRIPTS,
    SCRIPTS_OF_KEYS,
    TOKENS,
    TRAILING,
    words_of,
)

__all__ = ["SecretMeaning", "Told", "is_telling_name", "secret_meaning", "told_by"]

SecretMeaning = Literal["password", "key", "code"]
"""``password``: any value is a secret. ``key``: a value that looks made by chance is one.
``code``: a few digits are."""

_SHORT: Final = 64
_REMEMBERED: Final = 4096
"""The most short names that are remembered: they may come from a model."""
_INSIDE: Final = re.compile(
    r"passw|passphrase|passcode|secret|credential|authorization|cookie|connectionstring"
    r"|motdepasse|pwd$"
    r"|(?:admin|db|ftp|ldap|mail|redis|root|smtp|sql|sudo|user)pass$"
    rf"|(?:{'|'.join(sorted(OPENING))})key"
)
"""Telling enough to be seen in a name that does not part its words."""
_GLUED_KEYS: Final = ("token", "schlussel", *sorted(f"{word}key" for word in OPENING - NO_KEYS))
_ADJECTIVES: Final = frozenset(
    ("api", "acceso", "acesso", "acces", "accesso", "secreta", "secrete", "segreta")
)
"""Words behind a key that make it one that opens something, as in ``clave secreta``."""
_BEFORE_ADJECTIVES: Final = frozenset(("clave", "chave", "chiave", "cle", "token", "jeton", "mot"))


class Told(Enum):
    """The meaning of a name for its value."""

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

    This is for who hides too much rather than too little. Who knows the value as well asks for its
    :func:`secret_meaning`.

    Args:
        name: a key, a header's, option's or variable's name; also with JSON's escapes in it.
    """
    return _remembered(name) if len(name) <= _SHORT else _told_by(name)


@lru_cache(maxsize=_REMEMBERED)
def secret_meaning(name: str) -> SecretMeaning | None:
    """Return how far a name says that its value is a secret, None when it does not.

    This is for who looks at the value next: under ``user_key`` only what looks made by chance is a
    secret, and ``password_policy`` is the name of none.

    Args:
        name: a key, a variable, a header, a column, in any spelling and many languages; what is
            longer than 64 characters says nothing.
    """
    if not name or len(name) > _SHORT:
        return None
    if not name.isascii():
        folded = name.casefold()
        if any(word in folded for word in SCRIPTS):
            return "password"
        if any(word in folded for word in SCRIPTS_OF_KEYS):
            return "key"
    return _meaning(words_of(name))


def _told_by(name: str) -> Told:
    words = words_of(name)
    letters = [word for word in words if not word.isdigit()]
    singular = set(map(_singular, letters))
    joined = "".join(letters)
    if not singular.isdisjoint(_SECRETS) or _opens(singular) or _INSIDE.search(joined):
        return Told.TEXT if len(letters) > 1 and letters[-1] in MEASURES else Told.ALL
    countable = joined.endswith(("token", "tokens")) or not singular.isdisjoint(COUNTABLE)
    return Told.TEXT if countable or _is_foreign(name) or _is_password(words) else Told.NOTHING


_remembered = lru_cache(_REMEMBERED)(_told_by)


def _is_foreign(name: str) -> bool:
    return not name.isascii() and any(word in name.casefold() for word in SCRIPTS + SCRIPTS_OF_KEYS)


def _is_password(words: list[str]) -> bool:
    return _meaning(words) in ("password", "code")


def _opens(words: set[str]) -> bool:
    if not words.isdisjoint(KEYS) and not words.isdisjoint(OPENING_APART):
        return True
    return bool(words & {"code", "phrase"} and words & PROVING)


def _singular(word: str) -> str:
    return word if word == "pass" else word.removesuffix("s")


_SECRETS: Final = {_singular(word) for word in PASSWORDS | CODES | CERTAIN} - COUNTABLE


def _meaning(words: list[str]) -> SecretMeaning | None:
    while len(words) > 1 and (words[-1] in TRAILING or words[-1].isdigit()):
        del words[-1]
    if not words:
        return None
    last = words[-1]
    before = words[-2] if len(words) > 1 else ""
    if last in CODES or (before == "pass" and last == "code"):
        return "code"
    if last in PASSWORDS or (before == "pass" and last in ("word", "phrase")):
        return "password"
    if last in KEYS or last in TOKENS:
        return _meaning_of_key(last, before)
    if last.endswith(GLUED) or (last.endswith("pass") and last not in NO_PASS):
        return "password"
    qualified = before in _BEFORE_ADJECTIVES and last in _ADJECTIVES
    return "key" if qualified or last.endswith(_GLUED_KEYS) else None


def _meaning_of_key(last: str, before: str) -> SecretMeaning | None:
    if last in ("key", "keys"):
        if before in ("", *NO_KEYS) or before.isdigit():
            return None
        return "password" if before == "secret" else "key"
    if last in ("token", "tokens"):
        plural = last == "tokens" and before not in ("access", "refresh", "auth", "api", "secret")
        return None if plural or before in NO_TOKENS else "key"
    if last in ("signature", "sig", "auth", "salt", "seed", "sas", "cle") and before in NO_KEYS:
        return None
    return "key"
