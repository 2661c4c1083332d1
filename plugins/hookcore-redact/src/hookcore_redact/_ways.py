"""The ways in which values are read, by their classes."""

from __future__ import annotations

import asyncio
import contextvars
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
from collections import deque
from collections.abc import Mapping, MappingView
from collections.abc import Set as AbstractSet
from decimal import Decimal
from enum import IntEnum
from fractions import Fraction
from functools import lru_cache, partial
from numbers import Integral
from pathlib import PurePath
from typing import Any, Final

from pydantic_core import MultiHostUrl, PydanticUndefinedType, Url

__all__ = ["ATOMS", "Way", "way_of"]

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

_TEXT_LIKE: Final = (
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
ATOMS: Final = frozenset({bool, float, complex, type(None)})
"""Types of what is most often on that list."""


class Way(IntEnum):
    """A way in which a value is read."""

    NOT = 0
    """It holds no text."""
    SCALAR = 1
    """It is a text, a whole number, or what is read as the text that ``str`` makes of it."""
    BYTES = 2
    BUFFER = 3
    MAPPING = 4
    GROUP = 5
    OBJECT = 6
    """By its attributes."""


_WAYS: Final[tuple[tuple[Way, tuple[type, ...]], ...]] = (
    (Way.NOT, _NO_TEXT),
    (Way.SCALAR, (str, Integral, *_TEXT_LIKE)),
    (Way.BYTES, (bytes, bytearray)),
    (Way.BUFFER, (memoryview, array)),
    (Way.MAPPING, (Mapping,)),
    (Way.GROUP, (tuple, list, deque, AbstractSet, MappingView)),
)


def way_of(value: Any) -> Way:
    """Return in which way a value is read."""
    kind: Any = type(value)
    way = _way_of_class(kind)
    if value.__class__ is kind or way is Way.NOT:
        return way
    # It says that it is of another class.
    return next((way for way, kinds in _WAYS if isinstance(value, kinds)), Way.OBJECT)


@lru_cache(maxsize=512)
def _way_of_class(kind: type) -> Way:
    if kind is object:
        return Way.NOT
    return next((way for way, kinds in _WAYS if issubclass(kind, kinds)), Way.OBJECT)
