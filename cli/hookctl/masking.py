"""Plugins' settings as they may be shown: without the secrets in them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

__all__ = ["MASK", "masked"]

MASK = "********"

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_SECRET = frozenset((
    "apikey", "auth", "authorization", "bearer", "cookie", "credential", "jwt", "pass",
    "passphrase", "passwd", "password", "pin", "pwd", "secret", "token", "whsec",
))  # fmt: skip
_COUNTED = frozenset(("auth", "pass", "token"))
"""Words that also stand in the names of counts and switches."""
_OPENS = frozenset((
    "access", "account", "admin", "api", "app", "client", "encryption", "hash", "hmac",
    "license", "master", "private", "secret", "service", "shared", "sign", "signing", "ssh",
    "webhook",
))  # fmt: skip
"""What makes a key of a setting one to something, and not a column's."""
_URL_WORDS = frozenset(("dsn", "endpoint", "hook", "uri", "url", "webhook"))
_SHAPES = re.compile(
    r"whsec_[A-Za-z0-9+/=_-]+|\bsk-[A-Za-z0-9_-]{16,}|(?<=://)[^\s/?#@]+(?=@)"
    r"|(?i:(?<=bearer )|(?<=password=)|(?<=token=)|(?<=secret=)|(?<=api_key=))[^\s\"'&;,]+"
)
"""Secrets that tell what they are, and what follows words that tell it."""
_NESTED = 20


def masked(path: Sequence[str], value: Any, schema: Mapping[str, Any] | None) -> Any:
    """Return the value of a plugin's option as it may be shown.

    Hidden are the values that the schema marks as passwords or as never to be read, those under
    names that tell of a secret, and what looks like one. Where no schema tells what a URL is, its
    path and query are hidden too: in a webhook's they are the secret.

    Args:
        path: The option's keys, from the plugin's table on.
        value: What it is set to.
        schema: The JSON Schema of the plugin's settings, if it is known.
    """
    if not path or path[0] != "settings":
        return value
    if len(path) == 1:  # what should be a table can be anything
        return value if value == {} else _hidden(value)
    nodes = [schema] if schema is not None else []
    for key in path[1:-1]:
        nodes = list(_inside(nodes, key, schema))
    telling = [key for key in path[1:-1] if _tells(key)]
    if telling:
        return _hidden(value, counts=all(map(_counts, telling)))
    return _masked(path[-1], value, list(_inside(nodes, path[-1], schema)), schema)


def _masked(
    key: str, value: Any, nodes: list[Mapping[str, Any]], schema: Mapping[str, Any] | None
) -> Any:
    if any(node.get("writeOnly") is True or node.get("format") == "password" for node in nodes):
        return _hidden(value)
    if _tells(key):
        return _hidden(value, counts=_counts(key))
    if isinstance(value, dict):
        return {
            name: _masked(name, item, list(_inside(nodes, name, schema)), schema)
            for name, item in value.items()
        }
    if isinstance(value, list | tuple):
        items = list(_items(nodes, schema))
        return [_masked(key, item, items, schema) for item in value]
    return _text(key, value, known=bool(nodes)) if isinstance(value, str) else value


def _hidden(value: Any, *, counts: bool = False) -> Any:
    if isinstance(value, dict):
        return {key: _hidden(item, counts=counts) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_hidden(item, counts=counts) for item in value]
    stays = value is None or isinstance(value, bool) or (counts and isinstance(value, int | float))
    return value if stays else MASK


def _tells(key: str) -> bool:
    words = set(_words(key))
    return bool(words & _SECRET) or ("key" in words and bool(words & _OPENS))


def _counts(key: str) -> bool:
    """Whether a number under the key is no secret, such as that of ``max_tokens``."""
    return not set(_words(key)) & (_SECRET - _COUNTED)


def _words(key: str) -> Iterator[str]:
    for word in _WORD.findall(key):
        yield word.lower() if word.lower() == "pass" else word.lower().removesuffix("s")


def _text(key: str, text: str, *, known: bool) -> str:
    text = _SHAPES.sub(MASK, text)
    if known or "://" not in text or not _URL_WORDS.intersection(_words(key)):
        return text
    try:
        parts = urlsplit(text)
    except ValueError:
        return MASK
    if parts.path.strip("/") or parts.query or parts.fragment:
        return f"{parts.scheme}://{parts.netloc}/{MASK}"
    return text


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
