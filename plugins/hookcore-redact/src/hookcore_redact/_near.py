"""Personal data that a label gives away: birth dates, passports, phones, tax numbers."""

from __future__ import annotations

import re
from typing import Final

from ._addresses import address_in
from ._labels import FoundValue
from ._spans import Span

__all__ = ["PERSONAL_CORES", "PersonalLabels"]

_PHONE: Final = (
    r"phone|telefon|t(?:\xc3\xa9|e)l(?:\xc3\xa9|e)fono|t(?:\xc3\xa9|e)l(?:\xc3\xa9|e)phone"
    r"|mobil|handy"
    r"|whatsapp|(?:\b|_)tel(?:\b|_)|(?:\b|_)cell|(?:\b|_)fax|celular|portable|gsm"
    r"|m(?:\xc3\xb3|o)vil"
    r"|cellulare|telemovel|puhelin|rufnummer|puh(?:\b|_)|\xe9\x9b\xbb\xe8\xa9\xb1"
    r"|\xe7\x94\xb5\xe8\xaf\x9d"
    r"|\xe6\x89\x8b\xe6\x9c\xba|\xe6\x90\xba\xe5\xb8\xaf|\xec\xa0\x84\xed\x99\x94"
    r"|\xd1\x82\xd0\xb5\xd0\xbb\xd0\xb5\xd1\x84\xd0\xbe\xd0\xbd|msisdn"
)
_BIRTH: Final = (
    r"(?:\b|_)dob(?:\b|_)|birth|(?:\b|_)born|geburt|geboren|naissance|nacimiento|nascimento|nascita"
    r"|geboorte|f(?:\xc3\xb6|o)delse|f(?:\xc3\xb8|o)dsel|syntym|urodz|naro(?:z|\xc5\xbe)en"
    r"|(?:\b|_)n\xc3\xa9e?"
    r"|do(?:g|\xc4\x9f)um|\xe7\x94\x9f\xe5\xb9\xb4\xe6\x9c\x88\xe6\x97\xa5|\xe5\x87\xba\xe7\x94\x9f"
    r"|\xe8\xaa\x95\xe7\x94\x9f|\xe7\x94\x9f\xe6\x97\xa5|\xec\x83\x9d\xeb\x85\x84|bday"
    r"|\xd1\x80\xd0\xbe\xd0\xb6\xd0\xb4\xd0\xb5\xd0\xbd"
)
_ID: Final = (
    r"(?:\b|_)ssn|social.?(?:security|insurance)|steuer.?(?:id|nr|nummer|ident)|(?:\b|_)idnr"
    r"|tax.{0,2}(?:id|no|number|payer)"
    r"|(?:\b|_)tin(?:\b|_)|(?:\b|_)itin|national.?(?:id|ins)|(?:\b|_)ni.?(?:no|number)"
    r"|nino(?:\b|_)|codice.?fiscale"
    r"|(?:\b|_)pan(?:\b|_|.?(?:no|num|card))|aadhaa?r|(?:\b|_)cpf|(?:\b|_)cnpj|(?:\b"
    r"|_)rg(?:\b|_)|(?:\b|_)nif|(?:\b|_)nie(?:\b|_)|(?:\b|_)dni"
    r"|(?:\b|_)bsn|burgerservice|(?:\b|_)pesel|(?:\b|_)personnummer|personal.?(?:id|identity"
    r"|number|code)"
    r"|(?:\b|_)cpr(?:\b|_)|f(?:\xc3\xb8|o)dselsnummer|henkil|(?:\b|_)hetu|rodn|(?:\b|_)ahv"
    r"|(?:\b|_)avs(?:\b|_)|sozialversicherung|(?:\b|_)svnr"
    r"|(?:\b|_)nir(?:\b|_)|s(?:\xc3\xa9|e)curit(?:\xc3\xa9|e).?sociale|num(?:\xc3\xa9"
    r"|e)ro.?fiscal|(?:\b|_)curp|(?:\b|_)rfc(?:\b|_)|(?:\b|_)rut(?:\b|_)|(?:\b|_)cuil|(?:\b|_)cuit"
    r"|(?:\b|_)nric|(?:\b|_)hkid|my.?number"
    r"|\xe3\x83\x9e\xe3\x82\xa4\xe3\x83\x8a\xe3\x83\xb3\xe3\x83\x90\xe3\x83\xbc"
    r"|\xe8\xba\xab\xe4\xbb\xbd\xe8\xaf\x81|\xe8\xba\xab\xe5\x88\x86\xe8\xaf\x81|(?:\b|_)tfn"
    r"|(?:\b|_)nhs|medicare|(?:\b|_)sin(?:\b|_)|(?:\b|_)pps|(?:\b|_)tckn"
    r"|kimlik|(?:\b|_)cnp(?:\b|_)|(?:\b|_)egn|(?:\b|_)oib|(?:\b|_)jmbg|(?:\b|_)afm(?:\b|_)"
    r"|identifica|(?:\b|_)inn(?:\b|_)|snils"
    r"|\xd0\xb8\xd0\xbd\xd0\xbd|\xd1\x81\xd0\xbd\xd0\xb8\xd0\xbb\xd1\x81|(?:\b|_)utr(?:\b|_)"
    r"|insurance.?(?:no|num)"
)
_PASSPORT: Final = (
    r"passport|reisepass|passeport|pasaporte|passaporto|passaporte|paszport|paspoort|pasaport"
    r"|ausweis|id.?card|identity.?card|driv(?:er|ing).{0,2}licen[cs]e|f(?:\xc3\xbc|ue?)hrerschein"
    r"|permis.?de.?conduire|\xe6\x97\x85\xe5\x88\xb8|\xe6\x8a\xa4\xe7\x85\xa7"
    r"|\xec\x97\xac\xea\xb6\x8c"
)
_MAC: Final = r"(?:\b|_)mac(?:\b|_)"
_CARD: Final = (
    r"card.?(?:no|num)|(?:\b|_)card|credit.?card|kreditkarte|tarjeta|kartennummer|carte.?bancaire"
)
_STREET: Final = (
    r"(?:\b|_)street|(?:\b|_)stra(?:\xc3\x9f|ss)e|addr(?:ess)?|(?:\b|_)line_?[12]|anschrift|adres|direcci"
    r"|indirizzo|endere(?:\xc3\xa7|c)|domicil|\xe4\xbd\x8f\xe6\x89\x80|\xe5\x9c\xb0\xe5\x9d\x80"
    r"|\xec\xa3\xbc\xec\x86\x8c"
)
_NO_STREET: Final = re.compile(
    r"(?i)(?:ip|mac|e-?mail|mail|web|wallet|memory|base|start|end|return|url|host|server|bind|listen|remote"
    r"|contract|bus|register|virtual|physical|target|network|local|peer|site|btc|eth)[ _-]?addr"
    r"|addr(?:ess)?[ _-]?(?:error|value|exception|space|book|family|type)"
)
_KINDS: Final = {
    "phone": _PHONE,
    "birth_date": _BIRTH,
    "national_id": _ID,
    "passport": _PASSPORT,
    "street_address": _STREET,
}
PERSONAL_CORES: Final = tuple(_KINDS.items())
"""The words that the labels of each kind contain."""

_NUMBER: Final = re.compile(rb"[ \t(]{0,3}(\(?\+?[0-9][0-9 ()./-]{5,18}[0-9])")
_MONTHS: Final = (
    rb"(?i:jan|feb|m(?:a|\xc3\xa4)r|apr|ma[iyr]|jun|jul|aug|sep|o[ck]t|nov|de[cz]|ene|abr|ago"
    rb"|dic|fev|avr|"
    rb"f(?:\xc3\xa9|e)v|ao(?:\xc3\xbb|u)|gen|giu|lug|set|ott|mag)[a-z\xc3\xa4\xa9\xbb]{0,8}\.?"
)
_DATE: Final = re.compile(
    rb"[ \t(]{0,3}((?:19|20)[0-9]{2}[-./][0-9]{1,2}[-./][0-9]{1,2}"
    rb"|[0-9]{1,2}[-./ ][0-9]{1,2}[-./ ](?:19|20)?[0-9]{2}"
    rb"|(?:19|20)[0-9]{2} ?\xe5\xb9\xb4 ?[0-9]{1,2} ?\xe6\x9c\x88 ?[0-9]{1,2} ?\xe6\x97\xa5"
    rb"|(?:19|20)[0-9]{2}\xeb\x85\x84 ?[0-9]{1,2}\xec\x9b\x94 ?[0-9]{1,2}\xec\x9d\xbc"
    rb"|[0-9]{1,2}(?:st|nd|rd|th|\.|er|\xc2\xba)?[ -](?:de |of |d')?"
    + _MONTHS
    + rb"(?:,? de|,)?[ -](?:19|20)?[0-9]{2}"
    rb"|" + _MONTHS + rb" [0-9]{1,2}(?:st|nd|rd|th)?,? (?:19|20)[0-9]{2}|(?:19|20)[0-9]{6}"
    rb"|[0-3][0-9][01][0-9](?:19|20)[0-9]{2})"
    rb"(?![0-9])"
)
_ALNUM: Final = re.compile(rb"[ \t]{0,3}([A-Za-z0-9](?:[ ./-]?[A-Za-z0-9]){4,22})(?![A-Za-z0-9])")
_ID_PART: Final = re.compile(
    rb"[A-Za-z]{0,6}[0-9][A-Za-z0-9./-]*|[A-Za-z]{1,2}(?![A-Za-z])|[A-Z]{3,6}"
)
_LEAST_DIGITS: Final = 4
_LEAST_PHONE: Final = 7
_WORD: Final = re.compile(rb"[A-Za-z]{4,}$")


class PersonalLabels:
    """Judges values beside labels of one kind.

    Args:
        kind: the kind.
        core: what its labels contain.
    """

    def __init__(self, kind: str, core: str) -> None:
        self._kind = kind
        self._core = re.compile(f"(?i:{core})".encode("latin-1"))
        self.cores = core
        self._read = {"phone": _phone, "birth_date": _date, "passport": _passport}.get(
            kind, _number
        )

    def names(self, name: str) -> bool:
        """Tell whether a name is a label of the kind."""
        return self._core.search(name.encode("utf-8", "replace")) is not None

    def judge(self, data: bytes, found: FoundValue) -> Span | None:
        """Return the value beside a label, None when it is none of the kind."""
        if found.loose:
            return None
        if self._kind == "street_address":
            return _street(data, found)
        if found.quoted:
            place = self._read(data[: found.end], found.start)
        else:
            place = self._read(data, found.start)
        if place is None:
            return None
        kind = self._kind
        if kind == "national_id" and re.search(r"(?i)(?:^|_|\b)ssn|social", found.name):
            kind = "us_ssn"
        return Span(*place, kind)


_SENTENCE: Final = re.compile(rb"[a-z]")
_REST: Final = re.compile(rb"[^\n\t;|<>\"{}\\]{1,200}")


def _street(data: bytes, found: FoundValue) -> Span | None:
    """Return the address beside a label: the rest of the line, where it stands in no quotes."""
    if _NO_STREET.search(found.name):
        return None
    start, end = found.start, found.end
    if not found.quoted and _SENTENCE.match(data, start):
        return None
    if not found.quoted and (rest := _REST.match(data, start)) is not None:
        value = rest[0].partition(b"&")[0].partition(b"  ")[0].rstrip(b" .,)")
        end = start + len(value)
    return Span(start, end, "street_address") if address_in(data[start:end]) else None


def _phone(data: bytes, at: int) -> tuple[int, int] | None:
    match = _NUMBER.match(data, at, at + 40)
    if match is None or sum(48 <= byte <= 57 for byte in match[1]) < _LEAST_PHONE:  # noqa: PLR2004
        return None
    return match.span(1)


def _date(data: bytes, at: int) -> tuple[int, int] | None:
    match = _DATE.match(data, at, at + 48)
    return None if match is None else match.span(1)


def _number(data: bytes, at: int) -> tuple[int, int] | None:
    match = _ALNUM.match(data, at, at + 48)
    if match is None:
        return None
    start, end = match.span(1)
    at = start
    # Words that follow belong to the sentence.
    while at < end:
        part = _ID_PART.match(data, at, end)
        if part is None:
            break
        at = part.end()
        if at < end and data[at : at + 1] == b" ":
            at += 1
    end = min(at, end)
    while end > start and data[end - 1] in b" .-/":
        end -= 1
    digits = sum(48 <= byte <= 57 for byte in data[start:end])  # noqa: PLR2004
    return (start, end) if digits >= _LEAST_DIGITS else None


_DOCUMENT: Final = re.compile(rb"[ \t]{0,3}((?=[A-Z]{0,8}[0-9])[A-Z0-9]{7,14})(?![A-Za-z0-9])")


def _passport(data: bytes, at: int) -> tuple[int, int] | None:
    match = _DOCUMENT.match(data, at, at + 24)
    return _number(data, at) if match is None else match.span(1)
