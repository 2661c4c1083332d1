"""What a compiled loop leaves to the engine."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

from hookcore_specs import HookContext

if TYPE_CHECKING:
    from ._record import Account

__all__ = ["ENGINE_ONLY", "Fast", "Rest", "leave"]


Fast = Callable[[HookContext], "Rest | None"]


class Rest:
    """What a compiled loop leaves to the engine: all of the dispatch, or the rest of it."""

    __slots__ = ("account", "resume")

    def __init__(
        self, resume: tuple[int, Any] | None = None, account: Account | None = None
    ) -> None:
        self.resume = resume
        self.account = account


ENGINE_ONLY: Final = Rest()
"""All of the dispatch is left."""


def leave(_ctx: HookContext) -> Rest:
    """Leave all of a dispatch to the engine."""
    return ENGINE_ONLY
