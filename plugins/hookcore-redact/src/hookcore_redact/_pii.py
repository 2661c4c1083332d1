"""Patterns of personal data, each with the check that a candidate has to pass.

A check gets the text and a candidate's place and returns the place of what is really meant, or
None. Patterns are RE2 expressions over bytes (Latin-1 mode).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Final, NamedTuple

from ._checks import iban_length, is_card, is_ip, mod97
from ._tokens import BEGINNING

__all__ = ["PERSONAL", "Check", "Personal", "Place"]

Place = tuple[int, int]
Check = Callable[[bytes, int, int], "Place | None"]

_WORD: Final = frozenset(b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")
_DIGITS: Final = frozenset(b"0123456789")
_ESCAPES: Final = frozenset(b"nrtbf")
_NEAR: Final = 24


def begins(data: bytes, start: int) -> bool:
    """Tell whether no word runs on into a candidate; a written-out escape is no word."""
    if start == 0 or data[start - 1] not in _WORD:
        return True
    before = data[max(0, start - 12) : start]
    return _SEPARATED.search(before) is not None


_SEPARATED: Final = re.compile(
    rb"(?:(?:^|[^\\])(?:\\\\)*\\(?:[nrtbf]|u[0-9A-Fa-f]{4}|x[0-9A-Fa-f]{2})"
    rb"|%[0-9A-Fa-f]{2}|\x1b\[[0-9;]*m)$"
)


def ends(data: bytes, end: int) -> bool:
    """Tell whether no word runs on after a candidate."""
    return end >= len(data) or data[end] not in _WORD


def number_alone(data: bytes, start: int, end: int) -> bool:
    """Tell whether a number is whole: no part of a word, of a fraction or of a longer number."""
    if not begins(data, start) or not ends(data, end):
        return False
    if (
        data[max(0, start - 2) : start][-1:] in (b".", b",")
        and data[start - 2 : start - 1].isdigit()
    ):
        return False
    after = data[end : end + 2]
    return not (after[:1] in (b".", b"-") and after[1:].isdigit())


def check_card(data: bytes, start: int, end: int) -> Place | None:
    """Accept a number with an issuer's prefix and a right check digit."""
    if start and data[start - 1 : start] == b"-" and data[start - 2 : start - 1].isalnum():
        return None
    for stop in _ends(data, start, end):
        digits = bytes(byte for byte in data[start:stop] if byte in _DIGITS).decode()
        if is_card(digits) and number_alone(data, start, stop):
            return start, stop
    return None


def _ends(data: bytes, start: int, end: int) -> Iterator[int]:
    """Yield where a number in groups may end: the last groups may be another number's."""
    yield end
    for at in range(end - 1, start, -1):
        if data[at] not in _DIGITS and data[at - 1] in _DIGITS:
            yield at


_IMAGE: Final = re.compile(
    rb"\.(?:png|jpe?g|gif|svg|webp|avif|css|js|mjs|json|woff2?|pdf|mp4)$", re.IGNORECASE
)
_LATIN: Final = re.compile(r"[^\W_][\w.%+'-]*$", re.ASCII)
_PASSWORD_BEFORE: Final = re.compile(rb"[A-Za-z]://[^\s/@]{0,64}:$")
_OTHER_SCRIPT: Final = 0x530  # what is beyond Latin, Greek and Cyrillic is rarely in an address


def check_email(data: bytes, start: int, end: int) -> Place | None:
    """Accept an address, and leave what merely stands before it."""
    at = data.index(b"@", start)
    start = _local_part(data, start, at)
    if start == at or _IMAGE.search(data, at, end):
        return None
    if _PASSWORD_BEFORE.search(data, max(0, start - 128), start):
        return None  # a password in a URL, which is a kind of its own
    if data[start:at] == b"git" and data[end : end + 1] == b":":
        return None
    return start, end


def _local_part(data: bytes, start: int, at: int) -> int:
    """Return where the local part begins: not at quotes, escapes or another script's words."""
    if data[start - 1 : start] == b"\\" and data[start] in _ESCAPES and at - start > 1:
        start += 1
    elif data[start : start + 1] == b"%" and _PERCENT.match(data, start):
        start += 3
    colour = _COLOUR.search(data, max(0, start - 8), at)
    if colour is not None:
        start = max(start, colour.end())
    local = data[start:at].decode("utf-8", "replace")
    kept = at
    for character in reversed(local):
        size = len(character.encode("utf-8", "replace"))
        if ord(character) >= _OTHER_SCRIPT or kept - size < start:
            break
        kept -= size
    while kept < at and data[kept] in b".%+'-_":
        kept += 1
    return kept


_COLOUR: Final = re.compile(rb"\x1b\[[0-9;]*m")
_PERCENT: Final = re.compile(rb"%[0-9A-Fa-f]{2}")
_NO_PHONE: Final = re.compile(
    rb"(?:19|20)\d\d[-./]\d\d[-./]\d\d"  # a date
    rb"|\d{1,2}[-./]\d{1,2}[-./](?:19|20)\d\d"
    rb"|\d{5}-\d{4}$"  # a ZIP code
    rb"|\+?\d+\.\d$"  # a decimal
)
_LEAST_DIGITS: Final = 7
_LEAST_DIGITS_AFTER_ZERO: Final = 9
_MOST_DIGITS: Final = 15


def check_phone(data: bytes, start: int, end: int) -> Place | None:
    """Accept a number of a plausible length that is no date and no part of something longer."""
    if start and data[start - 1] in b"-._/#$+":
        return None
    if _NO_PHONE.match(data, start, end):
        return None
    least = _LEAST_DIGITS_AFTER_ZERO if data[start : start + 1] == b"0" else _LEAST_DIGITS
    for stop in _ends(data, start, end):
        if not least <= sum(byte in _DIGITS for byte in data[start:stop]) <= _MOST_DIGITS:
            return None
        if number_alone(data, start, stop):
            return start, stop
    return None


def check_iban(data: bytes, start: int, end: int) -> Place | None:
    """Accept as many characters as the country's IBANs have, when their check digits are right."""
    length = iban_length(data[start : start + 2].decode().upper())
    if length is None or not begins(data, start):
        return None
    compact, at = "", start
    while at < end and len(compact) < length:
        if data[at] in _WORD:
            compact += chr(data[at])
        at += 1
    if len(compact) < length or not ends(data, at):
        return None
    return (start, at) if mod97(compact.upper()) else None


_VERSION: Final = re.compile(
    rb"(?:\b(?:v|ver|version|release|build|rev|revision|section|chapter)\.?[\"']?[ :=]*[\"'v]*"
    rb"|[A-Za-z][/_-]|[=~<>!^]=|[~^])$",
    re.IGNORECASE,
)


def check_ip(data: bytes, start: int, end: int) -> Place | None:
    """Accept an address that is no version number, clock time or part of a longer number."""
    while end > start and data[end - 1 : end] in (b".", b":") and data[end - 2 : end] != b"::":
        end -= 1
    if not begins(data, start) or not ends(data, end):
        return None
    if data[start - 1 : start] in (b".", b":") and data[start - 2 : start - 1].isalnum():
        return None
    if data[end : end + 1] in (b".", b"-", b":") and data[end + 1 : end + 2].isalnum():
        # A port follows an IPv4 address; anything else goes on.
        port = data[end : end + 1] == b":" and b"." in data[start:end]
        if not (port and data[end + 1 : end + 2].isdigit()):
            return None
    if b"." in data[start:end] and _VERSION.search(data, max(0, start - _NEAR), start):
        return None
    return (start, end) if is_ip(data[start:end].decode()) else None


def check_ssn(data: bytes, start: int, end: int) -> Place | None:
    """Accept a number of the form that was ever given out."""
    area, group, serial = data[start:end].split(b"-")
    if area in (b"000", b"666") or area[:1] == b"9" or group == b"00" or serial == b"0000":
        return None
    if data[start - 1 : start] in (b"-", b".", b"/") and start:
        return None
    return (start, end) if number_alone(data, start, end) else None


_LOCAL: Final = rb"[A-Za-z0-9\x80-\xff._%+'-]+"
_LABEL: Final = rb"[A-Za-z0-9\x80-\xff-]+"
_WORDS_BEFORE_PHONE: Final = (
    rb"(?i:phone|telefon|mobile|whatsapp|\btel|\bcell|\bfax)"
    rb"(?:[ _.-]{0,2}(?i:number|num|no|nr|is|at|me on))?[\\\"'.)]*[ \t]*[:=#]?[ \t]*[\\\"'(]*"
)

_CARD: Final = (
    rb"([0-9]{14,19}"
    rb"|[0-9]{4} [0-9]{4} [0-9]{4} [0-9]{4}(?: [0-9]{3})?"
    rb"|[0-9]{4}-[0-9]{4}-[0-9]{4}-[0-9]{4}(?:-[0-9]{3})?"
    rb"|[0-9]{4} [0-9]{6} [0-9]{4,5}|[0-9]{4}-[0-9]{6}-[0-9]{4,5})"
)
_IBAN: Final = (
    rb"([A-Za-z]{2}[0-9]{2}(?:[A-Za-z0-9]{11,30}"
    rb"|(?:[ -][A-Za-z0-9]{4}){2,7}(?:[ -][A-Za-z0-9]{1,4})?))"
)
_V4: Final = rb"([0-9]{1,3}\.[0-9]{1,3}\.[0-9]{1,3}\.[0-9]{1,3})"
_HEX: Final = rb"[0-9A-Fa-f]"
_V6: Final = (
    rb"(" + _HEX + rb"{0,4}(?::" + _HEX + rb"{0,4}){2,7}"
    rb"(?:\.[0-9]{1,3}\.[0-9]{1,3}\.[0-9]{1,3})?)"
)
# Clock times have two colons as well; what every address has is rarer.
_V6_HINT: Final = (
    rb"(?:" + _HEX + rb"{1,4}:){3}|::" + _HEX + rb"{1,4}:"
    rb"|" + _HEX + rb"{3,4}:(?:" + _HEX + rb"{1,4}:)?:"
)
_INTERNATIONAL: Final = rb"(\+[1-9](?:[ ().\-/]{0,3}[0-9]){7,14})"
_NATIONAL: Final = (
    rb"((?:\+?1[-. ])?(?:\([2-9][0-9]{2}\)[ -]?[0-9]{3}[-. ][0-9]{4}"
    rb"|[2-9][0-9]{2}-[0-9]{3}-[0-9]{4}|[2-9][0-9]{2}\.[0-9]{3}\.[0-9]{4})"
    rb"|00[1-9][0-9]{0,2}[ /-](?:[ ()\-/]{0,2}[0-9]){6,12}"
    rb"|0[1-9](?:[ .-][0-9]{2}){4}"
    rb"|\(?0[1-9][0-9]{1,4}\)?[ /-][0-9]{3,8}(?:[ -][0-9]{2,4})?)"
)
_AFTER_A_WORD: Final = _WORDS_BEFORE_PHONE + rb"(\+?[0-9][0-9 ()./-]{5,18}[0-9])"
_EMAIL: Final = (
    rb"(" + _LOCAL + rb"@" + _LABEL + rb"(?:\." + _LABEL + rb")*"
    rb"\.(?:[A-Za-z]{2,24}|xn--[A-Za-z0-9-]{2,59}))"
)


class Personal(NamedTuple):
    """How one kind is found."""

    kind: str
    needs: bytes
    """Bytes without which a text need not be searched."""
    shape: bytes
    """An expression whose group is a candidate."""
    check: Check
    hint: bytes | None = None
    """An expression that is found wherever the shape passes its check, and more rarely else."""


PERSONAL: Final[tuple[Personal, ...]] = (
    Personal("email", b"@", _EMAIL, check_email),
    Personal("card", b"", BEGINNING + _CARD, check_card),
    Personal("iban", b"", BEGINNING + _IBAN, check_iban),
    Personal("ip", b".", BEGINNING + _V4, check_ip),
    Personal("ip", b":", BEGINNING + _V6, check_ip, _V6_HINT),
    Personal("us_ssn", b"-", BEGINNING + rb"([0-9]{3}-[0-9]{2}-[0-9]{4})", check_ssn),
    Personal("phone", b"+", BEGINNING + _INTERNATIONAL, check_phone),
    Personal("phone", b"", BEGINNING + _NATIONAL, check_phone),
    Personal("phone", b"", _AFTER_A_WORD, check_phone),
)
