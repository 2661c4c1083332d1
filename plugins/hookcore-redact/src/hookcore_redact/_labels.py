"""Values that a label beside them gives away: ``DB_PASSWORD=...``, ``"token": "..."``."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Final, NamedTuple

from hookcore import SecretMeaning, secret_meaning

from ._regex import compile_bytes
from ._spans import Span
from ._values import is_secret_value

__all__ = ["FoundValue", "LabelDetector", "SecretLabels", "own_labels"]

_CORES: Final = (
    r"pass(?:wor[dt]e?s?|w(?:d|rd)|code|phrase|key|e)?|pwd|pswd?|(?:\b|_)(?:pw|mdp|pat|dsn"
    r"|[th]?otp|pin|puk|sig|cv[vc]2?|psk)[0-9]*(?:\b|_)|kennwort|senha"
    r"|[a-z](?-i:P(?:at|AT|in|w)|Otp|Dsn|Sig)(?:\b|_)"
    r"|contrase(?:\xc3\xb1|n|n\xcc\x83)as?|wachtwoord|l(?:\xc3[\xb6\x96]|o)senord"
    r"|adgangskode|salasana"
    r"|has(?:\xc5[\x81\x82]|l)o|heslo|jelsz|parol|lozinka|(?:\xc5[\x9e\x9f]|s)ifre|sandi|secreto?s?"
    r"|\xd0[\xbf\x9f]\xd0\xb0\xd1\x80\xd0\xbe\xd0\xbb\xd1\x8c|\xe5\xaf\x86[\xe7][\xa0\xa2]\x81"
    r"|\xe5\xaf\x86(?:\xe7\xa0\x81|\xe7\xa2\xbc|\xe9\x92\xa5|\xe9\x91\xb0)|\xe5\x8f\xa3\xe4\xbb\xa4"
    r"|\xe3\x83\x91\xe3\x82\xb9\xe3\x83\xaf\xe3\x83\xbc\xe3\x83\x89"
    r"|\xe6\x9a\x97\xe8\xa8\xbc\xe7\x95\xaa\xe5\x8f\xb7"
    r"|\xe3\x83\x88\xe3\x83\xbc\xe3\x82\xaf\xe3\x83\xb3"
    r"|\xeb\xb9\x84\xeb\xb0\x80\xeb\xb2\x88\xed\x98\xb8|\xec\x95\x94\xed\x98\xb8"
    r"|tokens?|keys?|auth(?:orization)?|credentials?|creds?|jwt|salt|seed"
    r"|mnemonic|signature|bearer"
    r"|schl(?:\xc3\xbc|ue?)ssel|clave|chave|chiave|cl(?:\xc3\xa9|e)|jeton|sleutel|nyckel"
)
_JOIN: Final = rb"(?:[\\\"'`*\]})]{0,8})"
_ASSIGN: Final = (
    _JOIN + rb"[ \t]{0,8}(?:: ?(?i:str|string|&str|text|varchar|any|const char ?\*)\b ?=(?:[^=]|$)?"
    rb"|=>|:=|={1,3}|:|->|\xef\xbc\x9a|\xe2\x86\x92)[ \t*]{0,12}"
)
_PAIR: Final = (
    rb"\\*[\"'`][ \t]{0,4},(?:\s|\\n){0,24}(?:\\*[\"']?(?i:value|val"
    rb"|secret)\\*[\"']?[ \t]*[:=][ \t]*)?"
)
_ATTRIBUTE: Final = (
    rb"\\*[\"'](?:[ \t]+[a-zA-Z-]+=\\*[\"'][^\"'<>]{0,40}\\*[\"']){0,4}[ \t]+(?i:value|content)="
)
_CELL: Final = (
    rb"[`*\"']{0,3}(?:</[a-z]{1,8}>){1,3}(?:\s|\\n|:){0,24}(?:<[a-z]{1,8}[^<>]{0,60}>){1,3}(?:\s"
    rb"|\\n){0,8}"
)
_TABLE: Final = rb"[`*]{0,3}[ \t]{0,40}\|[ \t*]{0,12}"
_BELOW: Final = rb"[\"']?[ \t]*(?:\r?\n|\\n)[ \t]*(?:- )?(?i:value|content)[\"']?:[ \t]*"
_TAG: Final = rb"[\"']?>\s{0,12}"
_CALL: Final = rb"\((?:\s|\\n){0,12}\\*[\"'`]"
_SEPARATOR: Final = (
    b"(?:" + b"|".join((_BELOW, _ATTRIBUTE, _PAIR, _ASSIGN, _CELL, _TABLE, _TAG, _CALL)) + b")"
)
_NUMBER: Final = rb"(?:[ ](?i:no|nr|num|number|numbers|nummer|n[\xc2]?[\xb0\xba]|id|code)\b\.?)?"
_TAIL: Final = rb"[A-Za-z0-9_-]{0,24}\.?" + _NUMBER
_HINT_TAIL: Final = (
    rb"[A-Za-z0-9_-]*\.?"
    + _NUMBER
    + rb"(?:[\\\"'`*\]})]*[ \t]*[:=<>,|(\n\r\\-]|\xef\xbc\x9a|[ ]\xe2\x86"
    rb"|\\*[\"'][ \t]+[A-Za-z-]+=)"
)
_WORDS: Final = rb"[ \t]+(?i:am|on|is|le|el|ist|es|was)[ \t]+"
_FLAG: Final = (
    rb"(?:^|[\s\"'\[,])(?:--?|(?:set|setx|setenv|put|ENV|ARG)[ \t]+)[A-Za-z0-9_.-]*"
    rb"(?i:%s)[A-Za-z0-9_-]*(?:[ \t]+|\\*[\"'],[ \t]*)"
)

_NAME_BEFORE: Final = re.compile(rb"[A-Za-z0-9_.\-\x80-\xff]{1,48}$")
_WORD_BEFORE: Final = re.compile(rb"([A-Za-z\x80-\xff]{1,24})[ -]$")
_OPEN: Final = re.compile(
    rb"(\\{0,15})([\"'`])|\xc2\xab|\xe2\x80[\x9c\x9e\x98]|\xe3\x80\x8c|<!\[CDATA\["
)
_CLOSERS: Final = {
    b"\xc2\xab": b"\xc2\xbb",
    b"\xe2\x80\x9c": b"\xe2\x80\x9d",
    b"\xe2\x80\x9e": b"\xe2\x80\x9c",
    b"\xe2\x80\x98": b"\xe2\x80\x99",
    b"\xe3\x80\x8c": b"\xe3\x80\x8d",
    b"<![CDATA[": b"]]>",
}
_BARE: Final = re.compile(rb"[^\s\"'`<>\\|]{1,2048}")
_BARE_END: Final = re.compile(
    rb"\xe3\x80[\x81\x82\x8d]|\xef\xbc\x8c|\xef\xbd\xa1|&(?=[\w.%\[\]-]{1,40}=)|&amp;"
    rb"|[;,](?=[\w. -]{1,40}[=:]|$)"
)
_MOST: Final = 4096
_AROUND_NAME: Final = b" \t\r\n\"'[,-\\"
_TRAILING: Final = b",;.)]}:"


class FoundValue(NamedTuple):
    """A label and the value beside it."""

    name: str
    start: int
    end: int
    quoted: bool
    separator: bytes
    """The text between label and value, without the opening quote."""
    loose: bool
    """True when more than the label's own mark tells that the two belong together."""


Judge = Callable[[bytes, FoundValue], "Span | None"]


def own_labels(labels: Iterable[str]) -> str:
    """Return an expression that matches an operator's own labels, however they are joined."""
    parts = []
    for label in labels:
        words = re.findall(r"[A-Za-z0-9]+|[^\x00-\x7f]+", label)
        spelled = (re.escape(word.encode()).decode("latin-1") for word in words)
        parts.append(r"[ _.-]?".join(spelled))
    return "|".join(part for part in parts if part)


class LabelDetector:
    """Finds labels, reads what stands beside each, and asks a judge what it is.

    Args:
        cores: an expression of what each label contains.
        judge: says what a value is, None when it is nothing.
        words: whether a word may stand between the two: ``born on 2001-02-03``.
    """

    crowd = "labels"

    def __init__(self, cores: str, judge: Judge, *, words: bool = False) -> None:
        self._judge = judge
        core = b"(?i:" + cores.encode("latin-1") + b")"
        separator = _SEPARATOR + b"|" + _WORDS if words else _SEPARATOR
        tail = b"(?:" + _HINT_TAIL + b"|" + _TAIL + _WORDS + b")" if words else _HINT_TAIL
        self.hints: tuple[bytes, ...] = (core + tail, _FLAG % cores.encode("latin-1"))
        self._label = compile_bytes(b"(" + core + _TAIL + b")(" + separator + b")")
        self._flag = compile_bytes(_FLAG % cores.encode("latin-1"))

    def find(self, data: bytes) -> Iterator[Span]:
        """Yield what is found."""
        for match in self._label.all(data):
            start, end = match.span(1)
            found = _beside(data, start, end, match.end())
            if found is not None and (span := self._judge(data, found)) is not None:
                yield span
        for match in self._flag.all(data):
            begin, end = match.span()
            name = data[begin:end].strip(_AROUND_NAME).decode("utf-8", "replace")
            place = _value_at(data, end)
            if place is not None:
                found = FoundValue(name.rpartition(" ")[2], *place, b" ", loose=False)
                if (span := self._judge(data, found)) is not None:
                    yield span


def _beside(  # noqa: PLR0911 - one answer for each case
    data: bytes, start: int, end: int, at: int
) -> FoundValue | None:
    """Return the value beside a label whose core begins at ``start``."""
    separator = data[end:at]
    before = _NAME_BEFORE.search(data, max(0, start - 48), start)
    first = start if before is None else before.start()
    if data[first - 1 : first] == b"[" and separator[:1] == b"]" and first:
        return None  # a placeholder of ours
    name = data[first:end].decode("utf-8", "replace")
    word = _WORD_BEFORE.search(data, max(0, first - 25), first)
    if word is not None:
        name = f"{word[1].decode('utf-8', 'replace')} {name}"
    mark = separator.lstrip(b"\\\"'`*]}) \t")[:1]
    ahead = data[first - 1 : first]
    if mark == b">" and separator.lstrip(b"\"'")[:1] == b">" and ahead not in b"<:\"'=/":
        return None
    if mark == b"|" and b"|" not in data[max(0, first - 60) : first].rpartition(b"\n")[2]:
        return None
    if separator[:1] == b"(":
        if not _SETTER.search(name):
            return None
        at = end + len(separator.rstrip(b"\\\"'`"))  # the quote belongs to the value
    place = _value_at(data, at)
    if place is None:
        return None
    pair = mark == b","
    if pair and not place[2]:
        return None
    loose = (
        pair
        and not _is_call(data, first, place[1])
        and not re.search(rb"(?i)val|secret", separator)
    )
    return FoundValue(name, *place, separator, loose)


_SETTER: Final = re.compile(r"(?i:(?:^|[._ -])(?:set|with)_?[A-Z])")


def _is_call(data: bytes, first: int, end: int) -> bool:
    """Tell whether two texts are a function's arguments or a pair, and not some of a list."""
    opening = data[max(0, first - 6) : first].rstrip(b"\"'`\\ \t")[-1:]
    closing = data[end : end + 8].lstrip(b"\"'`\\ \t")[:1]
    return opening in (b"(", b"[") and closing in (b")", b"]", b",") and opening + closing != b"[,"


def _value_at(data: bytes, at: int) -> tuple[int, int, bool] | None:
    """Return where a value begins and ends, and whether it stood in quotes."""
    opening = _OPEN.match(data, at)
    if opening is None:
        return _bare_at(data, at)
    start = opening.end()
    if opening[2] is None:
        end = data.find(_CLOSERS[opening[0]], start, start + _MOST)
    else:
        end = _closing(data, start, opening[1], opening[2])
    if end > start and b"\n" not in data[start:end]:
        return start, end, True
    return _bare_at(data, start)


def _closing(data: bytes, start: int, escapes: bytes, quote: bytes) -> int:
    """Return where a quoted value ends: at the same quote, escaped as often as the first."""
    at = start
    limit = min(len(data), start + _MOST)
    while (found := data.find(quote, at, limit)) >= 0:
        before = found
        while before > start and data[before - 1 : before] == b"\\":
            before -= 1
        if found - before <= len(escapes):
            return before
        at = found + 1
    return -1


def _bare_at(data: bytes, at: int) -> tuple[int, int, bool] | None:
    run = _BARE.match(data, at)
    if run is None:
        return None
    end = run.end()
    stop = _BARE_END.search(data, at, end)
    if stop is not None:
        end = stop.start()
    while end > at and data[end - 1] in _TRAILING:
        end -= 1
    if data[run.end() : run.end() + 1] == b"\\" and data[run.end() + 1 : run.end() + 2] not in (
        b"n", b"r", b"t", b'"', b"'", b"",
    ):  # fmt: skip
        more = re.compile(rb"[^\s\"'`<>|]{1,512}").match(data, at)
        end = end if more is None else more.end()
    return (at, end, False) if end > at else None


_ENV: Final = re.compile(r"^[A-Z][A-Z0-9_.]*$")


class SecretLabels:
    """Judges values beside labels that promise a secret.

    Args:
        kinds: the kinds that are looked for.
        labels: an operator's own labels.
    """

    def __init__(self, kinds: frozenset[str], labels: Iterable[str]) -> None:
        self._kinds = kinds
        own = own_labels(labels)
        self._own = re.compile(f"(?i:{own})") if own else None
        self.cores = f"{own}|{_CORES}" if own else _CORES

    def meaning(self, name: str) -> tuple[SecretMeaning, str] | None:
        """Return what a name says of its value, and the kind that this makes it."""
        latin = name.encode("utf-8", "replace").decode("latin-1")
        if self._own is not None and self._own.search(latin):
            return self._wanted("password", "labelled_key")
        meaning = secret_meaning(name) or secret_meaning(name.rpartition(" ")[2])
        if meaning is None or (" " in name and secret_meaning(name) is None and "key" in name):
            return None
        return self._wanted(meaning, "labelled_key" if meaning == "key" else "password")

    def _wanted(self, meaning: SecretMeaning, kind: str) -> tuple[SecretMeaning, str] | None:
        return (meaning, kind) if kind in self._kinds else None

    def of_value(self, name: str, value: str) -> str | None:
        """Return the kind of a whole value by its name, None when it is no secret."""
        told = self.meaning(name)
        if told is None or not is_secret_value(value, told[0], quoted=True):
            return None
        return told[1]

    def judge(self, data: bytes, found: FoundValue) -> Span | None:
        """Return the secret beside a label, None when there is none."""
        told = self.meaning(found.name)
        if told is None:
            return None
        value = data[found.start : found.end].decode("utf-8", "replace")
        following = data[found.end : found.end + 1]
        if not found.quoted and following in (b"(", b"[", b"{"):
            return None
        assigned = found.separator.strip(b" \t")
        if assigned.startswith(b"==") and not found.quoted and told[0] == "key":
            return None
        strict = found.loose or (assigned.startswith(b"==") and not found.quoted)
        if is_secret_value(value, told[0], quoted=found.quoted, strict=strict):
            return Span(found.start, found.end, told[1])
        if told[0] == "password" and not found.quoted and self._is_setting(data, found, value):
            return Span(found.start, found.end, told[1])
        return None

    @staticmethod
    def _is_setting(data: bytes, found: FoundValue, value: str) -> bool:
        """Tell whether a plain word is a value all the same: ``DB_PASSWORD=hunter``."""
        alone = data[found.end : found.end + 1] in (b"", b"\n", b"\r", b"&")
        if not alone or found.separator != b"=" or not _ENV.match(found.name):
            return False
        return is_secret_value(value, "password", quoted=True) and value.isalpha()
