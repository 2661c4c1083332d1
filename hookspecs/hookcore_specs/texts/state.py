"""The state of an object, by name, and an object like it that holds something else."""

from __future__ import annotations

import copy
import dataclasses
from collections.abc import Mapping
from datetime import date, time, timedelta, tzinfo
from decimal import Decimal
from enum import Enum
from types import BuiltinFunctionType, FunctionType, MethodType, ModuleType
from typing import Any
from uuid import UUID

__all__ = ["UnreadableError", "holds_no_text", "state_of", "with_state"]

_TEXTLESS = (
    type(None), bool, int, float, complex, bytes, bytearray, memoryview, date, time, timedelta,
    tzinfo, Decimal, Enum, UUID, type, BuiltinFunctionType, FunctionType, MethodType, ModuleType,
    range, BaseException, type(Ellipsis), type(NotImplemented),
)  # fmt: skip


class UnreadableError(TypeError):
    """A value may hold texts that nobody here can read: its adapter has to register a codec.

    In a hook it is a failure like any other, which a gate denies at.
    """


def holds_no_text(value: Any) -> bool:
    """Return whether a value is of a kind that is read nowhere as text."""
    return isinstance(value, _TEXTLESS)


def state_of(value: Any) -> Mapping[str, Any]:
    """Return what an object holds under its public names.

    Raises:
        UnreadableError: it holds something, and nothing of it under a public name.
    """
    if isinstance(value, Mapping):
        return value
    kind = type(value)
    names: Any = getattr(kind, "model_fields", None)
    if isinstance(names, Mapping):
        extra = getattr(value, "__pydantic_extra__", None) or {}
        return {**{name: getattr(value, name, None) for name in names}, **extra}
    if dataclasses.is_dataclass(value):
        names = [field.name for field in dataclasses.fields(value)]
    else:
        names = [*_slots(kind), *(getattr(value, "__dict__", None) or ())]
        if not names and hasattr(value, "__dict__"):
            return {}  # a mark that stands for itself
    public = {name: getattr(value, name, None) for name in names if not name.startswith("_")}
    if not public:
        raise unreadable(value)
    return public


def unreadable(value: Any) -> UnreadableError:
    """Return the error for a value that cannot be read."""
    kind = type(value)
    return UnreadableError(
        f"no text can be read in a {kind.__module__}.{kind.__qualname__}: the adapter of its "
        "runtime has to call hookcore.hosting.register_message_codec() for it"
    )


def _slots(kind: type) -> list[str]:
    slots = [cls.__dict__.get("__slots__", ()) for cls in kind.__mro__]
    return [name for given in slots for name in ((given,) if isinstance(given, str) else given)]


def with_state(value: Any, changed: Mapping[str, Any]) -> Any:
    """Return an object like ``value`` in which some names hold something else."""
    if isinstance(value, Mapping):
        if not isinstance(value, dict):
            return {**value, **changed}
        twin = copy.copy(value)
        twin.update(changed)
        return twin
    copied = getattr(value, "model_copy", None)
    if copied is not None and isinstance(getattr(type(value), "model_fields", None), Mapping):
        return copied(update=dict(changed))
    twin = copy.copy(value)
    for name, item in changed.items():
        object.__setattr__(twin, name, item)  # also where the class is frozen
    return twin
