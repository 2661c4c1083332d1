"""Checks that tell a card, an account or an address from any other number."""

from __future__ import annotations

import ipaddress
import re
from typing import Final

__all__ = ["iban_length", "is_card", "is_ip", "luhn", "mod97"]

_IBAN_LENGTHS: Final = {
    country: int(length)
    for length, countries in {
        "15": "NO",
        "16": "BE",
        "18": "DK FI FO GL NL SD FK",
        "19": "MK SI",
        "20": "AT BA EE KZ LT LU MN XK",
        "21": "CH CR HR LI LV",
        "22": "BG BH DE GB GE IE ME RS VA",
        "23": "AE GI IL IQ OM SO TL",
        "24": "AD CZ ES MD PK RO SA SE SK TN VG",
        "25": "LY PT ST",
        "26": "IS TR",
        "27": "BI DJ FR GR IT MC MR SM",
        "28": "AL AZ BY CY DO GT HU LB NI PL SV",
        "29": "BR EG PS QA UA",
        "30": "JO KW MU YE",
        "31": "MT SC",
        "32": "LC",
        "33": "RU",
    }.items()
    for country in countries.split()
}

_LAST_DIGITS: Final = str.maketrans({chr(65 + index): str(10 + index) for index in range(26)})
_DOUBLED: Final = (0, 2, 4, 6, 8, 1, 3, 5, 7, 9)

# Issuers' prefixes for each length of number: what Luhn alone lets through is one number in ten.
_SIXTEEN: Final = re.compile(
    r"4|5[1-5]|2(?:22[1-9]|2[3-9]|[3-6]|7[01]|720)|220[0-4]|35(?:2[89]|[3-8])"
    r"|6(?:011|5|4[4-9]|0|2)|3(?:[689]|0[0-5])|8[12]|50[0-9]|5[678]|63|67"
)
_ISSUERS: Final = {
    14: re.compile(r"3(?:0[0-5]|[68])"),
    15: re.compile(r"3[47]"),
    16: _SIXTEEN,
    17: re.compile(r"62"),
    18: re.compile(r"62"),
    19: re.compile(r"4|62|6011|65|6759|676770"),
}


def luhn(digits: str) -> bool:
    """Tell whether a number's check digit is right.

    Args:
        digits: decimal digits only.
    """
    plain = sum(map(int, digits[-1::-2]))
    return (plain + sum(_DOUBLED[int(digit)] for digit in digits[-2::-2])) % 10 == 0


def is_card(digits: str) -> bool:
    """Tell whether a number has an issuer's prefix, that issuer's length, and passes Luhn.

    Args:
        digits: decimal digits only.
    """
    issuer = _ISSUERS.get(len(digits))
    return issuer is not None and issuer.match(digits) is not None and luhn(digits)


def iban_length(country: str) -> int | None:
    """Return how many characters an IBAN of a country has, None for a country without IBANs.

    Args:
        country: two upper-case letters.
    """
    return _IBAN_LENGTHS.get(country)


def mod97(iban: str) -> bool:
    """Tell whether an IBAN's check digits are right.

    Args:
        iban: upper-case letters and digits, without spaces.
    """
    return int((iban[4:] + iban[:4]).translate(_LAST_DIGITS)) % 97 == 1


def is_ip(text: str) -> bool:
    """Tell whether a text is an address that leads to somebody.

    Loopback and unspecified addresses and network masks are the same everywhere. What is an
    IPv6 address by its form only (``a::b``, eight pairs of hex digits) is none.

    Args:
        text: an IPv4 or IPv6 address in its usual notation.
    """
    try:
        address = ipaddress.ip_address(text)
    except ValueError:
        return False
    if address.is_loopback or address.is_unspecified or text.startswith("255."):
        return False
    return address.version == 4 or _looks_like_v6(text)  # noqa: PLR2004 - the version's name


def _looks_like_v6(text: str) -> bool:
    groups = text.split(":")
    if not any(character.isdigit() for character in text):
        return False
    if "" in groups:
        return len(groups[0]) > 2 or (groups[0] == "" and len(groups) > 3)  # noqa: PLR2004
    return any(len(group) > 2 for group in groups)  # noqa: PLR2004 - a hardware address's groups
