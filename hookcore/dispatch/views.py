"""Views for those who only watch: copies of data, read-only views of the host's objects."""

from __future__ import annotations

import copy
import types
from collections import ChainMap, deque
from collections.abc import Callable, Iterator
from typing import Any, cast
from weakref import WeakKeyDictionary

from .deepcopying import Memo, deep_copy, known
from .plain import ATOMS, is_one_of
from .smalldata import (
    CONTAINERS,
    HOLDERS,
    UNCHANGING,
    contents,
    is_small_data,
    says_how_to_copy,
)

__all__ = ["ReadOnly", "data_copy", "watched"]

_UNSET: Any = object()

_CODE = (
    type,
    types.FunctionType,
    types.BuiltinFunctionType,
    types.MethodType,
    types.ModuleType,
)
_is_shared = is_one_of(*_CODE, *UNCHANGING, types.CoroutineType)
"""Return whether a value is passed on as it is; a view of a coroutine could not be awaited."""


def data_copy(value: Any) -> Any:
    """Return a copy of a field's data; the host's objects as they are."""
    return _deep(value, lambda item: item)


def watched(value: Any) -> Any:
    """Return a copy of a field's data; a view of a host's object."""
    return _deep(value, ReadOnly)


def _deep(value: Any, other: Callable[[Any], Any]) -> Any:
    kind = type(value)
    if kind in ATOMS:
        return value
    if kind in CONTAINERS:
        if not value:
            return value if kind is tuple or kind is frozenset else kind()
    elif _is_shared(value):
        return value
    if other is not ReadOnly and not isinstance(value, (*CONTAINERS, *HOLDERS)):
        return value  # the host's object, and no copy of it, is what a host goes on with
    return _Copying(other).copy(value)


class _Copying:
    """One copying of a field, which keeps what is shared inside it shared."""

    def __init__(self, other: Callable[[Any], Any]) -> None:
        self._other = other
        self._memo = Memo()

    def copy(self, value: Any) -> Any:
        """Return a copy of a value, or what stands for an object of the host's."""
        kind = type(value)
        if kind in ATOMS:
            return value
        made = known(self._memo, id(value), _UNSET)
        if made is not _UNSET:
            return made
        # What models and tools exchange is first, and its leaves cost no call.
        twin: Any
        if kind is dict:
            self._memo[id(value)] = twin = dict(value)
            for key, item in twin.items():
                if type(item) not in ATOMS:
                    twin[key] = self.copy(item)
        elif kind is list:
            self._memo[id(value)] = twin = value.copy()
            for index, item in enumerate(twin):
                if type(item) not in ATOMS:
                    twin[index] = self.copy(item)
        else:
            twin = self._other_kind(value)
        return twin

    def _other_kind(self, value: Any) -> Any:
        if _is_shared(value):
            return value
        if (kind := type(value)) in (tuple, set, frozenset):
            twin = kind(self.copy(item) for item in tuple(value))
        else:
            twin = self._object(value)
        return self._memo.setdefault(id(value), twin)  # it may have led back to itself

    def _object(self, value: Any) -> Any:  # noqa: PLR0911 - one answer for each kind
        if issubclass(kind := type(value), ReadOnly):
            return value
        if isinstance(value, memoryview):
            return value.toreadonly()
        if isinstance(value, BaseException):
            return value if self._other is not ReadOnly else self._error(value)
        # A class that says how it is copied has the last word: it may be made to be shared.
        if says_how_to_copy(kind) or is_small_data(value):
            try:
                return deep_copy(value, self._memo)
            except Exception:  # noqa: BLE001 - it holds what cannot be copied, such as a lock
                return self._other(value)
        if isinstance(value, (dict, list)):
            return self._container(value)
        return self._holder(value) if isinstance(value, HOLDERS) else self._other(value)

    def _holder(self, value: Any) -> Any:
        """Return a copy of one of the further containers, which holds objects of the host's."""
        try:
            if isinstance(value, types.MappingProxyType):
                return types.MappingProxyType(self.copy(contents(value)))
            twin = copy.copy(value)
            if isinstance(value, ChainMap):
                twin.maps = self.copy(value.maps)
            elif isinstance(value, deque):
                twin.clear()
                twin.extend(map(self.copy, tuple(value)))
            elif not isinstance(value, bytearray):
                twin.data = self.copy(value.data)
        except Exception:  # noqa: BLE001 - its own copying may raise anything
            return self._other(value)
        return twin

    def _container(self, value: Any) -> Any:
        """Return a copy of a dict or list of another class, which holds objects of the host's."""
        try:
            twin = copy.copy(value)
            if isinstance(value, dict):
                for key, item in tuple(dict.items(value)):
                    dict.__setitem__(twin, key, self.copy(item))
            else:
                list.__setitem__(twin, slice(None), list(map(self.copy, list.__iter__(value))))
        except Exception:  # noqa: BLE001 - its own copying may raise anything
            return self._other(value)
        return twin

    def _error(self, error: BaseException) -> BaseException:
        """Return an error like the given one: the host raises its own, whatever watchers edit."""
        kind = type(error)
        try:
            # Not through the class's own __init__, which may do anything; Python's fill in fields.
            base: Any = next(item for item in kind.__mro__ if item.__module__ == "builtins")
            made_of = tuple(map(self.copy, base.__reduce__(error)[1]))
            twin = kind.__new__(kind, *made_of)
            base.__init__(twin, *made_of)
            twin.args = self.copy(error.args)
            twin.__dict__.update({key: self.copy(item) for key, item in error.__dict__.items()})
        except Exception:  # noqa: BLE001 - a class may be made by other means only
            return error
        twin.__cause__, twin.__context__ = error.__cause__, error.__context__
        twin.__suppress_context__ = error.__suppress_context__
        return twin.with_traceback(error.__traceback__)


class ReadOnly:
    """A view of an object of the host's: what it has can be read and called, not assigned.

    Values that are read through it are views or copies too; what a call does, it does to the
    object. A view answers ``isinstance`` and operators as its object does.
    """

    __slots__ = ("__weakref__", "_hookcore_target")

    def __new__(cls, target: Any) -> Any:
        """Return a view; of what cannot be changed, the value itself."""
        kind = type(target)
        if kind in ATOMS or issubclass(kind, ReadOnly) or _is_shared(target):
            return target
        view: Any = object.__new__(_view_kind(kind))
        object.__setattr__(view, "_hookcore_target", target)
        return view

    def __getattr__(self, name: str) -> Any:
        return watched(getattr(_target(self), name))

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(_refusal(self, f"assign {name}"))

    def __delattr__(self, name: str) -> None:
        raise AttributeError(_refusal(self, f"delete {name}"))

    @property  # type: ignore[misc]
    def __class__(self) -> Any:
        """The class of the host's object, so that ``isinstance`` answers as for that."""
        return _target(self).__class__

    def __dir__(self) -> Any:
        return dir(_target(self))

    def __reduce_ex__(self, protocol: Any) -> Any:
        return _target(self).__reduce_ex__(protocol)

    def __copy__(self) -> Any:
        return copy.copy(_target(self))

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        return copy.deepcopy(_target(self), memo)


_OWN = frozenset(
    [
        "__class__",
        "__class_getitem__",
        "__copy__",
        "__deepcopy__",
        "__del__",
        "__delattr__",
        "__dict__",
        "__dir__",
        "__doc__",
        "__get__",
        "__getattr__",
        "__getattribute__",
        "__getstate__",
        "__init__",
        "__init_subclass__",
        "__module__",
        "__new__",
        "__reduce__",
        "__reduce_ex__",
        "__setattr__",
        "__setstate__",
        "__sizeof__",
        "__slots__",
        "__subclasshook__",
        "__set_name__",
        "__weakref__",
    ]
)
_CHANGING = frozenset(
    ["__setitem__", "__delitem__", "__set__", "__delete__", "__next__", "__anext__"]
)
_RAW = frozenset(
    ["__call__", "__await__", "__enter__", "__exit__", "__aenter__", "__aexit__", "__fspath__"]
)
"""Methods that give the caller something of its own, or what Python itself has to understand."""

_view_of_kind: WeakKeyDictionary[type, type] = WeakKeyDictionary()


def _view_kind(kind: type) -> type:
    """Return the class of the views of objects of a class: Python asks operators of classes."""
    made = _view_of_kind.get(kind)
    if made is None:
        operators: dict[str, Any] = {"__slots__": ()}
        for name in dir(kind):
            if name.startswith("__") and name.endswith("__") and name not in _OWN:
                method = getattr(kind, name, None)
                if callable(method):
                    operators[name] = _operator(name)
                elif method is None or name.startswith("__dataclass"):
                    operators[name] = method  # such as the hash of what has none
        made = _view_of_kind[kind] = type("ReadOnly", (ReadOnly,), operators)
    return made


def _operator(name: str) -> Callable[..., Any]:
    in_place = name.startswith("__i") and f"__{name[3:]}" in _BINARY
    if name in _CHANGING:

        def refuse(self: Any, *_args: Any) -> Any:
            raise TypeError(_refusal(self, name.strip("_")))

        return refuse
    if in_place:
        return _operator(f"__{name[3:]}")
    if name == "__iter__":
        return _iterated

    def operate(self: Any, *args: Any, **named: Any) -> Any:
        target = _target(self)
        given = (_target(item) if issubclass(type(item), ReadOnly) else item for item in args)
        result = getattr(type(target), name)(target, *given, **named)
        return result if name in _RAW else watched(result)

    return operate


_BINARY = frozenset(
    f"__{name}__"
    for name in [
        "add",
        "and",
        "floordiv",
        "lshift",
        "matmul",
        "mod",
        "mul",
        "or",
        "pow",
        "rshift",
        "sub",
        "truediv",
        "xor",
    ]
)


def _iterated(view: Any) -> Iterator[Any]:
    target = _target(view)
    if hasattr(type(target), "__next__"):
        raise TypeError(_refusal(view, "take the items"))
    return (watched(item) for item in target)


def _target(view: Any) -> Any:
    return object.__getattribute__(view, "_hookcore_target")


def _refusal(view: Any, what: str) -> str:
    kind = cast("type", type(_target(view))).__name__
    return f"a hook that only watches cannot {what} of the host's {kind}"
