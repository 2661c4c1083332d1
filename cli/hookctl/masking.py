"""Plugins' settings as they may be shown: without the secrets in them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from hookcore import Told, told_by
from hookcore.config.references import is_reference

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

__all__ = ["MASK", "masked"]

MASK = "********"

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_NAMING = frozenset(("field", "header", "key", "name", "option", "variable"))
_VALUES = frozenset(("value", "values"))
_OPTION = re.compile(r"--?[A-Za-z][\w.-]*")
_URL_WORDS = frozenset(("dsn", "endpoint", "hook", "uri", "url", "webhook"))
_SHAPES = re.compile(
    r"whsec_[A-Za-z0-9+/=_-]+|\bsk-[A-Za-z0-9_-]{16,}|(?<=://)[^\s/?#@]+(?=@)"
    r"|(?i:(?<=bearer )|(?<=basic )|(?<=hooks\.slack\.com/services/)|(?<=/webhooks/))[^\s\"'&;,]+"
)
"""Secrets that tell what they are, or by where they stand."""
_NAMED = re.compile(r"([\w.-]{2,64})[\"']?(?:\s?[=:]\s?|\s*=>\s*)")
"""A name and what parts it from its value, as in ``password=x`` and ``Authorization: Basic x``."""
_VALUE = re.compile(
    r"(?:(?:bearer|basic|digest|negotiate|token)\s+)?[\"']?([^\s\"'&;,]+)", re.IGNORECASE
)
_NESTED = 20


def masked(
    path: Sequence[str],
    value: Any,
    schema: Mapping[str, Any] | None,
    beside: Mapping[str, Any] | None = None,
) -> Any:
    """Return the value of a plugin's option as it may be shown.

    Hidden are the values that the schema marks as passwords or as never to be read, those of names
    that tell of a secret (:func:`hookcore.is_telling_name`), as keys, in pairs, in options and in
    texts, and what looks like one. Where no schema tells what a URL is, its path and query are
    hidden too: in a webhook's they are the secret.

    Args:
        path: the option's keys, from the plugin's table on.
        value: what it is set to.
        schema: the JSON Schema of the plugin's settings, if it is known.
        beside: the table that the option stands in, which may name what its ``value`` is.
    """
    if not path or path[0] != "settings" or is_reference(value):
        return value
    if len(path) == 1:  # what should be a table can be anything
        return value if value == {} else _hidden(value)
    nodes = [schema] if schema is not None else []
    for key in path[1:-1]:
        nodes = list(_inside(nodes, key, schema))
    told = [said for key in path[1:-1] if (said := told_by(key)) is not Told.NOTHING]
    if told:
        return _hidden(value, counts=all(said is Told.TEXT for said in told))
    return _masked(path[-1], value, list(_inside(nodes, path[-1], schema)), schema, beside or {})


def _masked(
    key: str,
    value: Any,
    nodes: list[Mapping[str, Any]],
    schema: Mapping[str, Any] | None,
    beside: Mapping[str, Any],
) -> Any:
    if any(node.get("writeOnly") is True or node.get("format") == "password" for node in nodes):
        return _hidden(value)
    told = _told(key, beside)
    if told is not Told.NOTHING:
        return _hidden(value, counts=told is Told.TEXT)
    if isinstance(value, dict):
        return {
            name: _masked(name, item, list(_inside(nodes, name, schema)), schema, value)
            for name, item in value.items()
        }
    if isinstance(value, list | tuple):
        items = list(_items(nodes, schema))
        before = [_said_by_option(item) for item in (None, *value)]
        return [
            _hidden(item, counts=said is Told.TEXT)
            if said is not Told.NOTHING
            else _of_pair(item) or _masked(key, item, items, schema, {})
            for item, said in zip(value, before, strict=False)
        ]
    return _text(key, value, known=bool(nodes)) if isinstance(value, str) else value


def _told(key: str, beside: Mapping[str, Any]) -> Told:
    """Tell what a key says of its value, or, of a ``value``, the name that stands beside it."""
    if key.lower() not in _VALUES:
        return told_by(key)
    names = (item for name, item in beside.items() if name.lower() in _NAMING)
    said = [told_by(name) for name in names if isinstance(name, str)]
    return max(said, key=list(Told).index, default=Told.NOTHING)


def _said_by_option(item: Any) -> Told:
    is_option = isinstance(item, str) and _OPTION.fullmatch(item) is not None
    return told_by(item) if is_option else Told.NOTHING


def _of_pair(item: Any) -> list[Any] | None:
    """Return a telling name and its value, as in ``["Authorization", "x"]``, if it is such."""
    is_pair = isinstance(item, list | tuple) and len(item) == 2  # noqa: PLR2004 - a pair is two
    if not is_pair or not isinstance(item[0], str):
        return None
    said = told_by(item[0])
    return None if said is Told.NOTHING else [item[0], _hidden(item[1], counts=said is Told.TEXT)]


def _hidden(value: Any, *, counts: bool = False) -> Any:
    if is_reference(value):  # where a secret is, and not what
        return value
    if isinstance(value, dict):
        return {key: _hidden(item, counts=counts) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_hidden(item, counts=counts) for item in value]
    stays = value is None or isinstance(value, bool) or (counts and isinstance(value, int | float))
    return value if stays else MASK


def _words(key: str) -> Iterator[str]:
    for word in _WORD.findall(key):
        yield word.lower().removesuffix("s")


def _text(key: str, text: str, *, known: bool) -> str:
    if is_reference(text):
        return text
    text = _SHAPES.sub(MASK, _without_named(text))
    if known or "://" not in text or not _URL_WORDS.intersection(_words(key)):
        return text
    try:
        parts = urlsplit(text)
    except ValueError:
        return MASK
    if parts.path.strip("/") or parts.query or parts.fragment:
        return f"{parts.scheme}://{parts.netloc}/{MASK}"
    return text


def _without_named(text: str) -> str:
    """Return a text without the values of names that tell of a secret."""
    pieces, done, at = [], 0, 0
    while (named := _NAMED.search(text, at)) is not None:
        at = named.end()
        said = told_by(named[1])
        value = _VALUE.match(text, at) if said is not Told.NOTHING else None
        if value is not None and not (said is Told.TEXT and value[1].isdecimal()):
            pieces += [text[done:at], MASK]
            done = at = value.end()
    return "".join([*pieces, text[done:]])


def _inside(
    nodes: Sequence[Mapping[str, Any]], key: str, schema: Mapping[str, Any] | None
) -> Iterator[Mapping[str, Any]]:
    """Yield what the schema says of a key of a table."""
    for node in _alternatives(nodes, schema):
        properties = node.get("properties")
        if isinstance(properties, dict) and key in properties:
            yield from _alternatives([properties[key]], schema)
        else:
            yield from _alternatives([node.get("additionalProperties")], schema)


def _items(
    nodes: Sequence[Mapping[str, Any]], schema: Mapping[str, Any] | None
) -> Iterator[Mapping[str, Any]]:
    """Yield what the schema says of the items of a list."""
    for node in _alternatives(nodes, schema):
        prefix = node.get("prefixItems")
        found = [node.get("items"), *(prefix if isinstance(prefix, list) else ())]
        yield from _alternatives(found, schema)


def _alternatives(
    nodes: Sequence[Any], schema: Mapping[str, Any] | None, depth: int = 0
) -> Iterator[Mapping[str, Any]]:
    """Yield schemas, those that they refer to, and those that they are made of."""
    for node in nodes:
        if not isinstance(node, dict) or depth > _NESTED:
            continue
        yield node
        name = str(node.get("$ref", "")).removeprefix("#/$defs/")
        definitions = (schema or {}).get("$defs")
        parts = [definitions.get(name)] if isinstance(definitions, dict) else []
        for kind in ("anyOf", "oneOf", "allOf"):
            more = node.get(kind)
            parts += more if isinstance(more, list) else []
        yield from _alternatives(parts, schema, depth + 1)
