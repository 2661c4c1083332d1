"""The part that a compiled loop leaves to others: the rest of a dispatch, or its judged values."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import TYPE_CHECKING, Any, Final, final

from hookcore_specs import HookContext

if TYPE_CHECKING:
    from .records import Records
    from .states import States

__all__ = ["ALL", "AsyncLoop", "Gating", "Kept", "Loop", "Unfinished", "Watching", "leave", "whole"]

Kept = tuple[Any, Any]
"""The payload before a hook's call, and what it was, in a value that a trace keeps."""

Gating = tuple[int, Any, HookContext, HookContext]
"""The place where gates stopped: the index of one, the awaitable that it returned, what it was
given, and the copy that all of them judge."""


Watching = tuple[int, tuple[Any, Any] | None, HookContext, BaseException | None]
"""The index of a hook that only watches, the awaitable that it returned with the payload before it
was called, what all of them are given, and what one has to raise when all have been told."""


@final
class Unfinished:
    """A dispatch that the engine has to end: all of it, or its rest.

    Args:
        resume: a hook's index, the awaitable that it returned, and the payload before its call.
        chain: the chain that is half done, which a hook may have renamed the tool of.
        states: the states of the dispatch, which go on.
        records: what happened so far, when somebody listens.
        tool: the tool's name before any hook changed it, when somebody listens.
        judged: what the gates let pass, a context that nobody else has; then nothing is left but
            to use it.
    """

    __slots__ = (
        "chain",
        "gating",
        "judged",
        "kept",
        "records",
        "resume",
        "states",
        "tool",
        "watching",
    )

    def __init__(
        self,
        resume: tuple[int, Any, Any] | None = None,
        chain: Any = None,
        states: States | None = None,
        records: Records | None = None,
        tool: Any = None,
        *,
        judged: HookContext | None = None,
    ) -> None:
        self.resume = resume
        self.chain = chain
        self.states = states
        self.records = records
        self.tool = tool
        self.judged = judged
        #: The payload before the hook that stopped, where a trace keeps what it was.
        self.kept: Kept | None = None
        self.gating: Gating | None = None
        #: Where hooks that only watch stopped; None where they did not.
        self.watching: Watching | None = None


Loop = Callable[[HookContext], "Unfinished | None"]
"""A compiled loop: it runs a dispatch and returns what it could not do."""

AsyncLoop = Callable[[HookContext], "Unfinished | Coroutine[Any, Any, Unfinished | None] | None"]
"""A loop of async hosts: it runs a dispatch until a hook waits, and returns the rest of it then."""

ALL: Final = Unfinished()
"""All of the dispatch is left."""


def leave(_ctx: HookContext) -> Unfinished:
    """Leave all of a dispatch to the engine."""
    return ALL


async def whole(loop: AsyncLoop, ctx: HookContext) -> Unfinished | None:
    """Run a loop of async hosts to its end."""
    left = loop(ctx)
    return left if left is None or type(left) is Unfinished else await left
