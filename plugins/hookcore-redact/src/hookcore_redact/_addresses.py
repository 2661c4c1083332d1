"""Street addresses: around each word for a street, what may belong to one.

Words for streets stand in much that is no address (``5 Star Street Food``, ``auf Platz 3``), so
that one counts only with something else that says so: a town behind it with its code, a flat, a
word before it (``lives at``), or that nothing else stands in its line or value.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from ._places import Place
from ._regex import compile_bytes
from ._spans import Span
from ._towns import CAPITAL, EDGE, LETTERS, TOWN

__all__ = ["AddressDetector", "address_in"]

_STRONG: Final = (
    rb"Street|St\.?|Avenue|Ave\.?|Road|Rd\.?|Boulevard|Blvd\.?|Lane|Ln\.?|Crescent|Terrace"
    rb"|Parkway|Pkwy\.?|Drive|Dr\.?|Gardens"
)
_WEAK: Final = (
    rb"Court|Ct\.?|Place|Pl\.?|Way|Close|Grove|Square|Sq\.?|Circle|Cir\.?|Trail|Trl\.?|Walk|Row"
    rb"|Hill|Rise|Quay|Wharf|Alley|Loop|Mews|Highway|Hwy\.?|Park|Plaza|Broadway|Green|Parade"
)
_ENGLISH: Final = rb"(?:" + _STRONG + rb"|" + _WEAK + rb")"
_SUFFIX: Final = (
    rb"(?:[Ss]tra(?:\xc3\x9f|ss)e|[Ss]tr\.|gasse|[Aa]llee|straat|gracht|gatan|v\xc3\xa4gen)"
)
_WEAK_SUFFIX: Final = (
    rb"(?:[Ww]eg|[Pp]latz| Ring|damm|ufer|[Pp]lein|kade|singel|markt|laan|graben|berg|hof|steig"
    rb"|gade|vej|veien|gata| gate)"
)
_FRENCH: Final = (
    rb"(?:[Rr]ue|[Aa]venue|[Aa]v\.|[Bb]oulevard|[Bb]d\.?|[Pp]lace|[Cc]hemin|[Aa]ll\xc3\xa9e"
    rb"|[Ii]mpasse|[Qq]uai|[Cc]ours|[Rr]oute|[Pp]assage|[Ff]aubourg)"
)
_SOUTHERN: Final = (
    rb"(?:Calle|C/|Avenida|Avda\.?|Av\.|Plaza|Pza\.?|Paseo|Carrer|Camino|Ronda|Carretera|Via|Viale"
    rb"|Piazza|Piazzale|Corso|Largo|Vicolo|Lungotevere|Rua|Travessa|Pra\xc3\xa7a|Alameda|Estrada"
    rb"|ul\.|al\.|pl\.)"
)
_BOX: Final = (
    rb"(?i:p\.? ?o\.? ?box|post office box|postfach|postbus|apartado(?: de correos)?|casilla"
    rb"|bo(?:i|\xc3\xae)te postale|caixa postal)"
)
_CJK: Final = rb"(?:[\xe4-\xe9][\x80-\xbf]{2}|\xe3[\x81-\x83][\x80-\xbf])"
_EASTERN: Final = (
    rb"(?:\xe3\x80\x92 ?[0-9]{3}-[0-9]{4}[ \n]?)?" + _CJK + rb"{2,8}?"
    rb"(?:\xe9\x83\xbd|\xe9\x81\x93|\xe5\xba\x9c|\xe7\x9c\x8c|\xe7\x9c\x81|\xe5\xb8\x82)"
    + _CJK
    + rb"{1,14}[0-9]{1,4}(?:(?:\xe4\xb8\x81\xe7\x9b\xae|\xe7\x95\xaa\xe5\x9c\xb0?|\xe5\x8f\xb7"
    rb"|\xe8\x99\x9f|-)[0-9]{0,4}){1,4}(?:\xe5\x8f\xb7)?"
)
_ANCHOR: Final = (
    rb"(?:\b" + _ENGLISH + rb"\b\.?|" + _SUFFIX + rb"[ ,]{1,2}[0-9]|" + _WEAK_SUFFIX + rb" [0-9]"
    rb"|\b"
    + _FRENCH
    + rb" |\b"
    + _SOUTHERN
    + rb" |\b"
    + _BOX
    + rb"[: ]{1,2}[0-9]|"
    + _EASTERN
    + rb")"
)
_HINT: Final = (
    rb"[ ](?:" + _ENGLISH + rb"\b|" + _FRENCH + rb" )|" + _SUFFIX + rb"[ ,]+[0-9]"
    rb"|"
    + _WEAK_SUFFIX
    + rb" [0-9]|\b"
    + _SOUTHERN
    + rb" [\xc3-\xc5A-Zdl]|\b"
    + _BOX
    + rb"[: ]+[0-9]"
    rb"|[\xe4-\xe9][\x80-\xbf][\x80-\xbf][0-9]"
)

_NUMBER: Final = rb"[0-9]{1,5}(?:[/-][0-9]{1,4})?[A-Za-z]?"
_WORD: Final = (
    rb"(?:" + CAPITAL + LETTERS + rb"{0,24}|[0-9]{1,3}(?:st|nd|rd|th)|of|the|la|de|del|los|van)"
)
_HOUSE: Final = rb"(?:[A-Za-z]{1,2}\b)?(?:[/-][0-9]{1,4}[A-Za-z]?)?(?:[/-][A-Za-z]{1,3}\b)?"
_BEFORE: Final = re.compile(
    rb"(?:^|" + EDGE + rb"|[^A-Za-z0-9.,#$%/+-]|[\n\"'(>|:=,] ?)"
    rb"((?:(?:Flat|Unit|Apt|Apartment|Suite|The)(?: [A-Za-z0-9]{1,16}){1,3}, )?"
    + _NUMBER
    + rb",? (?:"
    + _WORD
    + rb" ){1,5})$"
)
_AFTER: Final = re.compile(
    rb"(?: (?:N|S|E|W|NE|NW|SE|SW|North|South|East|West)\b)?"
    rb"(,? (?:(?:Apt|Apartment|Suite|Ste|Unit|Flat|Floor|Fl|Room|Rm)\.? #?|#)[A-Za-z0-9-]{1,6})?"
)
_FRENCH_BEFORE: Final = re.compile(
    rb"(?:^|" + EDGE + rb"|[^\w.,#$%/-])([0-9]{1,4}(?: ?(?:bis|ter|[A-D]))?,? )$"
)
_LINK: Final = (
    rb"(?:de la |de l'|de los |de las |des |del |della |dei |di |da |do |dos |das |du |de |d'"
    rb"|la |le |les )?"
)
_NAMES: Final = (
    CAPITAL + LETTERS + rb"{1,24}(?:[ -](?:de |du |di |da |do |del |des |la |le |y |e )?"
    rb"(?:" + CAPITAL + LETTERS + rb"{0,24}|[IVX]{1,4}\b)){0,4}"
)
_FRENCH_AFTER: Final = re.compile(_LINK + _NAMES)
_SOUTHERN_AFTER: Final = re.compile(
    _LINK + _NAMES + rb",? (?:n\.? ?\xc2?\xba? ?)?[0-9]{1,4}" + _HOUSE
    + rb"\b(?:, [0-9]{1,2}\xc2?[\xba\xaa](?: ?[A-Z])?)?"
)  # fmt: skip
_NAME_BEFORE: Final = re.compile(
    rb"(?:^|"
    + EDGE
    + rb"|[^\w-])((?:(?:"
    + CAPITAL
    + LETTERS
    + rb"{1,24}|[Aa]n der|[Aa]m|[Ii]m|[Aa]uf dem|[Zz]u[mr])[ -]){0,3}"
    rb"(?:" + CAPITAL + LETTERS + rb"{1,30})?[ -]?)$"
)
_STREET_NUMBER: Final = re.compile(rb"[ ,]{1,2}[0-9]{1,4}" + _HOUSE + rb"\b")

_SAYS_SO: Final = re.compile(
    rb"(?i:\b(?:address|lives?|living|residing|resides?|home|house|ship(?:ped|ping)?|deliver(?:ed|y)?"
    rb"|moved?|my new place|adresse|anschrift|wohn(?:t|e|haft)?|adres|direcci(?:\xc3\xb3|o)n|vivo"
    rb"|indirizzo|abito|vivo|endere(?:\xc3\xa7|c)o|moro|mieszkam|parcel|package|paket|paquete))"
    rb"\b[^.!?\n]{0,32}$"
)
_MAY_SAY_SO: Final = re.compile(
    rb"(?i:\b(?:at|to|from|near|visit|send|mail|office|located|in der|in die|bei|nach|au|a|en|in))"
    rb"[ ]$"
)
_NO_HOUSE: Final = re.compile(
    rb"(?i:\b(?:chapters?|sections?|versions?|steps?|levels?|grades?|seasons?|episodes?|tracks?|models?"
    rb"|top|units?|rooms?|lines?|pages?|figures?|tables?|parts?|rules?|items?|tests?|http|python|type))"
    rb"[ ]$"
)
_GOES_ON: Final = re.compile(
    rb"(?:[.,;:!?)\"'<|&\\\]}\s]*(?:$|\n|\\n)|[.,;:!?)\"'<|&\\\]}]"
    rb"| (?:in|at|on|and|or|before|by|near|for|with|is|to|as|from|im|bei|und|en|y|et|e)\b)"
)
_YEAR: Final = re.compile(rb"(?:^|[^0-9])(?:19|20)[0-9]{2} ")
_OPENS: Final = b"\n\"'>|,;\t(=:"
_CLOSES: Final = b"\n\"'<|,;\t)&\\"
_FIRST_YEAR: Final = 1900
_LAST_YEAR: Final = 2099
_FAR: Final = 80


class AddressDetector:
    """Finds street addresses, with the town behind them."""

    crowd = "addresses"
    hints: tuple[bytes, ...] = (_HINT,)

    def __init__(self) -> None:
        self._anchor = compile_bytes(_ANCHOR)

    def find(self, data: bytes) -> Iterator[Span]:
        """Yield what is found."""
        done = 0
        for match in self._anchor.all(data):
            start, end = match.span()
            if start < done:
                continue
            place = _around(data, start, end, done)
            if place is not None:
                yield Span(*place, "street_address")
                done = place[1]


def _around(data: bytes, start: int, end: int, done: int) -> Place | None:
    """Return the address around a word for a street, None when there is none."""
    word = data[start:end]
    if word[:1] >= b"\xe3" or _BOX_WORD.match(word):
        return _with_town(data, start, _END_OF_NUMBER.match(data, end).end())  # type: ignore[union-attr]
    for read in (_english, _suffixed, _french, _southern):
        place = read(data, start, end, done)
        if place is not None:
            return place
    return None


_BOX_WORD: Final = re.compile(_BOX)
_END_OF_NUMBER: Final = re.compile(rb"(?:[0-9]| (?=[0-9]))*")
_ENGLISH_WORD: Final = re.compile(rb"(?:" + _ENGLISH + rb")\.?$")
_STRONG_WORD: Final = re.compile(rb"(?:" + _STRONG + rb")\.?$")
_FRENCH_WORD: Final = re.compile(_FRENCH + rb" ")
_SOUTHERN_WORD: Final = re.compile(_SOUTHERN + rb" ")
_SUFFIX_WORD: Final = re.compile(_SUFFIX + rb"[ ,]")
_ANY_SUFFIX_WORD: Final = re.compile(rb"(" + _SUFFIX + rb"|" + _WEAK_SUFFIX + rb")[ ,]{1,2}[0-9]$")


def _with_town(data: bytes, start: int, end: int) -> Place:
    town = TOWN.match(data, end)
    return start, end if town is None else town.end()


def _english(data: bytes, at: int, end: int, done: int) -> Place | None:
    word = data[at:end]
    if not _ENGLISH_WORD.match(word):
        return None
    first = max(done, at - _FAR)
    before = _BEFORE.search(data[first:at])
    after = _AFTER.match(data, end)
    if before is None or after is None:
        return None
    start, end = first + before.start(1), after.end()
    if _NO_HOUSE.search(data, max(0, start - 24), start):
        return None
    if after[1]:
        return _with_town(data, start, end)
    number = int(re.search(rb"[0-9]+", before[1])[0])  # type: ignore[index]
    year = _FIRST_YEAR <= number <= _LAST_YEAR
    named = _STRONG_WORD.match(before[1].split()[-1]) is None  # "3 Lane Road" is a road of three
    sure = named and not year and _STRONG_WORD.match(word) is not None
    return _if_said(data, start, end, sure=sure)


def _suffixed(data: bytes, at: int, end: int, done: int) -> Place | None:
    word = _ANY_SUFFIX_WORD.match(data[at:end])
    if word is None:
        return None
    first = max(done, at - _FAR)
    before = _NAME_BEFORE.search(data[first:at])
    number = _STREET_NUMBER.match(data, at + word.end(1))
    if before is None or number is None or not before[1].strip(b" -"):
        return None
    start = first + before.start(1)
    strong = _SUFFIX_WORD.match(data, at) is not None
    if strong and len(before[1].strip()) > 1:
        return _with_town(data, start, number.end())
    return _if_said(data, start, number.end(), sure=False)


def _french(data: bytes, at: int, end: int, done: int) -> Place | None:
    del end
    word = _FRENCH_WORD.match(data, at)
    first = max(done, at - 16)
    before = _FRENCH_BEFORE.search(data[first:at])
    name = None if word is None else _FRENCH_AFTER.match(data, word.end())
    if before is None or name is None:
        return None
    return _if_said(data, first + before.start(1), name.end(), sure=True)


def _southern(data: bytes, at: int, end: int, done: int) -> Place | None:
    del end, done
    word = _SOUTHERN_WORD.match(data, at)
    name = None if word is None else _SOUTHERN_AFTER.match(data, word.end())
    return None if name is None else _if_said(data, at, name.end(), sure=True)


def _if_said(data: bytes, start: int, end: int, *, sure: bool) -> Place | None:
    """Return the place of an address, with its town, if something says that it is one."""
    town = TOWN.match(data, end)
    if town is not None and (sure or not _YEAR.search(town[0])):
        return start, town.end()
    if not _GOES_ON.match(data, end):
        return None
    said = _SAYS_SO.search(data, max(0, start - _FAR), start) is not None
    if not said and sure:
        said = _MAY_SAY_SO.search(data, max(0, start - 24), start) is not None or (
            _stands_alone(data, start, end)
        )
    return (start, end) if said else None


def _stands_alone(data: bytes, start: int, end: int) -> bool:
    """Tell whether nothing else stands in the line, the cell or the value."""
    before = data[max(0, start - 4) : start].rstrip(b" ")[-1:]
    after = data[end : end + 4].lstrip(b" .")[:1]
    return (not before or before in _OPENS) and (not after or after in _CLOSES)


_NO_POST: Final = re.compile(rb"://|@|\b0x|=|[0-9]:[0-9]|^[0-9a-fA-F.:/-]+$|^[a-z_./-]+$")
_POSTAL: Final = re.compile(
    rb"(?:" + _NUMBER + rb",? )?(?:[\w.'\x80-\xff-]{1,24}[ ,]{1,2}){0,6}"
    rb"(?:"
    + CAPITAL
    + LETTERS
    + rb"{2,24}|(?i:street|st|road|rd|ave|avenue|lane|ln|drive|dr|blvd))"
    rb"\b.{0,120}"
)
_EASTERN_WHOLE: Final = re.compile(rb".{0,60}" + _CJK + rb"{2}.{0,60}")


def address_in(value: bytes) -> bool:
    """Tell whether a value beside the label of an address is a street's.

    Args:
        value: the value; ``+`` may stand for spaces.
    """
    if b" " not in value:
        value = value.replace(b"+", b" ")
    if not 5 <= len(value) <= 200 or not re.search(rb"[0-9]", value):  # noqa: PLR2004
        return False
    if _NO_POST.search(value):
        return False
    if _EASTERN_WHOLE.fullmatch(value):
        return True
    return b" " in value.strip() and _POSTAL.fullmatch(value) is not None
