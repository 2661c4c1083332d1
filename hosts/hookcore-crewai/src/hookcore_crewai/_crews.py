"""The hooks that are methods of a ``@CrewBase`` class: they belong to the crews it makes.

CrewAI registers them globally and for good. Here they are listed as CrewAI lists them, run for the
crews and agents of their instance only, and leave the list when the instance goes.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from typing import Any

from ._owned import HookFn, WeakHook, drop, give
from ._patches import Patches
from ._scoped import check
from .hooks._filters import with_filters
from .hooks._lists import LISTS, OWNER

__all__ = ["patch"]

_MARKERS = {
    "is_before_llm_call_hook": "pre_model_call",
    "is_after_llm_call_hook": "post_model_call",
    "is_before_tool_call_hook": "pre_tool_call",
    "is_after_tool_call_hook": "post_tool_call",
}


def patch(patches: Patches) -> None:
    """Let ``@CrewBase`` register the hooks of its instances as theirs."""
    from crewai.project import crew_base

    patches.set(crew_base, "_register_crew_hooks", _owned(crew_base._register_crew_hooks))


def _owned(register: Callable[[Any, type], None]) -> Callable[[Any, type], None]:
    @functools.wraps(register)
    def register_owned(instance: Any, cls: type) -> None:
        own: list[tuple[str, HookFn, WeakHook]] = []

        def keep(point: str, hook: HookFn) -> WeakHook:
            check(point, hook)
            weak = WeakHook(hook, instance)
            own.append((point, hook, weak))
            return weak

        token = OWNER.set(keep)
        try:
            register(instance, cls)
            for point, hook in _overlooked(instance, cls):
                LISTS[point].append(hook)
        except BaseException:
            drop([(point, weak) for point, _, weak in own])
            raise
        finally:
            OWNER.reset(token)
        give(instance, own)

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
