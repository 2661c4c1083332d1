"""Deliveries: the only place where a message leaves the gateway."""

from __future__ import annotations

import logging
import time
import uuid
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from hookcore.hosting import Judging, adrive, copy_payload
from hookcore_specs import ChannelMessage, MessageContext

from .channels import Channel
from .errors import DeliveryError
from .jobs import Answer, Job
from .shown import log_failure, shown

if TYPE_CHECKING:
    from hookcore import HookManager

__all__ = ["Delivery"]

logger = logging.getLogger("hookcore")

_PLACE = ("channel", "recipient", "thread")
_FIXED = ("sender", "id", "metadata")


class Delivery:
    """Sends replies through their channels, past the hooks.

    Args:
        manager: the hooks.
        channels: the channels by name.
        allow_reroute: whether hooks may send a reply elsewhere than its message came from.
    """

    def __init__(
        self, manager: HookManager, channels: Mapping[str, Channel], *, allow_reroute: bool
    ) -> None:
        self._manager = manager
        self._channels = channels
        self._allow_reroute = allow_reroute

    async def deliver(self, job: Job, answer: Answer, sender: str) -> None:
        """Send an answer; ``job.delivered`` is then what was delivered.

        Args:
            job: the message that is answered.
            answer: the answer.
            sender: who says it.

        Raises:
            HookAborted: a policy keeps it from being sent.
            DeliveryError: the channel cannot deliver it.
        """
        message = _outgoing(job, answer, sender)
        fields = self._fields(job, answer)
        ctx = MessageContext(payload=copy_payload(message), **fields)
        made = await self._manager.asettle("message_sending", ctx)
        sent = await self._kept_in_place(message, made, ctx)
        channel = self._channels.get(sent.channel)
        if channel is None:
            chosen = shown(sent.channel)
            raise DeliveryError(f"a hook chose the channel {chosen}, and there is no such")
        job.go_on()
        job.begin_sending()
        await channel.send(copy_payload(sent))
        job.go_on(though_withdrawn=True)  # when nobody waits any more, it counts as lost
        job.delivered = sent
        try:
            await self._manager.adispatch("message_sent", MessageContext(payload=sent, **fields))
        except Exception as error:  # noqa: BLE001 - what was delivered stays so
            log_failure(logger, error, "a hook at message_sent failed")

    async def _kept_in_place(
        self, message: ChannelMessage, made: ChannelMessage, ctx: MessageContext
    ) -> ChannelMessage:
        """Return what the hooks made of a message, with what they may not change as it was."""
        kept = _FIXED if self._allow_reroute else (*_FIXED, *_PLACE)
        changed = [name for name in kept if getattr(made, name) != getattr(message, name)]
        if not changed:
            return made
        logger.warning(
            "a hook at message_sending changed %s of message %s, which does not count: %s",
            ", ".join(changed),
            shown(message.id),
            "a gateway with allow_reroute=True lets hooks change channel, recipient and thread",
        )
        corrected = replace(made, **{name: getattr(message, name) for name in changed})
        # The gates have judged another message than the one that leaves.
        plans = self._manager.parts.plans
        judging = Judging(plans, "message_sending", ctx, None, asynchronous=True)
        judged: ChannelMessage = await adrive(judging.judged_again(corrected))
        return judged

    @staticmethod
    def _fields(job: Job, answer: Answer) -> dict[str, Any]:
        return {
            "agent": answer.agent,
            "run_id": answer.run_id,
            "session_id": None if job.visit is None else job.visit.session_id,
            "attributes": {
                "path": job.path,
                "kind": answer.status,
                "in_reply_to": job.message.id,
            },
        }


def _outgoing(job: Job, answer: Answer, sender: str) -> ChannelMessage:
    return ChannelMessage(
        channel=job.address.channel,
        sender=sender,
        recipient=job.address.recipient,
        content=answer.text,
        id=uuid.uuid4().hex,
        thread=job.address.thread,
        timestamp=time.time(),
        metadata={"in_reply_to": job.message.id, "kind": answer.status},
    )
