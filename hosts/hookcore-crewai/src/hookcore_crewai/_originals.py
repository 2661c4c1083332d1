"""CrewAI's own module objects of its hooks: they serve the drop-in as long as it is installed.

Who imported a module of theirs before (``from crewai import hooks``) goes on using that object, and
finds the drop-in in it: names, and the lists that functions of theirs, kept somewhere, register in.

Tests patch such a module, and a patch may begin before ``install()`` or end after ``uninstall()``.
What it puts back then is the object of the other side, so each side's own is recognised: CrewAI's
module gets what it has to have at that time, and the drop-in never anything of CrewAI's.
"""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType, ModuleType
from typing import Any

from .hooks._lists import LISTS

__all__ = ["is_original", "serve"]

_GLOBAL_HOOKS = "_global_hooks"
_PACKAGE = "crewai.hooks"


def is_original(value: Any) -> bool:
    """Tell whether an object is a function or class of CrewAI's hooks, and no wrapper of one.

    A wrapper says that it is of the module of what it wraps; its globals do not.
    """
    if isinstance(value, FunctionType):
        if value.__globals__.get("__name__") == "contextlib":
            return is_original(getattr(value, "__wrapped__", None))
        module = value.__globals__.get("__name__")
    else:
        module = value.__module__ if isinstance(value, type) else None
    return f"{module}.".startswith(f"{_PACKAGE}.")


class _Swapped:
    """One module of CrewAI's and the one of ours that it serves.

    Args:
        old: theirs.
        new: ours.
    """

    def __init__(self, old: ModuleType, new: ModuleType) -> None:
        self._old = old
        self._new = new
        #: What each side has of itself. Theirs may be what somebody has patched in before.
        self._theirs = {
            name: value
            for name, value in vars(old).items()
            if not name.startswith("__") and (name == _GLOBAL_HOOKS or hasattr(new, name))
        }
        self._ours = {name: _ours(new, name) for name in self._theirs}
        #: The names that have been patched through their module, and not put back yet.
        self._patched: set[str] = set()
        self._kind: type[ModuleType] = type(old)
        self._serving = True
        earlier = _swapped.get(id(old))
        if earlier is not None:
            self._kind, self._patched = earlier._kind, set(earlier._patched)
            self._theirs.update({name: earlier._theirs[name] for name in self._patched})

    def serve(self) -> None:
        """Put ours into their module."""
        vars(self._old).update(self._ours)
        _swapped[id(self._old)] = self
        self._old.__class__ = ServingModule

    def put_back(self) -> None:
        """Put theirs back; what is patched stays so until its patch ends, as in any module."""
        self._serving = False
        left = {name: vars(self._old)[name] for name in self._patched}
        for name in self._patched:
            setattr(self._new, name, self._ours[name])
        patched = {name: value for name, value in left.items() if value is not self._ours[name]}
        vars(self._old).update({**self._theirs, **patched})
        self._done()

    def set(self, name: str, value: Any) -> None:
        """Set a name of their module, as what it stands for at this time."""
        if name not in self._ours:
            ModuleType.__setattr__(self._old, name, value)
            return
        ends = value is self._ours[name] or value is self._theirs[name] or is_original(value)
        if ends:
            self._patched.discard(name)
            if is_original(value):  # a patch from before the drop-in was there
                self._theirs[name] = value
            value = self._ours[name] if self._serving else self._theirs[name]
        else:
            self._patched.add(name)
        vars(self._old)[name] = value
        if self._serving and name != _GLOBAL_HOOKS:
            setattr(self._new, name, value)
        self._done()

    def _done(self) -> None:
        if not self._serving and not self._patched:
            ModuleType.__setattr__(self._old, "__class__", self._kind)
            _swapped.pop(id(self._old), None)


_swapped: dict[int, _Swapped] = {}


class ServingModule(ModuleType):
    """A module of CrewAI's that serves ours: what is patched in the one is patched in the other."""

    def __setattr__(self, name: str, value: Any) -> None:
        _swapped[id(self)].set(name, value)


def serve(modules: list[tuple[ModuleType, ModuleType]]) -> Callable[[], None]:
    """Put the drop-in's names into CrewAI's own modules; return what puts theirs back.

    Args:
        modules: each module of theirs with the one of ours that takes its place.
    """
    swapped = [_Swapped(old, new) for old, new in modules]
    for each in swapped:
        each.serve()

    def put_back() -> None:
        for each in swapped:
            each.put_back()

    return put_back


def _ours(module: ModuleType, name: str) -> Any:
    return LISTS if name == _GLOBAL_HOOKS else getattr(module, name)
