"""The hooks of an instance of a ``@CrewBase`` class: what is listed, and what its crews run."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterable
from types import MethodType
from typing import Any

from hookcore.compat.crewai._filters import original_of
from hookcore.compat.crewai._lists import LISTS, OwnedHook

__all__ = ["HookFn", "WeakHook", "contents_of", "give", "hooks_of", "is_instance"]

HookFn = Callable[[Any], Any]

_OWN = "_hookcore_hooks"


class WeakHook(OwnedHook):
    """What is listed in the place of an instance's hook: it keeps the instance no longer alive.

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


def give(instance: Any, hooks: list[tuple[str, HookFn, WeakHook]]) -> None:
    """Make hooks an instance's own, and take them from the lists when the instance goes."""
    setattr(instance, _OWN, hooks)
    if hooks:
        weakref.finalize(instance, _drop, [(point, weak) for point, _, weak in hooks])


def _drop(listed: list[tuple[str, WeakHook]]) -> None:
    for point, weak in listed:
        hooks = LISTS[point]
        for index, hook in enumerate(hooks):
            if hook is weak:
                del hooks[index]
                break


def is_instance(candidate: Any) -> bool:
    """Whether an object is an instance of a ``@CrewBase`` class."""
    return isinstance(getattr(candidate, _OWN, None), list)


def hooks_of(instances: Iterable[Any]) -> tuple[tuple[str, HookFn], ...]:
    """Return the hooks of instances with their points, without those that somebody unregistered."""
    return tuple(
        (point, hook)
        for instance in instances
        for point, hook, weak in getattr(instance, _OWN)
        if weak.listed
    )
