"""Copies of payloads, and telling whether a payload was edited in place."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

from ..later import hashlib
from .deepcopying import Memo, deep_copy, known
from .plain import ATOMS, VALUES, is_one_of, plain
from .smalldata import HOLDERS, contents

__all__ = ["Snapshot", "copy_payload", "digest", "is_same", "same"]


def copy_payload(value: Any, *, plainly: bool = False) -> Any:
    """Return a deep copy of a payload that shares nothing mutable with it.

    The time is linear in the number of objects, and what is shared inside stays shared.

    Args:
        value: the payload.
        plainly: copy it as :func:`plain` makes it.

    Raises:
        Exception: whatever the value's own copying raises; the caller decides what that means.
    """
    kind = type(value)
    if kind in ATOMS:
        return value
    if kind is dict:
        # Most arguments are flat, and then nothing in them can be shared.
        for key, item in value.items():
            if type(item) not in ATOMS or type(key) is not str:
                break
        else:
            return dict(value)
    return _copy(plain(value) if plainly else value, Memo())


def _copy(value: Any, memo: Memo) -> Any:
    # Several times faster than copy.deepcopy on what models and tools exchange: JSON-like trees.
    made = known(memo, id(value))
    if made is not None:
        return made
    kind = type(value)
    twin: Any
    if kind is dict:
        memo[id(value)] = twin = dict(value)
        for key, item in twin.items():
            if type(item) not in ATOMS:
                twin[key] = _copy(item, memo)
            if type(key) is not str and type(key) not in ATOMS:
                return _copy_keys(value, memo)
        return twin
    if kind is list:
        memo[id(value)] = twin = value.copy()
        for index, item in enumerate(twin):
            if type(item) not in ATOMS:
                twin[index] = _copy(item, memo)
        return twin
    if kind is tuple:
        # deepcopy() does not remember tuples that are their own copies: exponential where shared.
        items = [item if type(item) in ATOMS else _copy(item, memo) for item in value]
        return memo.setdefault(id(value), _tuple_of(items, value))
    return deep_copy(value, memo)


def _tuple_of(items: list[Any], value: tuple[Any, ...]) -> tuple[Any, ...]:
    same = all(item is old for item, old in zip(items, value, strict=True))
    return value if same else tuple(items)


def _copy_keys(value: dict[Any, Any], memo: Memo) -> dict[Any, Any]:
    twin = memo[id(value)] = {}
    for key, item in value.items():
        new = key if type(key) in ATOMS else deep_copy(key, memo)
        twin[new] = item if type(item) in ATOMS else _copy(item, memo)
    return twin


class Snapshot:
    """A payload as it was at one time.

    What nobody can change costs nothing; a JSON-like tree costs a copy; dataclasses, pydantic
    models and sets cost a digest; of anything else no change can be told.
    """

    __slots__ = ("_copy", "_digest", "_value")

    def __init__(self, value: Any) -> None:
        self._value = value
        self._copy: Any = None
        self._digest: bytes | None = None
        kind = type(value)
        if kind in ATOMS:
            self._copy = value
        elif kind is dict or kind is list or kind is tuple:
            try:
                self._copy = _copy_tree(value, {})
            except (_NoTreeError, RecursionError):
                self._digest = digest(value)
        else:
            self._digest = digest(value)

    @classmethod
    def of(cls, value: Any, was: Any) -> Snapshot:
        """Return the snapshot of a value at a time at which it was what ``was`` is now."""
        snapshot = cls(was)
        snapshot._value = value
        return snapshot

    @property
    def tells(self) -> bool:
        """True when a change of the value can be told."""
        return self._digest is not None or self._copy is not None or self._value is None

    @property
    def copy(self) -> Any:
        """A copy of the payload as it was; None where there is only a digest of it, or nothing."""
        return self._copy

    def is_of(self, value: Any) -> bool:
        """Return whether ``value`` is what the payload was; the same object, if that is all."""
        if self._digest is not None:
            return digest(value) == self._digest
        if not self.tells:
            return value is self._value
        return same(value, self._copy)

    def changed(self) -> bool:
        """Return whether the payload was edited since, as far as that can be told."""
        return self.tells and not self.is_of(self._value)


class _NoTreeError(Exception):
    """The value is more than a tree of plain dicts, lists, tuples and atoms."""


def _copy_tree(value: Any, memo: dict[int, Any]) -> Any:
    known = memo.get(id(value))
    if known is not None:
        return known
    kind = type(value)
    twin: Any
    if kind is dict:
        memo[id(value)] = twin = dict(value)
        for key, item in twin.items():
            if type(item) not in ATOMS:
                twin[key] = _copy_tree(item, memo)
            if type(key) not in ATOMS:
                raise _NoTreeError
        return twin
    if kind is list:
        memo[id(value)] = twin = value.copy()
        for index, item in enumerate(twin):
            if type(item) not in ATOMS:
                twin[index] = _copy_tree(item, memo)
        return twin
    if kind is tuple:
        twin = tuple(item if type(item) in ATOMS else _copy_tree(item, memo) for item in value)
        return memo.setdefault(id(value), twin)
    raise _NoTreeError


def same(value: Any, other: Any) -> bool:
    """Return whether two trees of dicts, lists, tuples and atoms are equal, types included."""
    try:
        return _same(value, other, set())
    except RecursionError:
        return False


def _same(  # noqa: PLR0911 - one answer for each kind
    value: Any, other: Any, compared: set[tuple[int, int]]
) -> bool:
    kind = type(value)
    if kind is not type(other):
        return False
    if kind in ATOMS:
        return bool(value == other) or value != value  # noqa: PLR0124 - NaN is like itself
    if kind is dict:
        pairs = zip(value.items(), other.items(), strict=False)
        if len(value) != len(other):
            return False
        if (id(value), id(other)) in compared:
            return True
        compared.add((id(value), id(other)))
        return all(
            (key == other_key and type(key) is type(other_key) and _same(item, its, compared))
            for (key, item), (other_key, its) in pairs
        )
    if kind is list or kind is tuple:
        if len(value) != len(other):
            return False
        if (id(value), id(other)) in compared:
            return True
        compared.add((id(value), id(other)))
        return all(_same(item, its, compared) for item, its in zip(value, other, strict=False))
    return value is other


def is_same(value: Any, other: Any) -> bool:
    """Return whether two values are equal, as far as that can be told: of other objects, not."""
    if value is None or other is None:
        return value is other
    if same(value, other):
        return True
    known = digest(other)
    return known is not None and digest(value) == known


def digest(value: Any) -> bytes | None:
    """Return a digest of a JSON-like, dataclass or pydantic payload; None for anything else.

    Values of different types have different digests, also where they are spelt alike.
    """
    hasher = hashlib.blake2b(digest_size=16)
    try:
        _feed(value, hasher.update, {})
    except (_NoTreeError, RecursionError):
        return None
    except Exception:  # noqa: BLE001 - a property or a model's own dump may raise anything
        return None
    return hasher.digest()


_is_told_by_its_repr = is_one_of(*VALUES, bytearray)


def _feed(  # noqa: C901, PLR0912 - one branch for each kind
    value: Any, update: Callable[[bytes], object], known: dict[int, int]
) -> None:
    kind = type(value)
    if kind in ATOMS or _is_told_by_its_repr(value):
        update(f"{kind.__qualname__}:{value!r};".encode("utf-8", "surrogatepass"))
        return
    if id(value) in known:
        update(b"=%d;" % known[id(value)])
        return
    known[id(value)] = len(known)
    update(f"{kind.__module__}.{kind.__qualname__}(".encode())
    if isinstance(value, dict):
        for key, item in value.items():
            _feed(key, update, known)
            _feed(item, update, known)
    elif isinstance(value, (list, tuple)):
        for item in value:
            _feed(item, update, known)
    elif isinstance(value, (set, frozenset)):
        for item in sorted(value, key=repr):
            _feed(item, update, known)
    elif isinstance(value, HOLDERS):
        _feed(contents(value), update, known)
    elif isinstance(value, SimpleNamespace):
        _feed(vars(value), update, known)
    elif dataclasses.is_dataclass(value):
        for field in dataclasses.fields(value):
            _feed(getattr(value, field.name, None), update, known)
    elif hasattr(kind, "model_fields") and hasattr(kind, "model_dump"):
        for name, item in {**vars(value), **(getattr(value, "model_extra", None) or {})}.items():
            update(name.encode("utf-8", "surrogatepass"))
            _feed(item, update, known)
    elif len(known) == 1:
        raise _NoTreeError
    else:
        update(b"%d" % id(value))  # what surrounds an object of the host's is told all the same
    update(b")")
