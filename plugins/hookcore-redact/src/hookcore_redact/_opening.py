"""Objects: which hold no text, which are read as a text, and what of the others is to be read."""

from __future__ import annotations

import asyncio
import contextvars
import copy
import dataclasses
import datetime as dt
import enum
import ipaddress
import logging
import re
import threading
import types
import uuid
import weakref
from array import array
from collections.abc import AsyncIterator, Awaitable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from decimal import Decimal
from fractions import Fraction
from functools import partial
from pathlib import PurePath
from typing import Any, Final

from pydantic_core import MultiHostUrl, PydanticUndefinedType, Url

from hookcore import ChannelMessage

from ._wording import words

__all__ = [
    "TEXT_LIKE",
    "attributes_of",
    "holds_no_text",
    "like_exception",
    "rebuilt",
    "unreadable",
    "with_attributes",
]

_NO_TEXT: Final = (
    bool,
    float,
    complex,
    type(None),
    type(Ellipsis),
    type(NotImplemented),
    dt.date,
    dt.time,
    dt.timedelta,
    dt.tzinfo,
    enum.Enum,
    uuid.UUID,
    range,
    slice,
    type,
    types.FunctionType,
    types.BuiltinFunctionType,
    types.MethodType,
    types.MethodWrapperType,
    types.ModuleType,
    types.GenericAlias,
    types.UnionType,
    types.TracebackType,
    types.FrameType,
    types.CodeType,
    partial,
    property,
    re.Pattern,
    logging.Logger,
    logging.Handler,
    weakref.ref,
    contextvars.ContextVar,
    contextvars.Context,
    contextvars.Token,
    asyncio.AbstractEventLoop,
    asyncio.Lock,
    asyncio.Event,
    asyncio.Semaphore,
    threading.Thread,
    threading.Event,
    threading.Condition,
    type(threading.Lock()),
    type(threading.RLock()),
    PydanticUndefinedType,
)
"""The closed list of what holds no text; all else is opened, or refused."""

TEXT_LIKE: Final = (
    PurePath,
    Decimal,
    Fraction,
    ipaddress.IPv4Address,
    ipaddress.IPv6Address,
    ipaddress.IPv4Network,
    ipaddress.IPv6Network,
    Url,
    MultiHostUrl,
)
"""Types that are read as the text that ``str`` makes of them."""

_ONE_WAY: Final = (Iterator, AsyncIterator, Awaitable, asyncio.Future)
_SERVICES: Final = words(
    """
    client async_client session connection transport pool loop logger lock engine executor
    """
)
"""Attributes under which an object keeps what it works with, and which are no payload."""
_DELIVERY: Final = frozenset({"channel", "recipient", "thread", "id"})
"""Fields that say where a channel message goes: without them nothing is delivered."""
_HEAP: Final = 1 << 9  # a class that was made at run time, as all that are written in Python
_OPEN_BASES: Final = (object, types.SimpleNamespace)


def holds_no_text(value: Any) -> bool:
    """Tell whether a value is on the list of those that hold no text."""
    return isinstance(value, _NO_TEXT) or type(value) is object


def unreadable(value: Any) -> TypeError:
    """Return the error for a value that cannot be read."""
    kind = type(value)
    return TypeError(
        f"redact cannot read a value of the type {kind.__module__}.{kind.__qualname__}: hand over "
        "text, numbers, containers, dataclasses, pydantic models or plain objects"
    )


def attributes_of(value: Any) -> Iterator[tuple[str, Any]]:
    """Yield the attributes of an object: of its dict, its slots, a model's extra and private ones.

    Args:
        value: no container, no text, and nothing that holds no text.

    Raises:
        TypeError: it can be read only once, or keeps what it holds out of Python's sight.
    """
    if isinstance(value, _ONE_WAY) or not _is_open(value):
        raise unreadable(value)
    left = _DELIVERY if isinstance(value, ChannelMessage) else frozenset[str]()
    own = getattr(value, "__dict__", None) or {}
    for name, item in list(own.items()):
        if name not in left and not _is_service(name, item):
            yield name, item
    for name in _slots(type(value)):
        if name in left or name in own:
            continue
        try:
            item = object.__getattribute__(value, name)
        except AttributeError:
            continue
        if name in ("__pydantic_extra__", "__pydantic_private__"):
            yield from (item or {}).items()
        elif not name.startswith("__pydantic") and not _is_service(name, item):
            yield name, item


def _is_open(value: Any) -> bool:
    solid = next(base for base in type(value).__mro__ if not base.__flags__ & _HEAP)
    if solid not in _OPEN_BASES and not isinstance(value, BaseException):
        return False
    return hasattr(value, "__dict__") or any(
        "__slots__" in vars(base) for base in type(value).__mro__
    )


def _is_service(name: str, item: Any) -> bool:
    if name.strip("_") not in _SERVICES:
        return False
    return not isinstance(item, str | bytes | int | float | Mapping | Sequence | AbstractSet)


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
        for store in ("__pydantic_extra__", "__pydantic_private__"):
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


def is_dataclass_like(value: Any) -> bool:
    """Tell whether an object's class lists its fields."""
    return dataclasses.is_dataclass(value) or hasattr(type(value), "model_fields")


__all__ += ["buffer_of", "said_by"]
