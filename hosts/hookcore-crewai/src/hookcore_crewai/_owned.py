"""The hooks of an instance of a ``@CrewBase`` class: what is listed, and what its crews run."""

from __future__ import annotations

import inspect
import weakref
from collections.abc import Callable, Iterable
from types import MethodType
from typing import Any

from .hooks._filters import original_of
from .hooks._lists import LISTS, OwnedHook

__all__ = ["HookFn", "WeakHook", "contents_of", "drop", "give", "hooks_of", "is_instance"]

HookFn = Callable[[Any], Any]

_OWN = "_hookcore_hooks"


class WeakHook(OwnedHook):
    """The stand-in for an instance's hook in the lists: it keeps the instance no longer alive.

    Args:
        hook: the hook, with its filters.
        instance: whose method it is.
    """

    def __init__(self, hook: HookFn, instance: Any) -> None:
        bound = hasattr(hook, "__self__")
        self._find: Any = weakref.WeakMethod(hook) if bound else weakref.ref(hook)
        method = _method_in(hook, instance)
        self._method: Any = None if method is None else weakref.WeakMethod(method)
        self.__name__ = getattr(method or hook, "__name__", type(hook).__name__)

    def __call__(self, ctx: Any) -> Any:
        """Call the hook, while there is an instance."""
        hook = self._find()
        return None if hook is None else hook(ctx)

    def __eq__(self, other: object) -> bool:
        # Who unregisters a hook names the method, and knows nothing of what CrewAI wrapped it in.
        same = (find() for find in (self._find, self._method) if find is not None)
        return self is other or any(hook is not None and hook == other for hook in same)

    def __hash__(self) -> int:
        return id(self)


def _method_in(hook: HookFn, instance: Any) -> MethodType | None:
    """Return the instance's method that a hook calls; CrewAI's filters have it in their closure."""
    found = original_of(hook)
    for candidate in (found, *contents_of(found)):
        if isinstance(candidate, MethodType) and candidate.__self__ is instance:
            return candidate
    return None


def contents_of(function: Any) -> Iterable[Any]:
    """Yield what the closure of a function holds."""
    for cell in getattr(function, "__closure__", None) or ():
        try:
            yield cell.cell_contents
        except ValueError:  # an empty cell
            continue


class _Own:
    """The hooks of an instance; its copies share them, since nobody registers any for a copy.

    Args:
        hooks: the point of each, the hook, and what is listed in its place.
    """

    __slots__ = ("hooks",)

    def __init__(self, hooks: list[tuple[str, HookFn, WeakHook]]) -> None:
        self.hooks = hooks

    def __deepcopy__(self, memo: Any) -> _Own:
        return self


def give(instance: Any, hooks: list[tuple[str, HookFn, WeakHook]]) -> None:
    """Make hooks an instance's own, and take them from the lists when the instance goes."""
    setattr(instance, _OWN, _Own(hooks))
    if hooks:
        weakref.finalize(instance, drop, [(point, weak) for point, _, weak in hooks])


def drop(listed: list[tuple[str, WeakHook]]) -> None:
    """Take the hooks of an instance from the lists."""
    for point, weak in listed:
        hooks = LISTS[point]
        for index, hook in enumerate(hooks):
            if hook is weak:
                del hooks[index]
                break


def _own_of(candidate: Any) -> _Own | None:
    # Never by the candidate's own __getattr__: a closure may hold anything, lazy objects as well.
    found = inspect.getattr_static(candidate, _OWN, None)
    return found if type(found) is _Own else None


def is_instance(candidate: Any) -> bool:
    """Tell whether an object is an instance of a ``@CrewBase`` class."""
    return _own_of(candidate) is not None


def hooks_of(instances: Iterable[Any]) -> tuple[tuple[str, HookFn], ...]:
    """Return the hooks of instances with their points, without those that somebody unregistered."""
    owned = {id(own): own for own in map(_own_of, instances) if own is not None}
    return tuple(
        (point, hook) for own in owned.values() for point, hook, weak in own.hooks if weak.listed
    )
