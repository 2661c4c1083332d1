"""What a compiled loop leaves to the engine."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

from hookcore_specs import HookContext
from hookcore_specs._runtime import STATES, Frame

if TYPE_CHECKING:
    from .plan import Chain
    from .records import Account

__all__ = ["ENGINE_ONLY", "Fast", "Rest", "leave"]


Fast = Callable[[HookContext], "Rest | None"]


class Rest:
    """What a compiled loop leaves to the engine: all of the dispatch, or the rest of it.

    Args:
        resume: a hook's index, the awaitable that it returned, and the payload before its call.
        chain: the chain that is half done, which a hook may have renamed the tool of.
        frame: the frame of the loop, whose states go on.
        account: what happened so far, when somebody listens.
        tool: the tool's name before any hook changed it, when somebody listens.
    """

    __slots__ = ("account", "chain", "resume", "states", "tool")

    def __init__(
        self,
        resume: tuple[int, Any, Any] | None = None,
        chain: Chain | None = None,
        frame: Frame | None = None,
        account: Account | None = None,
        tool: Any = None,
    ) -> None:
        self.resume = resume
        self.chain = chain
        self.states = None if frame is None else frame[STATES]
        self.account = account
        self.tool = tool


ENGINE_ONLY: Final = Rest()
"""All of the dispatch is left."""


def leave(_ctx: HookContext) -> Rest:
    """Leave all of a dispatch to the engine."""
    return ENGINE_ONLY
