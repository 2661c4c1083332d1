"""Hooks in threads: each gets a twin of its context, and what it did counts if it ends in time."""

from __future__ import annotations

from inspect import isawaitable
from typing import Any

from hookcore_specs import HookContext

from ..errors import HookTimeoutError
from ..hooks.hook import Hook
from ..waiting.requests import AwaitHook, RunInThread, Steps
from .contexts import adopt, clone
from .copying import copy_payload, same
from .services import Services

__all__ = ["in_thread"]


def in_thread(services: Services, hook: Hook, view: HookContext) -> Steps:
    """Run a hook in a thread of its own and return its result.

    Args:
        services: what the dispatcher works with.
        hook: the hook.
        view: its context, which gets what the hook did to its twin.

    Raises:
        HookTimeoutError: it did not end in time, and nothing that it did counts.
        Exception: what the hook raises; its edits in place count.
    """
    copied = copy_payload(view.payload)
    twin = clone(view, copied)
    try:
        result = yield RunInThread(services.workers, lambda: hook.call(twin), hook.timeout)
        if isawaitable(result):
            result = yield AwaitHook(result, hook.timeout)
    except HookTimeoutError:
        raise  # it may be running still
    except Exception:
        twin.payload = copied  # what it assigned is discarded, what it edited stays
        _take_over(view, twin, copied)
        raise
    _take_over(view, twin, copied)
    return result


def _take_over(view: HookContext, twin: HookContext, copied: Any) -> None:
    """Apply to ``view`` what a hook did to its twin in another thread."""
    original, bound = view.payload, twin.payload
    adopt(view, twin)
    view.payload = original
    if bound is not copied:
        view.payload = bound
    elif not same(original, copied):
        if type(original) is dict and type(copied) is dict:
            original.clear()
            original.update(copied)
        elif type(original) is list and type(copied) is list:
            original[:] = copied
        else:
            view.payload = copied
