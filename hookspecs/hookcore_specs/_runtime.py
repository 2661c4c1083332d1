"""The link from a context to the dispatch that it is in, kept in one context variable.

A frame is a plain list, since making one costs a third of what an object costs and every dispatch
makes one: ``[parent frame, running hook, manager, states of the dispatch]``.

In the compiled loop over a chain, an iterator stands in the place of the running hook and the
chain's hooks follow at the end: how far the iterator is tells which hook runs, so that the loop
need not say so at each one.
"""

from __future__ import annotations

from contextlib import suppress
from contextvars import ContextVar, Token
from operator import length_hint
from typing import Any, Protocol

__all__ = [
    "ACTIVE",
    "HOOK",
    "MANAGER",
    "PARENT",
    "STATES",
    "ContextHost",
    "Frame",
    "leave",
    "living",
    "running_frame",
    "running_hook",
]

Frame = list[Any]

PARENT, HOOK, MANAGER, STATES, CHAIN = range(5)

_TupleIterator = type(iter(()))

ACTIVE: ContextVar[Frame | None] = ContextVar("hookcore_active_dispatch", default=None)


class ContextHost(Protocol):
    """What a context asks of the manager that dispatches it."""

    def _plugin_state(self, frame: Frame, run_id: str | None) -> dict[str, Any]: ...

    def _shared_state(self, frame: Frame, run_id: str | None) -> dict[str, Any]: ...

    def _ask_human(self, ctx: Any, prompt: str, default_message: str) -> str: ...

    async def _aask_human(self, ctx: Any, prompt: str, default_message: str) -> str: ...


def leave(token: Token[Frame | None]) -> None:
    """Take back what ``ACTIVE.set`` did, unless that was in another context.

    A coroutine or generator that nobody finished is closed wherever it is collected; the context
    that it had changed is gone by then.
    """
    with suppress(ValueError):
        ACTIVE.reset(token)


def running_hook(frame: Frame) -> Any:
    """Return the hook that runs in a frame, None when none does."""
    hook: Any = frame[HOOK]
    if type(hook) is _TupleIterator:
        return frame[CHAIN][-1 - length_hint(hook)]
    return hook


def living(frame: Frame | None) -> Frame | None:
    """Return the innermost frame from ``frame`` outwards that a hook is running in.

    A task that a hook left behind begins in a frame that is over; were it to be the parent of the
    task's own, tasks that start tasks would hold on to all frames there ever were.
    """
    while frame is not None and frame[HOOK] is None:
        frame = frame[PARENT]
    return frame


def running_frame() -> Frame | None:
    """Return the innermost dispatch whose hook is running, or None outside any hook."""
    frame = ACTIVE.get()
    return frame if frame is not None and frame[HOOK] is not None else None
