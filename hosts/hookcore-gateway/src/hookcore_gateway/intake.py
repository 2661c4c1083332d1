"""The intake of messages: what is accepted has an id, a ticket and a place to reply to."""

from __future__ import annotations

import time
import uuid
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace

from hookcore.hosting import copy_payload
from hookcore_specs import ChannelMessage

from .channels import Channel, Ticket
from .commands import STOP, command_of
from .errors import GatewayClosedError, GatewayError
from .jobs import Address, Job
from .limits import Limits
from .pool import Pool
from .shown import shown
from .sizes import check_size

__all__ = ["Intake"]


class Intake:
    """Accepts messages for the pool, or refuses them.

    Args:
        pool: the workers.
        limits: the bounds.
        channels: the channels by name.
        stats: counts what is accepted, refused, and how it ended.
    """

    def __init__(
        self, pool: Pool, limits: Limits, channels: Mapping[str, Channel], stats: Counter[str]
    ) -> None:
        self.pool = pool
        self.is_open = False
        self._limits = limits
        self._channels = channels
        self._stats = stats

    def accept(
        self,
        message: ChannelMessage,
        path: str,
        address: Address | None = None,
        prompt: int | None = None,
    ) -> Ticket:
        """Take a message in.

        Args:
            message: the message, which stays the caller's.
            path: the way it came.
            address: where the reply goes; to the message's channel and sender when None.
            prompt: which of the heartbeat's prompts it is.

        Raises:
            QueueFullError: too many messages wait.
            GatewayClosedError: the gateway does not run.
            MessageTooLargeError: the message is too long.
            GatewayError: the gateway has no such channel.
        """
        try:
            job = self._job(message, path, address, prompt)
            self._submit(job)
        except GatewayError:
            self._stats["refused"] += 1
            raise
        self._stats["accepted"] += 1
        job.ticket._done.add_done_callback(lambda done: self._count(done.result().status))
        return job.ticket

    def _count(self, status: str) -> None:
        self._stats[status] += 1

    def _job(
        self, message: ChannelMessage, path: str, address: Address | None, prompt: int | None
    ) -> Job:
        if not self.is_open:
            raise GatewayClosedError("the gateway is not running")
        if message.channel not in self._channels:
            known = ", ".join(self._channels)
            raise GatewayError(f"there is no channel {shown(message.channel)} (there are: {known})")
        limits = self._limits
        size = check_size(message, limits.message_bytes, limits.identifier_bytes)
        own = replace(
            copy_payload(message),
            id=message.id or uuid.uuid4().hex,
            timestamp=time.time() if message.timestamp is None else message.timestamp,
        )
        reply_to = address or Address(own.channel, own.sender, own.thread)
        return Job(own, path, reply_to, Ticket(str(own.id)), prompt, size=size)

    def _submit(self, job: Job) -> None:
        if job.prompt is not None or command_of(job.message.content) != STOP:
            self.pool.submit(job)
            return
        # At once, and before any hook: a hook that hangs is a reason to ask for it.
        stopped = self.pool.cancel(lambda other: _same_sender(job, other), "stopped")
        job.reply = "Nothing to stop." if not stopped else f"Stopped: {stopped}."
        self.pool.submit_urgent(job)


def _same_sender(job: Job, other: Job) -> bool:
    return job.origin[:3] == other.origin[:3]
