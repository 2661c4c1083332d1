"""One extension's part in one request, as the adapters of the points see it."""

from __future__ import annotations

from collections.abc import Callable

from hookcore_specs import HookContext

from ..context import RequestContext
from .groups import AllHooks

__all__ = ["Find", "Part"]


class Part:
    """One extension's part in one request.

    Args:
        extension: the extension.
        context: the request.
    """

    def __init__(self, extension: AllHooks, context: RequestContext) -> None:
        self.extension = extension
        self.context = context
        #: Whether ``on_success`` was called, after which ``on_error`` is not.
        self.saw_success = False

    def is_meant(self, ctx: HookContext) -> bool:
        """Tell whether a dispatch is of this request, and not of a sub-agent's in it."""
        return ctx.run_id == self.context.run_id


Find = Callable[[HookContext], "Part | None"]
"""Gives the part in the request that a dispatch is of."""
