"""Copies of payloads and contexts, and digests that tell whether a payload was edited in place."""

from __future__ import annotations

import copy
import dataclasses
import hashlib
import json
from typing import Any, TypeVar

from hookcore_specs import HookContext

__all__ = ["adopt", "clone", "copy_payload", "digest", "fields_of"]

_C = TypeVar("_C", bound=HookContext)
_ATOMS = frozenset({str, int, float, bool, type(None), bytes, complex})
_MAX_DEPTH = 100


def copy_payload(value: Any) -> Any:
    """Return a deep copy of a payload that shares nothing mutable with it.

    Raises:
        Exception: whatever the value's own copying raises; the caller decides what that means.
    """
    if type(value) in _ATOMS:
        return value
    try:
        return _copy_plain(value, 0)
    except _NotPlainError:
        return copy.deepcopy(value)


class _NotPlainError(Exception):
    """The value is more than a tree of plain dicts, lists and atoms."""


def _copy_plain(value: Any, depth: int) -> Any:
    # Several times faster than copy.deepcopy on what models and tools exchange: JSON-like trees.
    kind = type(value)
    if kind in _ATOMS:
        return value
    if depth > _MAX_DEPTH:
        raise _NotPlainError
    if kind is dict:
        return {
            key if type(key) is str else _copy_key(key): (
                item if type(item) in _ATOMS else _copy_plain(item, depth + 1)
            )
            for key, item in value.items()
        }
    if kind is list:
        return [item if type(item) in _ATOMS else _copy_plain(item, depth + 1) for item in value]
    raise _NotPlainError


def _copy_key(key: Any) -> Any:
    if type(key) in _ATOMS:
        return key
    raise _NotPlainError


_fields: dict[type, tuple[str, ...]] = {}


def fields_of(context: type[HookContext]) -> tuple[str, ...]:
    """Return the slots of a context class that hold data."""
    fields = _fields.get(context)
    if fields is None:
        classes = reversed(context.__mro__)
        slots = [slot for cls in classes for slot in _slots(cls)]
        # What a subclass made a property of is kept elsewhere, in a field that is copied.
        fields = tuple(
            slot
            for slot in slots
            if slot not in ("__weakref__", "__dict__")
            and not isinstance(getattr(context, slot, None), property)
        )
        _fields[context] = fields
    return fields


def _slots(cls: type) -> tuple[str, ...]:
    slots = cls.__dict__.get("__slots__", ())
    return (slots,) if isinstance(slots, str) else tuple(slots)


def clone(ctx: _C, payload: Any) -> _C:
    """Return a copy of a context with another payload; ``attributes`` is copied one level deep."""
    twin = object.__new__(type(ctx))
    adopt(twin, ctx)
    twin._detach()
    twin.payload = payload
    twin.attributes = dict(ctx.attributes)
    return twin


def adopt(ctx: HookContext, twin: HookContext) -> None:
    """Make a context's fields those of ``twin``."""
    for name in fields_of(type(twin)):
        try:
            value = object.__getattribute__(twin, name)
        except AttributeError:
            continue  # a slot of a host's own context class that was never set
        object.__setattr__(ctx, name, value)
    extra = getattr(twin, "__dict__", None)
    if extra:
        ctx.__dict__.update(extra)


def digest(value: Any) -> bytes | None:
    """Return a digest of a JSON-like, dataclass or pydantic payload; None for anything else."""
    try:
        text = json.dumps(value, default=_plain, sort_keys=True)
    except (TypeError, ValueError, RecursionError):
        return None
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()


def _plain(value: Any) -> Any:
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
    dump = getattr(type(value), "model_dump", None)
    if dump is not None:
        return dump(value)
    if isinstance(value, (set, frozenset)):
        return sorted(value, key=repr)
    if isinstance(value, bytes):
        return value.hex()
    raise TypeError(type(value).__name__)
