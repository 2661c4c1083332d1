"""Numbers that states give to persons, told from others by form, date and check digits.

Sources: the published rules of each number (ISO 7064 for the German one, Verhoeff's scheme for
the Indian one, modulo 11 for most others). A number whose check digits prove little is only found
beside a label, see :mod:`._near`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from ._checks import luhn

__all__ = ["NATIONAL", "National"]

_LETTERS: Final = "TRWAGMYFPDXBNJZSQVHLCKE"


class National(NamedTuple):
    """One country's number."""

    shape: bytes
    """The form in which it is found without a label."""
    check: Callable[[str], bool]
    """Tells by letters and digits, in capitals and without marks, if it can be one."""


def _weighted(digits: str, weights: Sequence[int]) -> int:
    return sum(int(digit) * weight for digit, weight in zip(digits, weights, strict=False))


def _date(month: str, day: str) -> bool:
    return 1 <= int(month) <= 12 and 1 <= int(day) <= 31  # noqa: PLR2004 - months, days


def _germany(number: str) -> bool:
    """The tax number: one of the first ten digits comes twice or three times, all others once."""
    head = number[:10]
    counts = sorted(head.count(digit) for digit in set(head))
    if number[0] == "0" or counts[-1] not in (2, 3) or counts[-2:-1] == [2] or sum(counts) != 10:  # noqa: PLR2004
        return False
    product = 10
    for digit in head:
        total = (int(digit) + product) % 10 or 10
        product = (2 * total) % 11
    return (11 - product) % 10 == int(number[10])


def _spain(number: str) -> bool:
    head = number[:-1].translate(str.maketrans("XYZ", "012"))
    return head.isdigit() and _LETTERS[int(head) % 23] == number[-1]


def _brazil(number: str) -> bool:
    if len(set(number)) == 1:
        return False
    first = _weighted(number, range(10, 1, -1)) * 10 % 11 % 10
    second = _weighted(number, range(11, 1, -1)) * 10 % 11 % 10
    return number[9:] == f"{first}{second}"


def _france(number: str) -> bool:
    head = number[:13].replace("2A", "19").replace("2B", "18")
    if not head.isdigit() or (not 1 <= int(head[3:5]) <= 42 and head[3:5] not in ("50", "99")):  # noqa: PLR2004
        return False
    return 97 - int(head) % 97 == int(number[13:])


_ROWS: Final = (
    "0123456789 1234067895 2340178956 3401289567 4012395678 "
    "5987604321 6598710432 7659821043 8765932104 9876543210"
)
_SHIFTS: Final = (
    "0123456789 1576283094 5803796142 8916043527 9453126870 4286573901 2793806415 7046913258"
)
_MULTIPLY: Final = tuple(tuple(int(digit) for digit in row) for row in _ROWS.split())
_PERMUTE: Final = tuple(tuple(int(digit) for digit in row) for row in _SHIFTS.split())


def _india(number: str) -> bool:
    state = 0
    for place, digit in enumerate(reversed(number)):
        state = _MULTIPLY[state][_PERMUTE[place % 8][int(digit)]]
    return state == 0 and len(set(number)) > 1


def _china(number: str) -> bool:
    weights = (7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2)
    right = "10X98765432"[_weighted(number[:17], weights) % 11] == number[17]
    return right and number[6:8] in ("19", "20") and _date(number[10:12], number[12:14])


def _norway(number: str) -> bool:
    day, month = int(number[:2]), int(number[2:4])
    if not (1 <= day % 40 <= 31 and 1 <= month % 40 <= 12):  # noqa: PLR2004
        return False
    first = 11 - _weighted(number, (3, 7, 6, 1, 8, 9, 4, 5, 2)) % 11
    second = 11 - _weighted(number, (5, 4, 3, 2, 7, 6, 5, 4, 3, 2)) % 11
    return number[9:] == f"{first % 11}{second % 11}"


def _belgium(number: str) -> bool:
    if not _date(number[2:4], number[4:6]) and number[2:4] != "00":
        return False
    rest = int(number[9:])
    return rest in (97 - int(number[:9]) % 97, 97 - int("2" + number[:9]) % 97)


def _switzerland(number: str) -> bool:
    return number.startswith("756") and (10 - _weighted(number, (1, 3) * 6) % 10) % 10 == int(
        number[12]
    )


def _sweden(number: str) -> bool:
    short = number[-10:]
    day = int(short[4:6])
    return luhn(short) and 1 <= int(short[2:4]) <= 12 and 1 <= day % 60 <= 31  # noqa: PLR2004


def _finland(number: str) -> bool:
    letters = "0123456789ABCDEFHJKLMNPRSTUVWXY"
    digits = number[:6] + number[-4:-1]
    return _date(number[2:4], number[:2]) and letters[int(digits) % 31] == number[-1]


def _czechia(number: str) -> bool:
    month = int(number[2:4]) % 50 % 20
    return 1 <= month <= 12 and int(number) % 11 == 0  # noqa: PLR2004


def _korea(number: str) -> bool:
    return _date(number[2:4], number[4:6])


def _chile(number: str) -> bool:
    total = sum(int(d) * (2 + place % 6) for place, d in enumerate(reversed(number[:-1])))
    return "0123456789K0"[11 - total % 11] == number[-1] if total % 11 else number[-1] == "0"


def _argentina(number: str) -> bool:
    if number[:2] not in ("20", "23", "24", "25", "26", "27"):
        return False
    rest = 11 - _weighted(number, (5, 4, 3, 2, 7, 6, 5, 4, 3, 2)) % 11
    return {11: 0, 10: 9}.get(rest, rest) == int(number[10])


def _thailand(number: str) -> bool:
    return (11 - _weighted(number, range(13, 1, -1)) % 11) % 10 == int(number[12])


def _singapore(number: str) -> bool:
    total = _weighted(number[1:8], (2, 7, 6, 5, 4, 3, 2))
    total += 4 if number[0] in "TG" else 3 if number[0] == "M" else 0
    letters = {
        "S": "JZIHGFEDCBA",
        "T": "JZIHGFEDCBA",
        "F": "XWUTRQPNMLK",
        "G": "XWUTRQPNMLK",
        "M": "XWUTRQPNJLK",
    }
    place = total % 11 if number[0] != "M" else 10 - total % 11
    return letters[number[0]][place] == number[8]


def _poland(number: str) -> bool:
    month = int(number[2:4]) % 20
    right = (10 - _weighted(number, (1, 3, 7, 9, 1, 3, 7, 9, 1, 3)) % 10) % 10 == int(number[10])
    return right and 1 <= month <= 12 and 1 <= int(number[4:6]) <= 31  # noqa: PLR2004


def _romania(number: str) -> bool:
    rest = _weighted(number, (2, 7, 9, 1, 4, 6, 3, 5, 8, 2, 7, 9)) % 11
    right = (1 if rest == 10 else rest) == int(number[12])  # noqa: PLR2004
    return right and number[0] in "1256" and _date(number[3:5], number[5:7])


def _itin(number: str) -> bool:
    group = int(number[3:5])
    return 50 <= group <= 65 or 70 <= group <= 88 or group in (90, 91, 92, 94, 95, 96, 97, 98, 99)  # noqa: PLR2004


def _britain(number: str) -> bool:
    return number[:2] not in ("BG", "GB", "NK", "KN", "TN", "NT", "ZZ")


def _italy(number: str) -> bool:
    return _date(f"{'ABCDEHLMPRST'.index(number[8]) + 1}", f"{int(number[9:11]) % 40}")


def _fits(_: str) -> bool:
    return True


def _taiwan(number: str) -> bool:
    letter = "ABCDEFGHJKLMNPQRSTUVXYWZIO".index(number[0]) + 10
    digits = f"{letter}{number[1:]}"
    return _weighted(digits, (1, 9, 8, 7, 6, 5, 4, 3, 2, 1, 1)) % 10 == 0


NATIONAL: Final = (
    National(rb"([1-9][0-9]{10}|[1-9][0-9] [0-9]{3} [0-9]{3} [0-9]{3})", _germany),
    National(rb"([XYZxyz][ -]?[0-9]{7}[ -]?[A-HJ-NP-TV-Za-hj-np-tv-z])", _spain),
    National(
        (
            rb"([0-9]{8}-[A-HJ-NP-TV-Z]|[0-9]{2}\.[0-9]{3}\.[0-9]{3}-?[A-HJ-NP-TV-Z]"
            rb"|[0-9]{8}[A-HJ-NP-TV-Z])"
        ),
        _spain,
    ),
    National(rb"([0-9]{3}\.[0-9]{3}\.[0-9]{3}-[0-9]{2}|[0-9]{9}-[0-9]{2})", _brazil),
    National(
        rb"([12] ?[0-9]{2} ?[0-9]{2} ?(?:[0-9]{2}|2[AB]) ?[0-9]{3} ?[0-9]{3} ?[0-9]{2})", _france
    ),
    National(rb"([2-9][0-9]{3} [0-9]{4} [0-9]{4})", _india),
    National(rb"([1-9][0-9]{16}[0-9Xx])", _china),
    National(rb"([0-7][0-9]{10}|[0-7][0-9]{5} [0-9]{5})", _norway),
    National(rb"([0-9]{2}\.[0-9]{2}\.[0-9]{2}-[0-9]{3}[.-][0-9]{2})", _belgium),
    National(rb"(756[. ]?[0-9]{4}[. ]?[0-9]{4}[. ]?[0-9]{2})", _switzerland),
    National(rb"((?:19|20)[0-9]{6}[-+]?[0-9]{4}|[0-9]{6}[-+][0-9]{4})", _sweden),
    National(rb"([0-3][0-9][01][0-9]{3}[-+A-FU-Y][0-9]{3}[0-9A-FHJ-NPR-Y])", _finland),
    National(rb"([0-9]{6}/[0-9]{4})", _czechia),
    National(rb"([0-9]{6}-[1-8][0-9]{6})", _korea),
    National(rb"([0-9]{1,2}\.[0-9]{3}\.[0-9]{3}-[0-9Kk])", _chile),
    National(rb"([0-9]{2}-[0-9]{8}-[0-9])", _argentina),
    National(rb"([1-8]-[0-9]{4}-[0-9]{5}-[0-9]{2}-[0-9])", _thailand),
    National(rb"([STFGM][0-9]{7}[A-Z])", _singapore),
    National(rb"([0-9]{11})", _poland),
    National(rb"([1256][0-9]{12})", _romania),
    National(rb"(9[0-9]{2}-[5-9][0-9]-[0-9]{4})", _itin),
    National(
        rb"([A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z] [0-9]{2} ?[0-9]{2} ?[0-9]{2} ?[A-D]"
        rb"|[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z]-[0-9]{2}-[0-9]{2}-[0-9]{2}-[A-D])",
        _britain,
    ),
    National(
        (
            rb"([A-Za-z]{6}[0-9LMNPQRSTUV]{2}[ABCDEHLMPRST][0-7LMNPQRST][0-9LMNPQRSTUV][A-Z]"
            rb"[0-9LMNPQRSTUV]{3}[A-Z])"
        ),
        _italy,
    ),
    National(rb"([A-Z]{3}P[A-Z][0-9]{4}[A-Z])", _fits),  # India, tax number of a person
    National(rb"([A-Z][AEIOUX][A-Z]{2}[0-9]{6}[HMX][A-Z]{5}[A-Z0-9][0-9])", _fits),  # Mexico, CURP
    National(rb"([A-Z][12][0-9]{8})", _taiwan),
    National(rb"([A-Z]{1,2}[0-9]{6}\([0-9A]\))", _fits),  # Hong Kong
)
"""Numbers that are found by their form, and the check that a candidate has to pass."""
