"""The points of messages on channels."""

from __future__ import annotations

from ..contexts import MessageContext
from ..markers import hookspec
from ..messages import ChannelMessage
from ..points import Kind

__all__ = ["MessageSpecs"]


class MessageSpecs:
    """A message comes in, is about to leave, or was delivered."""

    @hookspec(payload=ChannelMessage, context=MessageContext)
    def message_received(self, ctx: MessageContext) -> ChannelMessage | None:
        """A message came in; an abort drops it before the agent sees it."""

    @hookspec(payload=ChannelMessage, context=MessageContext)
    def message_sending(self, ctx: MessageContext) -> ChannelMessage | None:
        """A message is about to leave; an abort keeps it from being sent."""

    @hookspec(kind=Kind.OBSERVE, payload=ChannelMessage, context=MessageContext)
    def message_sent(self, ctx: MessageContext) -> None:
        """A message was delivered; the payload is what was really sent."""
