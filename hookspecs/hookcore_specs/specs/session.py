"""The session's points."""

from __future__ import annotations

from ..contexts import SessionContext
from ..markers import hookspec
from ..points import Kind

__all__ = ["SessionSpecs"]


class SessionSpecs:
    """A conversation with one sender: it begins once and ends once."""

    @hookspec(kind=Kind.OBSERVE, context=SessionContext)
    def session_start(self, ctx: SessionContext) -> None:
        """A session begins on ``ctx.channel``; no payload."""

    @hookspec(kind=Kind.OBSERVE, context=SessionContext)
    def session_end(self, ctx: SessionContext) -> None:
        """A session ends, with ``ctx.reason``; no payload."""
