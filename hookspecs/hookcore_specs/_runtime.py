"""The link from a context to the dispatch that it is in, kept in one context variable.

A frame is a plain list, since making one costs a third of what an object costs and every dispatch
hook has one of its own: ``[parent frame, running hook, host, states of the dispatch]``. When the
hook is over, None stands in its place; what it left running on other threads keeps its frame, and
is judged like anybody's work from then on. Where that may be, a fifth item has the hook all the
same: its state is still its own.
"""

from __future__ import annotations

from contextvars import ContextVar, Token
from typing import Any, Protocol

__all__ = [
    "ACTIVE",
    "HOOK",
    "HOST",
    "OWNER",
    "PARENT",
    "STATES",
    "ContextHost",
    "Frame",
    "hook_of",
    "leave",
    "living",
    "own_frame",
    "running_frame",
]

Frame = list[Any]

PARENT, HOOK, HOST, STATES, OWNER = range(5)

ACTIVE: ContextVar[Frame | None] = ContextVar("hookcore_active_dispatch", default=None)


class ContextHost(Protocol):
    """The dispatching manager's side of a context's methods."""

    def plugin_state(self, frame: Frame, run_id: str | None) -> dict[str, Any]: ...

    def shared_state(self, frame: Frame, run_id: str | None) -> dict[str, Any]: ...

    def enforces(self, frame: Frame, denial: Any) -> bool: ...

    def ask_human(self, frame: Frame, ctx: Any, prompt: str, default_message: str) -> str: ...

    async def aask_human(
        self, frame: Frame, ctx: Any, prompt: str, default_message: str
    ) -> str: ...


def leave(token: Token[Frame | None]) -> None:
    """Take back what ``ACTIVE.set`` did, unless that was in another context.

    A coroutine or generator that nobody finished is closed wherever it is collected; the context
    that it had changed is gone by then.
    """
    try:  # noqa: SIM105 - every async dispatch ends here, and `suppress` costs as much as two hooks
        ACTIVE.reset(token)
    except ValueError:
        pass


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


def own_frame() -> Frame | None:
    """Return the frame of the hook that the code belongs to, which may be over; else None."""
    frame = ACTIVE.get()
    if frame is None or (frame[HOOK] is None and len(frame) <= OWNER):
        return None
    return frame


def hook_of(frame: Frame) -> Any:
    """Return the hook that a frame is, or was, of."""
    return frame[HOOK] if frame[HOOK] is not None or len(frame) <= OWNER else frame[OWNER]
