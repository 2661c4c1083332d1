"""The objects that pluggy keeps for plugins, and the way back from them to the hooks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pluggy

from hookcore_specs import PROJECT_NAME, Kind

from .hook import Hook
from .validation import Candidate

__all__ = ["PluginEntries", "entry_of", "hook_of"]

_mark_impl = pluggy.HookimplMarker(PROJECT_NAME)
_HOOK = "hookcore_hook"


class PluginEntries:
    """The object that pluggy keeps for a plugin: a function for each of its hooks."""

    def __init__(self, entries: dict[str, Callable[..., Any]]) -> None:
        # Not a class for each plugin: CPython 3.12.1 keeps classes that inspect has looked into.
        self.__dict__.update(entries)

    def __dir__(self) -> list[str]:
        # pluggy looks at each name: what every object has is no hook.
        return list(self.__dict__)


def entry_of(hook: Hook, candidate: Candidate) -> Callable[..., Any]:
    """Return a function that pluggy can verify and order, and that leads back to the hook."""
    call = hook.call
    if hook.wrapper:

        def entry(ctx: Any) -> Any:
            return (yield from call(ctx))

    elif hook.spec.kind is Kind.WRAP:

        def entry(ctx: Any, call_next: Any) -> Any:  # type: ignore[misc]
            return call(ctx, call_next)

    else:

        def entry(ctx: Any) -> Any:
            return call(ctx)

    setattr(entry, _HOOK, hook)
    flags = {name: candidate.flags.get(name, False) for name in ("tryfirst", "trylast", "wrapper")}
    if hook.spec.kind is Kind.WRAP:
        flags["wrapper"] = False  # it is our own onion, which pluggy only keeps
    return _mark_impl(entry, specname=hook.spec.name, **flags)


def hook_of(entry: object) -> Hook:
    """Return the hook of a function that :func:`entry_of` made."""
    hook: Hook = getattr(entry, _HOOK)
    return hook
