"""The points at which a request is set up."""

from __future__ import annotations

from typing import Any

from ..contexts import SetupContext
from ..markers import hookspec

__all__ = ["SetupSpecs"]


class SetupSpecs:
    """A request is prepared before its run begins: tools, state, message."""

    @hookspec(context=SetupContext)
    def setup_tools(self, ctx: SetupContext) -> Any:
        """The tools of the request are gathered; the payload is the host's tool registry."""

    @hookspec(context=SetupContext)
    def setup_state(self, ctx: SetupContext) -> Any:
        """The state of the request is restored; the payload is the host's state."""

    @hookspec(context=SetupContext)
    def setup_message(self, ctx: SetupContext) -> Any:
        """The input message is prepared; the payload is that message."""
