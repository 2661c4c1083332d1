"""What a compiled loop leaves to the engine."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from hookcore_specs import HookContext

if TYPE_CHECKING:
    from ._record import Account

__all__ = ["Fast", "Rest"]


class Rest:
    """What a compiled loop leaves to the engine: all of the dispatch, or the rest of it."""

    __slots__ = ("account", "resume")

    def __init__(
        self, resume: tuple[int, Any] | None = None, account: Account | None = None
    ) -> None:
        self.resume = resume
        self.account = account


Fast = Callable[[HookContext], "Rest | None"]
