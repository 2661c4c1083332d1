"""The hooks that are methods of a ``@CrewBase`` class: they belong to the crews it makes.

CrewAI registers them globally and for good. Here they are listed as CrewAI lists them, run for the
crews of their instance only, and leave the list when the instance goes.
"""

from __future__ import annotations

import functools
import weakref
from collections.abc import Callable, Iterator
from typing import Any

from hookcore.compat.crewai._filters import with_filters
from hookcore.compat.crewai._lists import LISTS, OWNER

from ._patches import Patches

__all__ = ["hooks_of", "patch"]

HookFn = Callable[[Any], Any]

_OWN = "_hookcore_hooks"
_MARKERS = {
    "is_before_llm_call_hook": "pre_model_call",
    "is_after_llm_call_hook": "post_model_call",
    "is_before_tool_call_hook": "pre_tool_call",
    "is_after_tool_call_hook": "post_tool_call",
}


class WeakHook:
    """What is listed in the place of an instance's hook: it keeps the instance no longer alive."""

    def __init__(self, hook: HookFn) -> None:
        bound = hasattr(hook, "__self__")
        self._find: Any = weakref.WeakMethod(hook) if bound else weakref.ref(hook)
        self.__name__ = getattr(hook, "__name__", type(hook).__name__)

    def __call__(self, ctx: Any) -> Any:
        """Call the hook, while there is an instance."""
        hook = self._find()
        return None if hook is None else hook(ctx)

    def __eq__(self, other: object) -> bool:
        hook = self._find()
        return self is other or (hook is not None and hook == other)

    def __hash__(self) -> int:
        return id(self)


def patch(patches: Patches) -> None:
    """Let ``@CrewBase`` register the hooks of its instances as theirs."""
    from crewai.project import crew_base

    patches.set(crew_base, "_register_crew_hooks", _owned(crew_base._register_crew_hooks))


def _owned(register: Callable[[Any, type], None]) -> Callable[[Any, type], None]:
    @functools.wraps(register)
    def register_owned(instance: Any, cls: type) -> None:
        own: list[tuple[str, HookFn]] = []
        listed: list[tuple[str, WeakHook]] = []

        def keep(point: str, hook: HookFn) -> HookFn:
            own.append((point, hook))
            weak = WeakHook(hook)
            listed.append((point, weak))
            return weak

        token = OWNER.set(keep)
        try:
            register(instance, cls)
            for point, hook in _overlooked(instance, cls):
                LISTS[point].append(hook)
        finally:
            OWNER.reset(token)
        if own:
            setattr(instance, _OWN, own)
            weakref.finalize(instance, _drop, listed)

    return register_owned


def _overlooked(instance: Any, cls: type) -> Iterator[tuple[str, HookFn]]:
    """Yield the hooks that CrewAI does not see: inherited ones, and all but one of stacked ones."""
    for name in dir(cls):
        owner = next((base for base in cls.__mro__ if name in vars(base)), None)
        method = None if owner is None else vars(owner)[name]
        if not callable(method):
            continue
        seen = owner is cls
        marks = getattr(method, "_interception_marks", ())
        for index, (point, agents, tools) in enumerate(marks):
            if not (seen and index == 0):
                yield point, with_filters(method.__get__(instance, cls), agents, tools)
        for marker, point in _MARKERS.items():
            if not seen and getattr(method, marker, False) is True:
                filters = [getattr(method, f"_filter_{kind}", None) for kind in ("agents", "tools")]
                yield point, with_filters(method.__get__(instance, cls), *filters)


def _drop(listed: list[tuple[str, WeakHook]]) -> None:
    for point, weak in listed:
        hooks = LISTS[point]
        for index, hook in enumerate(hooks):
            if hook is weak:
                del hooks[index]
                break


def hooks_of(subject: Any) -> list[tuple[str, HookFn]]:
    """Return the hooks of the ``@CrewBase`` instance that made a crew, with their points."""
    if not hasattr(subject, "before_kickoff_callbacks"):
        return []
    callbacks = [*subject.before_kickoff_callbacks, *subject.after_kickoff_callbacks]
    for callback in callbacks:
        # CrewAI binds these to the instance in a closure; a crew knows its maker by nothing else.
        for cell in getattr(callback, "__closure__", None) or ():
            own = getattr(_content(cell), _OWN, None)
            if isinstance(own, list):
                return list(own)
    return []


def _content(cell: Any) -> Any:
    try:
        return cell.cell_contents
    except ValueError:  # an empty cell
        return None
