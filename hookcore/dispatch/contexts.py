"""Copies of contexts: another one to work on, and views for those who only watch."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from hookcore_specs import HookContext

from .copying import copy_payload, is_same
from .plain import ATOMS
from .views import data_copy, watched

__all__ = ["adopt", "clone", "fields_of", "judged_copy", "restore", "shielded", "view_of"]

_C = TypeVar("_C", bound=HookContext)

_UNSET: Any = object()
_CONTAINERS = (dict, list, tuple, set, frozenset)

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
    return _copied(ctx, copy_payload(ctx.payload, plainly=plain), data_copy)


def view_of(ctx: _C, payload: Any = _UNSET) -> _C:
    """Return a context for those who only watch: nothing in it is the host's own to change.

    Data is copied; an object of the host's (an agent, a client) is seen through a read-only view.

    Args:
        ctx: the context.
        payload: the payload; a copy of the context's when it is not given.

    Raises:
        Exception: whatever the copying of the payload raises.
    """
    return _copied(ctx, copy_payload(ctx.payload) if payload is _UNSET else payload, watched)


def shielded(ctx: _C) -> _C:
    """Return a view of a context; a payload that cannot be copied is seen through a view, too."""
    try:
        return view_of(ctx)
    except Exception:  # noqa: BLE001 - a payload's own copying may raise anything
        return view_of(ctx, watched(ctx.payload))


def _copied(ctx: _C, payload: Any, field: Callable[[Any], Any]) -> _C:
    kind = type(ctx)
    twin = object.__new__(kind)
    try:
        (_copiers.get(kind) or _copier(kind)).copy(twin, ctx, field, payload)
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


_BOOKKEEPING = frozenset(
    [
        "_input",
        "_own_state",
        "_settled",
        "duration_ms",
        "entered",
        "error",
        "hold",
        "payload",
        "point",
        "status",
        "usage",
    ]
)
"""Fields that tell of the operation's course, and not of what it is about."""


class _Copier:
    """The functions that copy the fields of one class of contexts, written out for them.

    A loop over the fields by their names costs three times as much, at each gate and observer.
    """

    def __init__(self, kind: type[HookContext]) -> None:
        # A class that keeps its fields elsewhere is copied slot by slot, past its own ways.
        direct = kind.__setattr__ is object.__setattr__ and (
            kind.__getattribute__ is object.__getattribute__
        )
        read = "{}.{}" if direct else "get({}, {!r})"
        write = "{}.{} = {}" if direct else "put({}, {!r}, {})"
        adopt, copied = ["def adopt(ctx, twin):"], ["def copy(twin, ctx, field, payload):"]
        for name in fields_of(kind):
            adopt.append("    " + write.format("ctx", name, read.format("twin", name)))
            if name != "payload":
                copied.append("    value = " + read.format("ctx", name))
                kept = "value if value is None or type(value) in ATOMS else field(value)"
                if name == "point":
                    kept = "value"  # the point's own label
                elif name == "_input" and hasattr(kind, "_is_after"):
                    # Before the call nobody can read it, and most often it is the payload.
                    kept = f"{kept} if ctx._is_after() else payload"
                elif name == "attributes":
                    kept = "field(value) if value else {}"
                copied.append("    " + write.format("twin", name, kept))
        others = ["def others(ctx, twin):", "    names = []"]
        for name in fields_of(kind):
            if name not in _BOOKKEEPING:
                pair = read.format("ctx", name), read.format("twin", name)
                others += [f"    if {pair[0]} is not {pair[1]}:", f"        names.append({name!r})"]
        lines = [*adopt, *copied, *others, "    return names"]
        names: dict[str, Any] = {
            "ATOMS": ATOMS,
            "get": object.__getattribute__,
            "put": object.__setattr__,
        }
        exec("\n".join(lines), names)  # noqa: S102 - made of the names of slots, nothing else
        self.adopt: Callable[[HookContext, HookContext], None] = names["adopt"]
        #: The names of the fields that are another object in each of two contexts.
        self.others: Callable[[HookContext, HookContext], list[str]] = names["others"]
        self.copy: Callable[[HookContext, HookContext, Callable[[Any], Any], Any], None] = names[
            "copy"
        ]


_copiers: dict[type, _Copier] = {}


def _copier(kind: type[HookContext]) -> _Copier:
    copier = _copiers.get(kind)
    if copier is None:
        copier = _copiers[kind] = _Copier(kind)
    return copier


def restore(ctx: HookContext, judged: HookContext) -> None:
    """Give a context what gates judged, where others have changed it since: all but its payload."""
    kind = type(judged)
    try:
        names = (_copiers.get(kind) or _copier(kind)).others(ctx, judged)
    except AttributeError:  # a slot of a host's own context class that was never set
        names = [name for name in fields_of(kind) if name not in _BOOKKEEPING]
    for name in names:
        value, right = getattr(ctx, name, _UNSET), getattr(judged, name, _UNSET)
        if type(value) is type(right) and isinstance(right, _CONTAINERS):
            if (not value and not right) or is_same(value, right):
                continue
        elif value is right:
            continue
        if right is not _UNSET:
            setattr(ctx, name, data_copy(right))  # what was judged stays nobody else's
