"""Objects: what of them is to be read, and copies of them in which something is another."""

from __future__ import annotations

import asyncio
import copy
import types
from array import array
from collections.abc import AsyncIterator, Awaitable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from functools import lru_cache
from typing import Any, Final

from hookcore import ChannelMessage

from ._ways import ATOMS
from ._wording import words

__all__ = [
    "PYDANTIC_STORES",
    "attributes_of",
    "buffer_of",
    "is_service",
    "like_exception",
    "rebuilt",
    "said_by",
    "slots_of",
    "unreadable",
    "with_attributes",
]

_ONE_WAY: Final = (Iterator, AsyncIterator, Awaitable, asyncio.Future)
_SERVICES: Final = words(
    """
    client async_client session connection transport pool loop logger lock engine executor
    """
)
"""Attributes under which an object keeps what it works with, and which are no payload."""
_DELIVERY: Final = frozenset({"channel", "recipient", "thread", "id"})
"""Fields that say where a channel message goes: without them nothing is delivered."""
PYDANTIC_STORES: Final = ("__pydantic_extra__", "__pydantic_private__")
"""Slots in which a pydantic model keeps further attributes."""
_HEAP: Final = 1 << 9  # a class that was made at run time, as all that are written in Python
_OPEN_BASES: Final = (object, types.SimpleNamespace)


def unreadable(value: Any) -> TypeError:
    """Return the error for a value that cannot be read."""
    kind = type(value)
    return TypeError(
        f"redact cannot read a value of the type {kind.__module__}.{kind.__qualname__}: hand over "
        "text, numbers, containers, dataclasses, pydantic models or plain objects"
    )


def attributes_of(value: Any) -> list[tuple[str, Any]]:
    """Return the attributes of an object: of its dict, its slots, a model's extra and private ones.

    Those are left out that are no payload, and those that are None, true, false or no whole number.

    Args:
        value: no container, no text, and nothing that holds no text.

    Raises:
        TypeError: it can be read only once, or keeps what it holds out of Python's sight.
    """
    kind: Any = type(value)
    closed = _is_closed(kind) or (value.__class__ is not kind and isinstance(value, _ONE_WAY))
    if closed or not (hasattr(value, "__dict__") or _has_slots(kind)):
        raise unreadable(value)
    own = getattr(value, "__dict__", None) or {}
    found = [
        (name, item)
        for name, item in list(own.items())
        if type(item) not in ATOMS and not is_service(name, item)
    ]
    slots = slots_of(kind)
    empty = not own
    for name in slots:
        if name in own:
            continue
        try:
            item = object.__getattribute__(value, name)
        except AttributeError:
            continue
        empty = False
        if name in PYDANTIC_STORES:
            found += (item or {}).items()
        elif not is_service(name, item):
            found.append((name, item))
    if empty and isinstance(value, Sequence):
        raise unreadable(value)
    if isinstance(value, ChannelMessage):
        found = [(name, item) for name, item in found if name not in _DELIVERY]
    return found


@lru_cache(maxsize=512)
def _is_closed(kind: type) -> bool:
    """Tell whether a class keeps what it holds out of Python's sight, or gives it only once."""
    if issubclass(kind, _ONE_WAY):
        return True
    solid = next(base for base in kind.__mro__ if not base.__flags__ & _HEAP)
    return solid not in _OPEN_BASES and not issubclass(kind, BaseException)


@lru_cache(maxsize=512)
def _has_slots(kind: type) -> bool:
    return any("__slots__" in vars(base) for base in kind.__mro__)


def is_service(name: str, item: Any) -> bool:
    """Tell whether an attribute holds what an object works with, and no payload."""
    return _names_a_service(name) and not isinstance(
        item, str | bytes | int | float | Mapping | Sequence | AbstractSet
    )


@lru_cache(maxsize=4096)
def _names_a_service(name: str) -> bool:
    return name.strip("_") in _SERVICES


@lru_cache(maxsize=512)
def slots_of(kind: type) -> tuple[str, ...]:
    """Return the names of the slots in which objects of a class keep what they say."""
    return tuple(
        name
        for name in _slots(kind)
        if name in PYDANTIC_STORES or not name.startswith("__pydantic")
    )


def _slots(kind: type) -> Iterator[str]:
    for base in kind.__mro__:
        slots = vars(base).get("__slots__", ())
        for name in (slots,) if isinstance(slots, str) else tuple(slots):
            if name in ("__dict__", "__weakref__"):
                continue
            private = name.startswith("__") and not name.endswith("__")
            yield f"_{base.__name__.lstrip('_')}{name}" if private else name


def with_attributes(value: Any, changed: Mapping[str, Any]) -> Any:
    """Return a copy of an object with other attributes, past whatever its class forbids or checks.

    Args:
        value: the object, which stays as it is.
        changed: the attributes that differ.
    """
    if isinstance(value, BaseException):
        twin = like_exception(value, said_by(value))
    else:
        twin = copy.copy(value)
    for name, item in changed.items():
        for store in PYDANTIC_STORES:
            held = getattr(twin, store, None) if hasattr(type(twin), "model_fields") else None
            if held is not None and name in held:
                held[name] = item
                break
        else:
            _set(twin, name, item)
    return twin


def _set(twin: Any, name: str, item: Any) -> None:
    if name in getattr(twin, "__dict__", ()):
        twin.__dict__[name] = item
    else:
        object.__setattr__(twin, name, item)


def said_by(error: BaseException) -> tuple[Any, ...]:
    """Return an exception's arguments, with those that an ``OSError`` keeps elsewhere."""
    if isinstance(error, OSError) and error.filename is not None:
        more = () if error.filename2 is None else (None, error.filename2)
        return (*error.args[:2], error.filename, *more)
    return error.args


def like_exception(error: BaseException, args: tuple[Any, ...]) -> BaseException:
    """Return an exception of the same class with other arguments; its constructor is not called.

    Args:
        error: the exception, which stays as it is.
        args: what it is to say.
    """
    twin = type(error).__new__(type(error), *args)
    twin.args = args[: len(error.args)]
    twin.__dict__.update(error.__dict__)
    twin.__traceback__ = error.__traceback__
    twin.__cause__ = error.__cause__
    twin.__context__ = error.__context__
    twin.__suppress_context__ = error.__suppress_context__
    return twin


def rebuilt(value: Any, text: str) -> Any:
    """Return a value of the same class made from a text, the text itself where the class refuses.

    Args:
        value: what was read as a text.
        text: what that text has become.
    """
    try:
        return type(value)(text)
    except (ValueError, TypeError, ArithmeticError):
        return text


def buffer_of(value: Any) -> bytes | None:
    """Return the bytes that a buffer holds, None where it holds numbers.

    Raises:
        TypeError: it holds neither.
    """
    if isinstance(value, array) and value.typecode == "u":
        raise unreadable(value)
    try:
        view = memoryview(value)
    except (TypeError, ValueError, BufferError) as error:
        raise unreadable(value) from error
    if view.format in ("B", "b", "c", "s"):
        return view.tobytes()
    if len(view.format) == 1 or view.format[:1] in "<>=@!":
        return None
    raise unreadable(value)
