"""Arguments without credentials, personal data and images."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any, Final

from hookcore import Told, told_by
from hookcore_redact import Redact, RedactSettings

from ._plain import compact
from ._texts import HIDDEN, without_secrets

__all__ = ["Scrubber"]

_LONGEST_JSON: Final = 256 * 1024
_START: Final = re.compile(r"[\s\ufeff]*(?=[\[{])")
_BETWEEN: Final = re.compile(r"\s*")
_NAMES: Final = ("name", "key", "header")
_OPTION: Final = re.compile(r"--?[\w.-]+")
_MEDIA: Final = re.compile(r"(?:image|audio|video)/", re.IGNORECASE)
_MEDIA_TYPES: Final = frozenset(("mediatype", "mimetype", "contenttype"))


class Scrubber:
    """Takes out what must not leave: by kind (``hookcore-redact``), by key, and inline images.

    Args:
        kinds: the kinds of ``hookcore-redact`` that are replaced by placeholders.

    Raises:
        pydantic.ValidationError: there is no such kind.
    """

    def __init__(self, kinds: Sequence[str]) -> None:
        self._redact = Redact(RedactSettings(kinds=list(kinds), placeholders="fixed"))

    def scrub(self, value: Any) -> Any:
        """Return a plain value without them; structure and keys stay.

        Args:
            value: dicts, lists and atoms; nothing is edited in place.
        """
        return self._redact.redact(_without_credentials(value))


def _without_credentials(value: Any) -> Any:
    if isinstance(value, dict):
        return _without_credentials_in(value)
    if isinstance(value, list):
        return list(_items(value))
    return _text(value) if isinstance(value, str) else value


def _without_credentials_in(table: dict[str, Any]) -> dict[str, Any]:
    named = _named(table)
    image = _is_image(table)
    return {
        key: _as_told(named if key.lower() in ("value", "values") else told_by(key), item)
        if not (image and key == "data" and isinstance(item, str))
        else f"[{len(item)} CHARACTERS]"
        for key, item in table.items()
    }


def _named(table: dict[str, Any]) -> Told:
    """Tell what a table says of its ``value``, as ``{"name": "Authorization", "value": ...}``."""
    said = (item for key, item in table.items() if key.lower() in _NAMES and isinstance(item, str))
    return max(map(told_by, said), key=list(Told).index, default=Told.NOTHING)


def _is_image(table: dict[str, Any]) -> bool:
    return any(
        isinstance(item, str)
        and key.lower().replace("_", "") in _MEDIA_TYPES
        and _MEDIA.match(item) is not None
        for key, item in table.items()
    )


def _items(values: list[Any]) -> Iterator[Any]:
    told = Told.NOTHING
    for item in values:
        if isinstance(item, list) and len(item) == 2 and isinstance(item[0], str):  # noqa: PLR2004
            yield [_text(item[0]), _as_told(told_by(item[0]), item[1])]
        else:
            yield _as_told(told, item)
        # As in a command's arguments: ["--password", "..."].
        is_option = isinstance(item, str) and _OPTION.fullmatch(item) is not None
        told = told_by(item) if is_option else Told.NOTHING


def _as_told(told: Told, value: Any) -> Any:
    return _without_credentials(value) if told is Told.NOTHING else _hidden(told, value)


def _hidden(told: Told, value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _hidden(told, item) for key, item in value.items()}
    if isinstance(value, list):
        return [_hidden(told, item) for item in value]
    counts = told is Told.TEXT and isinstance(value, int | float)
    return value if counts or value in (None, "") or isinstance(value, bool) else HIDDEN


def _text(text: str) -> str:
    start = _START.match(text)
    if start is None or len(text) > _LONGEST_JSON:
        return without_secrets(text)
    try:
        pieces = list(_json_pieces(text, start.end()))
    except (ValueError, RecursionError):
        # Whatever it is, it is not told by its structure.
        return without_secrets(text)
    return text[: start.end()] + "".join(pieces)


def _json_pieces(text: str, at: int) -> Iterator[str]:
    """Yield JSON's values, one or a line of them each, and what stands between them."""
    while at < len(text):
        value, end = _DECODER.raw_decode(text, at)
        changed = _without_credentials(value)
        yield text[at:end] if changed == value else compact(changed)
        between = _BETWEEN.match(text, end)
        at = end if between is None else between.end()
        yield text[end:at]


def _table(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    table = dict(pairs)
    if len(table) < len(pairs):
        raise ValueError("a key stands there twice, and only one of its values would be seen")
    return table


_DECODER: Final = json.JSONDecoder(object_pairs_hook=_table)
