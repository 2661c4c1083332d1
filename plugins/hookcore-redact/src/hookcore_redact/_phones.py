"""Phone numbers as people of many countries write them, without a label beside them."""

from __future__ import annotations

import itertools
import re
from typing import Final

from ._places import DIGITS, Place, among_numbers, number_alone, shorter_ends

__all__ = ["INTERNATIONAL", "NATIONAL", "check_national", "check_phone"]

INTERNATIONAL: Final = rb"(\+[1-9](?:[ ().\-/]{0,3}[0-9]){7,14})"

NATIONAL: Final = (
    rb"(?:^|[^A-Za-z0-9._/#$+-]|\\[nrtbf]|\\u[0-9A-Fa-f]{4}|\\x[0-9A-Fa-f]{2}|%[0-9A-Fa-f]{2}"
    rb"|\x1b\[[0-9;]*m)"
    # North America
    rb"((?:\+?1[-. ])?(?:\([2-9][0-9]{2}\)[ -]?[0-9]{3}[-. ][0-9]{4}"
    rb"|[2-9][0-9]{2}-[0-9]{3}-[0-9]{4}|[2-9][0-9]{2}\.[0-9]{3}\.[0-9]{4})"
    # With the prefix of calls abroad
    rb"|00[1-9][0-9]{0,2}[ /-](?:[ ()\-/]{0,2}[0-9]){6,12}"
    # With a leading zero: in pairs, in groups, area and number
    rb"|0[1-9](?:[ .-][0-9]{2}){4}"
    rb"|0[1-9][0-9]{1,2}[ /-][0-9]{3}[ -][0-9]{2}[ -][0-9]{2}"
    rb"|0[1-9][0-9]?[ -][0-9]{3,4}[ -][0-9]{2,4}(?:[ -][0-9]{2})?"
    rb"|\(?0[1-9][0-9]{0,4}\)?[ /-][0-9]{3,8}(?:[ -][0-9]{2,4})?"
    rb"|\(?0[1-9][0-9]{0,4}\)?[ /-][0-9]{2,5}(?:[ -][0-9]{2,4}){1,3}"
    # Brazil; Italy and Mexico; Spain, Portugal, Poland; India; China; Russia; Denmark, Norway
    rb"|\([1-9][0-9]\) ?9?[0-9]{4}[- ][0-9]{4}"
    rb"|[1-9][0-9] 9[0-9]{4}-[0-9]{4}"
    rb"|3[2-9][0-9] [0-9]{3} [0-9]{4}"
    rb"|3[2-9][0-9] [0-9]{6,7}"
    rb"|[2-9][0-9]{2} [0-9]{3} [0-9]{4}"
    rb"|[679][0-9]{2} [0-9]{3} [0-9]{3}"
    rb"|[679][0-9]{2} [0-9]{2} [0-9]{2} [0-9]{2}"
    rb"|[6-9][0-9]{4} [0-9]{5}"
    rb"|1[3-9][0-9] [0-9]{4} [0-9]{4}"
    rb"|8 ?\([0-9]{3}\) ?[0-9]{3}-[0-9]{2}-[0-9]{2})"
)

_NO_PHONE: Final = re.compile(
    rb"(?:19|20)\d\d[-./]\d\d[-./]\d\d"  # a date
    rb"|\d{1,2}[-./]\d{1,2}[-./](?:19|20)\d\d"
    rb"|\d{5}-\d{4}$"  # a ZIP code
    rb"|\+?\d+\.\d$"  # a decimal
)
_LEAST: Final = 7
_LEAST_AFTER_ZERO: Final = 9
_MOST: Final = 15
_LARGEST_LOT: Final = 60
_PAIRS: Final = re.compile(rb"[ .-]")
_SERIES: Final = re.compile(
    rb"(?:\b(?:sku|isbn|issn|ean|gtin|upc|lot|serial|part|model|range|page|pages|order|ticket|case|"
    rb"invoice|ref|reference|id|no|nr|numbers?|lottozahlen|lotto|draw|zahlen|kapitel|chapters?|"
    rb"section|iso|din|en|rfc|vin|patent|bic|release|build|version|article|artikel|item"
    rb"|coordinates|total|sum|rows|bytes|size|amount|price)\.?:?=? ?#?|[#$%@/\\_.-]"
    rb"|[\xc2\xa3\xa5\xe2\x82\xac] ?)$",
    re.IGNORECASE,
)


def check_phone(data: bytes, start: int, end: int) -> Place | None:
    """Accept a number of a plausible length that is no date and no part of something longer."""
    if start and data[start - 1] in b"-._/#$+":
        return None
    if _NO_PHONE.match(data, start, end):
        return None
    least = _LEAST_AFTER_ZERO if data[start : start + 1] == b"0" else _LEAST
    for stop in shorter_ends(data, start, end):
        if not least <= sum(byte in DIGITS for byte in data[start:stop]) <= _MOST:
            return None
        if number_alone(data, start, stop):
            return start, stop
    return None


def check_national(data: bytes, start: int, end: int) -> Place | None:
    """Accept what :func:`check_phone` does, unless it is one of several numbers in a row."""
    place = check_phone(data, start, end)
    if place is None or place[1] != end:
        return None
    if among_numbers(data, start, end):
        return None
    if data[end : end + 1] in (b"-", b".", b"/") and data[end + 1 : end + 2].isdigit():
        return None
    if _SERIES.search(data, max(0, start - 16), start):
        return None
    return None if _is_lot(data[start:end]) else place


def _is_lot(number: bytes) -> bool:
    """Tell whether pairs of digits only grow, as the numbers that were drawn do."""
    pairs = _PAIRS.split(number)
    if len(pairs) < 4 or any(len(pair) > 2 for pair in pairs):  # noqa: PLR2004
        return False
    numbers = [int(pair) for pair in pairs]
    return max(numbers) <= _LARGEST_LOT and all(a < b for a, b in itertools.pairwise(numbers))
