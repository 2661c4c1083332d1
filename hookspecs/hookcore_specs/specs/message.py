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
        """A message came in on a channel; the agent has not seen it, and no history holds it.

        The payload is the :class:`ChannelMessage`: ``channel``, ``sender``, ``recipient``,
        ``content`` and more.

        Continue or edit its fields in place, or return another message, which the agent gets
        instead. An abort drops it: the agent never sees it, and the sender is told the abort's
        ``message`` at most.

        Example::

            from hookcore import (
                ChannelMessage,
                HookAborted,
                HookManager,
                MessageContext,
                hookimpl,
            )

            class KnownSenders:
                @hookimpl(gate=True)
                def message_received(self, ctx: MessageContext):
                    if ctx.payload.sender not in {"ana", "ben"}:
                        raise HookAborted(f"unknown sender on {ctx.payload.channel}")

            manager = HookManager()
            manager.register(KnownSenders())
            mail = ChannelMessage(channel="mail", sender="eve", recipient="bot", content="hi")
            try:
                manager.dispatch("message_received", MessageContext(payload=mail))
            except HookAborted as dropped:
                told = str(dropped)
            assert told == "unknown sender on mail"
        """

    @hookspec(payload=ChannelMessage, context=MessageContext)
    def message_sending(self, ctx: MessageContext) -> ChannelMessage | None:
        """A message is about to leave; nothing of it has been sent.

        The payload is the outgoing :class:`ChannelMessage`.

        Continue or edit its fields in place, or return another message, which is sent instead. An
        abort keeps it from being sent, and ``message_sent`` does not fire. Gates judge what will
        really leave, its recipient included.

        Example::

            from dataclasses import replace
            from hookcore import ChannelMessage, HookManager, MessageContext, hookimpl

            class ShortMessages:
                @hookimpl
                def message_sending(self, ctx: MessageContext):
                    if ctx.payload.channel == "sms" and len(ctx.payload.content) > 160:
                        return replace(ctx.payload, content=ctx.payload.content[:157] + "...")

            manager = HookManager()
            manager.register(ShortMessages())
            sms = ChannelMessage(channel="sms", sender="bot", recipient="ana", content="x" * 500)
            ctx = manager.dispatch("message_sending", MessageContext(payload=sms))
            assert len(ctx.payload.content) == 160
        """

    @hookspec(kind=Kind.OBSERVE, payload=ChannelMessage, context=MessageContext)
    def message_sent(self, ctx: MessageContext) -> None:
        """A message was delivered; it fires after delivery succeeded, and only then.

        The payload is the :class:`ChannelMessage` as it was really sent. Nothing can be changed or
        stopped here.

        Example::

            from collections import Counter
            from hookcore import ChannelMessage, HookManager, MessageContext, hookimpl

            class Volume:
                sent = Counter()

                @hookimpl
                def message_sent(self, ctx: MessageContext):
                    self.sent[ctx.payload.channel] += 1

            manager = HookManager()
            manager.register(Volume())
            sms = ChannelMessage(channel="sms", sender="bot", recipient="ana", content="done")
            manager.dispatch("message_sent", MessageContext(payload=sms))
            assert Volume.sent == {"sms": 1}
        """
