"""The spellings of a name, and the plain forms that make them one."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from typing import Final

from ..later import hashlib

__all__ = ["bare", "joined", "name_forms", "pieces", "sanitize_tool_name"]

_CAMEL_BOUNDARY: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_NOT_WORD: Final = re.compile(r"[^a-z0-9]+")
_NOT_WORD_IN_ANY_SCRIPT: Final = re.compile(r"[\W_]+")
_ENDS_IN_CAPITALS: Final = re.compile(r"[A-Z]{2}\Z")
_PLAIN: Final = re.compile(r"[a-z0-9]+(?:_[a-z0-9]+)*")
_FILLERS: Final = frozenset("\u115f\u1160\u3164\uffa0")
"""Letters that are drawn as nothing."""
_LOOKALIKES: Final = str.maketrans(
    # Cyrillic, Greek, Armenian, and Latin letters of other alphabets, folded.
    "авеѕіјкмнорстухһԁԛԝαβεζηικμνορτυχօսցհɑɡɩᴀʙᴄᴅᴇꜰɢʜᴊᴋʟᴍɴᴏᴘʀꜱᴛᴜᴠᴡʏᴢ",
    "abesijkmhopctyxhdqwabezhikmvoptuxosghagiabcdefghjklmnoprstuvwyz",
)
"""Letters of other scripts that are drawn as Latin ones, small or as capitals."""
_SHORT: Final = 64


def sanitize_tool_name(name: str, max_length: int | None = _SHORT) -> str:
    """Return the name in the plain form that tools are compared in: ``Delete File`` is delete_file.

    Compatibility forms are unified (NFKD) and reduced to ASCII, camel case is split, the rest is
    lower-cased, and all but letters and digits becomes ``_``. A longer name is cut and ends in
    eight digits of its SHA-256, so that two long names stay two names. The rules are those of
    CrewAI 1.15, so that filters mean the same there.

    Args:
        name: the name.
        max_length: the most characters of the result; None for no limit.
    """
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode("ascii")
    plain = _NOT_WORD.sub("_", _CAMEL_BOUNDARY.sub("_", plain).lower()).strip("_")
    if max_length is None or len(plain) <= max_length:
        return plain
    digest = hashlib.sha256(plain.encode()).hexdigest()[:8]
    return f"{plain[: max_length - 9].rstrip('_')}_{digest}"


def name_forms(name: str) -> tuple[str, ...]:
    """Return what a name is compared as: first as it is written, then in its plain forms.

    Those are: sanitised (:func:`sanitize_tool_name`), also without being cut; the same with camel
    case not split, for names whose case means nothing (``DeLeTe_FiLe``); both with the letters of
    other scripts kept, or as the Latin ones that they are drawn as; and each with the separators
    around it, where it has some.

    Args:
        name: a tool's or agent's name.
    """
    if len(name) <= _SHORT and _PLAIN.fullmatch(name):
        return (name,)
    forms = [name, sanitize_tool_name(name), sanitize_tool_name(name, None)]
    seen = bare(name)
    for text in dict.fromkeys((seen, seen.encode("ascii", "ignore").decode())):
        parts = list(pieces(text))
        for joint in ("_", ""):
            plain = joined(joint.join(parts))
            forms += [stripped, plain] if (stripped := plain.strip("_")) else []
    return tuple(dict.fromkeys((name, *filter(None, forms))))


def bare(text: str) -> str:
    """Return a text without accents, marks and what cannot be seen, in its simplest characters."""
    if text.isascii():
        return text
    return "".join(char for char in unicodedata.normalize("NFKD", text) if not _is_unseen(char))


def _is_unseen(char: str) -> bool:
    return unicodedata.category(char) in ("Mn", "Me", "Cf") or char in _FILLERS


def pieces(text: str, *, is_open: bool = False) -> Iterator[str]:
    """Yield what camel case parts, folded.

    Args:
        text: a name, or a part of a pattern, bare.
        is_open: whether something unknown follows, so that the last capital may begin a word.
    """
    shape = text if text.isascii() else "".join(map(_shape, text))
    borders = [found.start() for found in _CAMEL_BOUNDARY.finditer(shape)]
    if is_open and _ENDS_IN_CAPITALS.search(shape):
        borders.append(len(text) - 1)
    for start, end in zip([0, *borders], [*borders, len(text)], strict=True):
        yield _folded(text[start:end])


def _shape(char: str) -> str:
    return "A" if char.isupper() else "a" if char.isalnum() else "_"


def _folded(text: str) -> str:
    # By way of the capitals, since some letters share theirs: the dotless i and the long s.
    if text.isascii():
        return text.lower()
    return bare(text.upper().casefold()).translate(_LOOKALIKES)


def joined(text: str) -> str:
    """Return a folded text with one ``_`` for each run of what is no letter and no digit."""
    return (_NOT_WORD if text.isascii() else _NOT_WORD_IN_ANY_SCRIPT).sub("_", text)
