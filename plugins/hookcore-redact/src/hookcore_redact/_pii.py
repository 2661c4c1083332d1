"""Patterns of personal data, each with the check that a candidate has to pass.

A check gets the text and a candidate's place and returns the place of what is really meant, or
None. Patterns are RE2 expressions over bytes (Latin-1 mode).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final, NamedTuple

from ._checks import iban_length, is_card, is_ip, mod97
from ._national import NATIONAL as NATIONAL_NUMBERS
from ._phones import INTERNATIONAL, NATIONAL, check_national, check_phone
from ._places import (
    DIGITS,
    WORD,
    Check,
    Place,
    among_numbers,
    begins,
    ends,
    number_alone,
    shorter_ends,
)
from ._tokens import BEGINNING
from ._wording import words

__all__ = ["PERSONAL", "Personal"]

_NEAR: Final = 24


def check_card(data: bytes, start: int, end: int) -> Place | None:
    """Accept a number with an issuer's prefix and a right check digit."""
    if start and data[start - 1 : start] == b"-" and data[start - 2 : start - 1].isalnum():
        return None
    for stop in shorter_ends(data, start, end):
        digits = bytes(byte for byte in data[start:stop] if byte in DIGITS).decode()
        if is_card(digits) and number_alone(data, start, stop):
            return start, stop
    return None


def check_iban(data: bytes, start: int, end: int) -> Place | None:
    """Accept as many characters as the country's IBANs have, when their check digits are right."""
    length = iban_length(data[start : start + 2].decode().upper())
    if length is None or not begins(data, start):
        return None
    compact, at = "", start
    while at < end and len(compact) < length:
        if data[at] in WORD:
            compact += chr(data[at])
        at += 1
    if len(compact) < length or not ends(data, at):
        return None
    return (start, at) if mod97(compact.upper()) else None


_VERSION: Final = re.compile(
    rb"(?:\b(?:v|ver|version|release|build|rev|revision|section|sections|chapter|chapters|kapitel|"
    rb"abschnitt|figure|fig|table|tabelle|abbildung|abb|nuget|firmware|fw|driver|update|patch"
    rb"|clause|"
    rb"article|artikel|annex|appendix|item|punkt|ziffer|nr|oid|asn|pos|rfc|iso|step|schritt|cap|"
    rb"cap\xc3\xadtulo|chapitre|secci\xc3\xb3n|\xc2\xa7+)s?\.?[\"']?[ :=#]*[\"'v]*"
    rb"|\xc2\xa7 ?|[A-Za-z][/_-]|[=~<>!^]=|[~^])$",
    re.IGNORECASE,
)
_VERSION_NEAR: Final = re.compile(rb"(?i:\bversions?\b)[^\n]*$")
_OF_A_HOST: Final = re.compile(
    rb"(?:\b(?:ip|ipv4|addr|address|host|hosts|hostname|from|to|at|via|gateway|dns|nameserver"
    rb"|server|"
    rb"client|remote|source|src|dst|peer|inet|ping|ssh|node|user"
    rb"|resolver)[\w.-]{0,12}[\"'`]?[ \t]*[:=(\[\"'`]*"
    rb"[ \t]*|[@/])[\"'`]*$",
    re.IGNORECASE,
)
_LARGEST_OF_A_VERSION: Final = 31
_WORD_BEFORE: Final = re.compile(rb"(?:^|[\s(\"'])[A-Z][A-Za-z.+-]{2,24} $")


def _is_version(data: bytes, start: int, end: int) -> bool:
    """Tell whether four small numbers are a chapter's or a release's, and no host's address."""
    if _VERSION.search(data, max(0, start - _NEAR), start):
        return True
    if _VERSION_NEAR.search(data, max(0, start - 2 * _NEAR), start):
        return True
    numbers = [int(part) for part in data[start:end].split(b".")]
    if numbers[0] > 9 or max(numbers) > _LARGEST_OF_A_VERSION:  # noqa: PLR2004 - 10.0.0.0/8 is private
        return False
    if data[end : end + 1] in (b":", b"/") or not _WORD_BEFORE.search(
        data, max(0, start - _NEAR - 2), start
    ):
        return False
    return not _OF_A_HOST.search(data, max(0, start - 2 * _NEAR), start)


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
    text = data[start:end].decode()
    if not is_ip(text) or (":" not in text and _is_version(data, start, end)):
        return None
    return start, end


_NO_SSN: Final = re.compile(
    rb"(?i:\b(?:part|parts|sku|model|dimensions?|size|lot|article|art|item|serial|order|ref"
    rb"|catalog|cat|"
    rb"pn|p/n|nsn|tracking|case|range|chapters?|bestell[a-z]*|teile?[a-z]*|artikel[a-z]*"
    rb"|invoice|batch))"
    rb"[ \w]{0,10}[.:#=]{0,2}[ \"']{0,2}$"
)
_UNIT: Final = re.compile(rb"[ ]?(?:mm|cm|m|in|kg|g|ml|units?|pcs|x)\b")


def check_ssn(data: bytes, start: int, end: int) -> Place | None:
    """Accept a number of the form that was ever given out."""
    spaced = data[start + 3 : start + 4] == b" "
    area, group, serial = data[start:end].split(b" " if spaced else b"-")
    if area in (b"000", b"666") or area[:1] == b"9" or group == b"00" or serial == b"0000":
        return None
    if start and data[start - 1 : start] in (b"-", b".", b"/", b"+", b"#"):
        return None
    if _NO_SSN.search(data, max(0, start - 28), start) or _UNIT.match(data, end):
        return None
    if spaced and among_numbers(data, start, end):
        return None
    return (start, end) if number_alone(data, start, end) else None


_MAC_STAND_INS: Final = words(
    """
    aabbccddeeff 000000000000 ffffffffffff 001122334455 0123456789ab 123456789abc
    """
)


def check_mac(data: bytes, start: int, end: int) -> Place | None:
    """Accept the address of one network card: no broadcast, no example, no part of a hash."""
    if not begins(data, start) or not ends(data, end):
        return None
    mark = data[start + 2 : start + 3] if data[start + 2] not in WORD else b"."
    around = data[max(0, start - 2) : start], data[end : end + 2]
    if (around[0][1:] == mark and around[0][:1].isalnum()) or (
        around[1][:1] == mark and around[1][1:].isalnum()
    ):
        return None
    plain = "".join(chr(byte) for byte in data[start:end] if byte in WORD).lower()
    if plain in _MAC_STAND_INS or plain.startswith(("01005e", "3333")):
        return None
    if mark == b"." and (plain.isdigit() or plain.isalpha() or around[0][1:] == b"."):
        return None
    return start, end


def _national_check(accepts: Callable[[str], bool]) -> Check:
    def check(data: bytes, start: int, end: int) -> Place | None:
        if not number_alone(data, start, end):
            return None
        if start and data[start - 1 : start] in (b"-", b".", b"/", b"+", b"#", b"$"):
            return None
        if among_numbers(data, start, end):
            return None
        if _NO_SSN.search(data, max(0, start - 28), start):
            return None
        plain = "".join(chr(byte) for byte in data[start:end] if byte in WORD).upper()
        return (start, end) if accepts(plain) else None

    return check


_CARD: Final = (
    rb"([0-9]{14,19}"
    rb"|[0-9]{4} [0-9]{4} [0-9]{4} [0-9]{4}(?: [0-9]{3})?"
    rb"|[0-9]{4}-[0-9]{4}-[0-9]{4}-[0-9]{4}(?:-[0-9]{3})?"
    rb"|[0-9]{4}\.[0-9]{4}\.[0-9]{4}\.[0-9]{4}"
    rb"|[0-9]{4} [0-9]{6} [0-9]{4,5}|[0-9]{4}-[0-9]{6}-[0-9]{4,5}|[0-9]{4}\.[0-9]{6}\.[0-9]{4,5})"
)
_IBAN: Final = (
    rb"([A-Za-z]{2}[0-9]{2}(?:[A-Za-z0-9]{11,30}"
    rb"|(?:[ -][A-Za-z0-9]{4}){2,7}(?:[ -][A-Za-z0-9]{1,4})?))"
)
_V4: Final = (
    rb"(?:^|[^A-Za-z0-9.]|[^A-Za-z0-9]\.|\\[nrtbf]|\\u[0-9A-Fa-f]{4}|\\x[0-9A-Fa-f]{2}"
    rb"|%[0-9A-Fa-f]{2}"
    rb"|\x1b\[[0-9;]*m)([0-9]{1,3}\.[0-9]{1,3}\.[0-9]{1,3}\.[0-9]{1,3})(?:$|[^A-Za-z0-9.]"
    rb"|\.(?:$|[^A-Za-z0-9]))"
)
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
_MAC: Final = (
    rb"((?:[0-9A-Fa-f]{2}:){5}[0-9A-Fa-f]{2}|(?:[0-9A-Fa-f]{2}-){5}[0-9A-Fa-f]{2}"
    rb"|[0-9A-Fa-f]{4}\.[0-9A-Fa-f]{4}\.[0-9A-Fa-f]{4})"
)
_SSN: Final = rb"([0-9]{3}-[0-9]{2}-[0-9]{4}|[0-9]{3} [0-9]{2} [0-9]{4})"
_PHONE_WORDS: Final = (
    rb"(?i:phone|telefon|t(?:\xc3\xa9|e)l(?:\xc3\xa9|e)(?:fono|phone)|mobile?|\bhandy"
    rb"|whatsapp|\btel|\bcell|\bfax"
    rb"|celular|cellulare|rufnummer|call (?:me|us|him|her)|text me|reach me|reach us|dial|ring me"
    rb"|ll(?:\xc3\xa1|a)m[ae](?:me|nos)|rufen? sie|ruf mich|erreich\w{2,6}|appel(?:le|ez)"
    rb"|chiam(?:a|i)(?:mi)?"
    rb"|lig(?:ue|a)|bel me|\xd1\x82\xd0\xb5\xd0\xbb\xd0\xb5\xd1\x84\xd0\xbe\xd0\xbd)"
    rb"|\xe9\x9b\xbb\xe8\xa9\xb1"
    rb"(?:\xe7\x95\xaa\xe5\x8f\xb7)?|\xe7\x94\xb5\xe8\xaf\x9d|\xe6\x89\x8b\xe6\x9c\xba"
    rb"|\xe6\x90\xba\xe5\xb8\xaf"
)
_AFTER_A_WORD: Final = (
    b"(?:"
    + _PHONE_WORDS
    + rb")(?:[ _.-]{0,2}(?i:number|num|nummer|no|nr|is|at|me on|me at|on|al|au|unter|en|su|to"
    rb"|n(?:\xc3\xba|u)mero)\b| ?\xe3\x81\xaf){0,2}[\\\"'.)*]*[ \t]*[:=#]?[ \t]*[\\\"'(]*"
    rb"(\+?[0-9][0-9 ()./-]{5,18}[0-9])"
)


class Personal(NamedTuple):
    """The way one kind is found."""

    kind: str
    needs: bytes
    """Bytes without which a text need not be searched."""
    shape: bytes
    """An expression whose group is a candidate."""
    check: Check
    hint: bytes | None = None
    """An expression that is found wherever the shape passes its check, and more rarely else."""


PERSONAL: Final[tuple[Personal, ...]] = (
    Personal("card", b"", BEGINNING + _CARD, check_card),
    Personal(
        "iban", b"", BEGINNING + _IBAN, check_iban, rb"[A-Za-z]{2}[0-9]{2}[ -]?[A-Za-z0-9]{4}"
    ),
    Personal("ip", b".", _V4, check_ip, _V4),
    Personal("ip", b":", BEGINNING + _V6, check_ip, _V6_HINT),
    Personal("mac", b"", BEGINNING + _MAC, check_mac),
    Personal("us_ssn", b"", BEGINNING + _SSN, check_ssn, rb"[0-9]{3}[ -][0-9]{2}[ -][0-9]{4}"),
    Personal("phone", b"+", BEGINNING + INTERNATIONAL, check_phone, rb"\+[1-9][ ().\-/]*[0-9]"),
    Personal("phone", b"", NATIONAL, check_national),
    Personal("phone", b"", _AFTER_A_WORD, check_phone),
    *(
        Personal(
            "national_id",
            b"",
            BEGINNING + number.shape + rb"(?:$|[^A-Za-z0-9])",
            _national_check(number.check),
        )
        for number in NATIONAL_NUMBERS
    ),
)
