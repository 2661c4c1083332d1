"""Passwords in sentences that speak of them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from ._regex import compile_bytes
from ._spans import Span
from ._values import changes_case, looks_like_password

__all__ = ["LoginDetector", "ProseDetector"]

_PROSE_LABEL: Final = (
    rb"(?i:password|passwort|kennwort|passphrase|passcode|contrase(?:\xc3\xb1|n)a|senha"
    rb"|mot de passe"
    rb"|wachtwoord|l(?:\xc3\xb6|o)senord|has(?:\xc5\x82|l)o|heslo|parola|salasana|adgangskode"
    rb"|\xd0\xbf\xd0\xb0\xd1\x80\xd0\xbe\xd0\xbb\xd1\x8c)"
    rb"|\xe3\x83\x91\xe3\x82\xb9\xe3\x83\xaf\xe3\x83\xbc\xe3\x83\x89|\xe5\xaf\x86\xe7\xa0\x81"
    rb"|\xe5\xaf\x86\xe7\xa2\xbc"
    rb"|\xeb\xb9\x84\xeb\xb0\x80\xeb\xb2\x88\xed\x98\xb8"
)
_CANDIDATE: Final = re.compile(
    rb"(?:[ (:]|(?<=[\x80-\xff]))(?=[!-~]{0,63}[0-9])(?=[!-~]{0,63}[A-Z!@#$%^&*?+=~])("
    rb"[!#-&*-;=?-_a-~]{8,64})"
)
_SENTENCE_END: Final = re.compile(rb"[.?!][\s\"')]|\n|\xe3\x80\x82")
_IS: Final = re.compile(
    rb"(?:^|[ ])(?i:is|was|ist|lautet|est|es|\xc3\xa8|\xc3\xa9|to|auf|heisst)$|[:=]$"
)
_MOST_WORDS: Final = 7
_FAR: Final = 96


class ProseDetector:
    """Finds a password in the sentence that speaks of one: ``the password is Xy7!abcd``."""

    crowd = "plain"
    hints: tuple[bytes, ...] = (b"(?:" + _PROSE_LABEL + b")[^0-9\n]*[0-9]",)

    def __init__(self) -> None:
        self._label = compile_bytes(_PROSE_LABEL)

    def find(self, data: bytes) -> Iterator[Span]:
        """Yield what is found."""
        for match in self._label.all(data):
            start, at = match.span()
            if data[at : at + 1] != b"_" and data[start - 1 : start] != b"_":
                place = _password_after(data, at)
                if place is not None:
                    yield Span(*place, "password")


def _password_after(data: bytes, at: int) -> tuple[int, int] | None:
    """Return where a sentence names the password of which it speaks."""
    for match in _CANDIDATE.finditer(data, at, min(len(data), at + _FAR)):
        start, _end = match.span(1)
        between = data[at:start]
        if between.count(b" ") > _MOST_WORDS or _SENTENCE_END.search(between):
            break
        text = match[1].rstrip(b".,;:)")
        word = text.decode("utf-8", "replace")
        if looks_like_password(word) or (_IS.search(between.rstrip()) and changes_case(word)):
            return start, start + len(text)
    return None


_LOGIN: Final = (
    rb"(?i:\b(?:use|login|log in|sign in|credentials?|creds|zugang|anmelden|user|account|as"
    rb"|with|mit))"
    rb":?[ ]+[\w.@-]{2,40}[ ]?/[ ]?([^\s/\"'<>]{8,64})"
)


class LoginDetector:
    """Finds the password in a pair of user and password: ``use root / Xy7!abcd``."""

    crowd = "plain"
    hints: tuple[bytes, ...] = (rb"[\w.@-][ ]?/[ ]?[^\s/\"'<>]*[!@#$%^&*?+=~]",)

    def __init__(self) -> None:
        self._login = compile_bytes(_LOGIN)

    def find(self, data: bytes) -> Iterator[Span]:
        """Yield what is found."""
        for match in self._login.all(data):
            start, end = match.span(1)
            value = data[start:end].rstrip(b".,;:)")
            text = value.decode("utf-8", "replace")
            if looks_like_password(text) and not text.isalnum():
                yield Span(start, start + len(value), "password")
