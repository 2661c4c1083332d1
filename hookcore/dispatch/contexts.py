"""Copies of contexts: another one to work on, and views for those who only watch."""

from __future__ import annotations

import copy
import dataclasses
import types
from collections.abc import Callable
from typing import Any, TypeVar, cast

from hookcore_specs import HookContext

from .copying import ATOMS, copy_payload

__all__ = ["ReadOnly", "adopt", "clone", "fields_of", "judged_copy", "view_of"]

_C = TypeVar("_C", bound=HookContext)

_UNSET: Any = object()


_fields: dict[type, tuple[str, ...]] = {}


def fields_of(context: type[HookContext]) -> tuple[str, ...]:
    """Return the slots of a context class that hold data."""
    fields = _fields.get(context)
    if fields is None:
        fields = _fields[context] = _read_fields(context)
    return fields


def _read_fields(context: type[HookContext]) -> tuple[str, ...]:
    classes = reversed(context.__mro__)
    slots = [slot for cls in classes for slot in _slots(cls)]
    # What a subclass made a property of is kept elsewhere, in a field that is copied.
    return tuple(
        slot
        for slot in slots
        if slot not in ("__weakref__", "__dict__")
        and not isinstance(getattr(context, slot, None), property)
    )


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
    try:
        _copier(type(twin)).adopt(ctx, twin)
    except AttributeError:  # a slot of a host's own context class that was never set
        _adopt_what_is_set(ctx, twin)
    extra = getattr(twin, "__dict__", None)
    if extra:
        ctx.__dict__.update(extra)


def _adopt_what_is_set(ctx: HookContext, twin: HookContext) -> None:
    for name in fields_of(type(twin)):
        try:
            value = object.__getattribute__(twin, name)
        except AttributeError:
            continue
        object.__setattr__(ctx, name, value)


def judged_copy(ctx: _C, *, plain: bool = False) -> _C:
    """Return a context of its own for what gates judge: all data copied, the host's objects kept.

    Args:
        ctx: the context.
        plain: whether the payload is made of plain dicts and lists, as tool inputs are.

    Raises:
        Exception: whatever the copying of a value raises.
    """
    return _copied(ctx, copy_payload(ctx.payload, plainly=plain), _data)


def view_of(ctx: _C, payload: Any = _UNSET) -> _C:
    """Return a context for those who only watch: nothing in it is the host's own to change.

    Data is copied; an object of the host's (an agent, a client) is seen through a read-only view.

    Args:
        ctx: the context.
        payload: the payload; a copy of the context's when it is not given.

    Raises:
        Exception: whatever the copying of the payload raises.
    """
    return _copied(ctx, copy_payload(ctx.payload) if payload is _UNSET else payload, _watched)


def _copied(ctx: _C, payload: Any, field: Callable[[Any], Any]) -> _C:
    twin = object.__new__(type(ctx))
    try:
        _copier(type(ctx)).copy(twin, ctx, field)
    except AttributeError:  # a slot of a host's own context class that was never set
        _adopt_what_is_set(twin, ctx)
        for name in fields_of(type(ctx)):
            if hasattr(twin, name):
                object.__setattr__(twin, name, field(object.__getattribute__(twin, name)))
    extra = getattr(ctx, "__dict__", None)
    if extra:
        twin.__dict__.update({key: field(value) for key, value in extra.items()})
    twin._detach()
    twin.payload = payload
    return twin


class _Copier:
    """What copies the fields of one class of contexts, written out for them.

    A loop over the fields by their names costs three times as much, at each gate and observer.
    """

    def __init__(self, kind: type[HookContext]) -> None:
        # A class that keeps its fields elsewhere is copied slot by slot, past its own ways.
        direct = kind.__setattr__ is object.__setattr__ and (
            kind.__getattribute__ is object.__getattribute__
        )
        read = "{}.{}" if direct else "get({}, {!r})"
        write = "{}.{} = {}" if direct else "put({}, {!r}, {})"
        adopt, copied = ["def adopt(ctx, twin):"], ["def copy(twin, ctx, field):"]
        for name in fields_of(kind):
            adopt.append("    " + write.format("ctx", name, read.format("twin", name)))
            if name != "payload":
                copied.append("    value = " + read.format("ctx", name))
                kept = "value if value is None or type(value) in ATOMS else field(value)"
                copied.append("    " + write.format("twin", name, kept))
        lines = [*adopt, *copied]
        names: dict[str, Any] = {
            "ATOMS": ATOMS,
            "get": object.__getattribute__,
            "put": object.__setattr__,
        }
        exec("\n".join(lines), names)  # noqa: S102 - made of the names of slots, nothing else
        self.adopt: Callable[[HookContext, HookContext], None] = names["adopt"]
        self.copy: Callable[[HookContext, HookContext, Callable[[Any], Any]], None] = names["copy"]


_copiers: dict[type, _Copier] = {}


def _copier(kind: type[HookContext]) -> _Copier:
    copier = _copiers.get(kind)
    if copier is None:
        copier = _copiers[kind] = _Copier(kind)
    return copier


_SHARED = (
    BaseException,
    type,
    types.FunctionType,
    types.BuiltinFunctionType,
    types.MethodType,
    types.ModuleType,
)
"""What is passed on as it is: errors, which are raised again, and code."""
_CONTAINERS = (dict, list, tuple, set, frozenset)


def _data(value: Any) -> Any:
    """Return a copy of data; a service of the host's as it is."""
    return _deep(value, lambda item: item)


def _watched(value: Any) -> Any:
    """Return a copy of data; a view of a service."""
    return _deep(value, ReadOnly)


def _deep(value: Any, other: Callable[[Any], Any]) -> Any:
    if isinstance(value, _SHARED) or type(value) in ATOMS:
        return value
    if type(value) in _CONTAINERS and not value:
        return value if isinstance(value, (tuple, frozenset)) else type(value)()
    return _FieldCopy(other).copy(value)


class _FieldCopy:
    """One copying of a field, which keeps what is shared inside it shared."""

    def __init__(self, other: Callable[[Any], Any]) -> None:
        self._other = other
        self._memo: dict[int, Any] = {}

    def copy(self, value: Any) -> Any:
        """Return a copy of a value, or what stands for an object of the host's."""
        kind = type(value)
        if kind in ATOMS or isinstance(value, _SHARED):
            return value
        known = self._memo.get(id(value), _UNSET)
        if known is not _UNSET:
            return known
        twin: Any
        if kind is dict:
            self._memo[id(value)] = twin = {}
            for key, item in tuple(value.items()):
                twin[key] = self.copy(item)
        elif kind is list:
            self._memo[id(value)] = twin = []
            twin.extend(self.copy(item) for item in tuple(value))
        elif kind in (tuple, set, frozenset):
            self._memo[id(value)] = twin = kind(self.copy(item) for item in tuple(value))
        else:
            self._memo[id(value)] = twin = self._object(value)
        return twin

    def _object(self, value: Any) -> Any:
        # A class that says how it is copied has the last word: it may be made to be shared.
        if _is_data(value) or hasattr(type(value), "__deepcopy__"):
            try:
                return copy.deepcopy(value)
            except Exception:  # noqa: BLE001 - it holds what cannot be copied, such as a lock
                return self._other(value)
        return self._other(value)


def _is_data(value: Any) -> bool:
    kind = type(value)
    if isinstance(value, (types.SimpleNamespace, *_CONTAINERS)):
        return True
    return dataclasses.is_dataclass(value) or hasattr(kind, "model_fields")


class ReadOnly:
    """A view of an object of the host's: what it has can be read and called, not assigned.

    Values that are read through it are views or copies too.
    """

    __slots__ = ("_target",)

    def __new__(cls, target: Any) -> Any:
        """Return a view; of what cannot be changed, the value itself."""
        if isinstance(target, (*_SHARED, ReadOnly)) or type(target) in ATOMS:
            return target
        view = object.__new__(cls)
        object.__setattr__(view, "_target", target)
        return view

    def __getattr__(self, name: str) -> Any:
        return _watched(getattr(_target(self), name))

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(_refusal(self, f"assign {name}"))

    def __delattr__(self, name: str) -> None:
        raise AttributeError(_refusal(self, f"delete {name}"))

    @property  # type: ignore[misc]
    def __class__(self) -> Any:
        """The class of the host's object, so that ``isinstance`` answers as for that."""
        return type(_target(self))

    def __getitem__(self, key: Any) -> Any:
        return _watched(_target(self)[key])

    def __setitem__(self, key: Any, value: Any) -> None:
        raise TypeError(_refusal(self, f"set {key!r}"))

    def __delitem__(self, key: Any) -> None:
        raise TypeError(_refusal(self, f"delete {key!r}"))

    def __iter__(self) -> Any:
        return iter([_watched(item) for item in _target(self)])

    def __len__(self) -> int:
        return len(_target(self))

    def __bool__(self) -> bool:
        return bool(_target(self))

    def __contains__(self, item: object) -> bool:
        return item in _target(self)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call the host's object."""
        return _target(self)(*args, **kwargs)

    def __eq__(self, other: object) -> bool:
        mine = _target(self)
        return bool(mine == (_target(other) if type(other) is ReadOnly else other))

    def __hash__(self) -> int:
        return hash(_target(self))

    def __str__(self) -> str:
        return str(_target(self))

    def __repr__(self) -> str:
        return repr(_target(self))

    def __copy__(self) -> Any:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        return self


def _target(view: Any) -> Any:
    return object.__getattribute__(view, "_target")


def _refusal(view: Any, what: str) -> str:
    kind = cast("type", type(_target(view))).__name__
    return f"a hook that only watches cannot {what} of the host's {kind}"
