"""The heartbeat: a tick in each interval, and the prompts that are due with it."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hookcore_specs import ChannelMessage, GatewayContext

from .channels import Ticket
from .errors import GatewayClosedError, GatewayError, QueueFullError
from .jobs import Address
from .limits import Limits
from .shown import log_failure, shown
from .telling import told

if TYPE_CHECKING:
    from hookcore import HookManager

__all__ = ["SENDER", "Heartbeat", "Prompt", "checked"]

logger = logging.getLogger("hookcore")

SENDER = "heartbeat"
"""The sender of scheduled prompts."""

Submit = Callable[[ChannelMessage, str, Address, int], Ticket]


@dataclass(frozen=True)
class Prompt:
    """A prompt that the heartbeat brings to an agent, as a message like any other.

    Args:
        text: what the agent is asked.
        channel: the channel that the answer goes to.
        recipient: to whom there.
        agent: the agent's name; the gateway's first when it is empty.
        every: with each how-many-th beat.
        thread: in which thread there.
    """

    text: str
    channel: str
    recipient: str
    agent: str = ""
    every: int = 1
    thread: str | None = None


class Heartbeat:
    """Ticks until it is cancelled.

    Args:
        manager: the hooks.
        interval: seconds between two beats.
        prompts: the scheduled prompts.
        submit: takes a message, its path, where the reply goes, and the prompt's number.
        address: the gateway's host and port.
        limits: the bounds.
    """

    def __init__(
        self,
        manager: HookManager,
        interval: float,
        prompts: Sequence[Prompt],
        submit: Submit,
        *,
        address: tuple[str | None, int | None],
        limits: Limits,
    ) -> None:
        self._manager = manager
        self._interval = interval
        self._prompts = prompts
        self._submit = submit
        self._address = address
        self._limits = limits
        self._pending: dict[int, asyncio.Task[object]] = {}

    async def run(self, stopping: asyncio.Event) -> None:
        """Beat once in each interval; a beat that slow hooks delay is left out, not made up for.

        Args:
            stopping: ends it.
        """
        loop = asyncio.get_running_loop()
        beat, due = 0, loop.time() + self._interval
        while not await _set_within(stopping, due - loop.time()):
            beat += 1
            await self._beat(beat)
            missed = max(0.0, loop.time() - due) // self._interval
            due += self._interval * (missed + 1)

    async def _beat(self, beat: int) -> None:
        host, port = self._address
        ctx = GatewayContext(host=host, port=port)
        times = (self._limits.heartbeat_tick, self._limits.grace)
        error = await told(self._manager, "heartbeat_tick", ctx, *times)
        if error is not None:  # the next beat comes all the same
            log_failure(logger, error, "a hook at heartbeat_tick failed")
        for index, prompt in enumerate(self._prompts):
            if beat % prompt.every == 0:
                self._ask(index, prompt)

    def _ask(self, index: int, prompt: Prompt) -> None:
        pending = self._pending.get(index)
        if pending is not None and not pending.done():
            logger.warning("the heartbeat's prompt %d is left out: the last one still runs", index)
            return
        message = ChannelMessage(
            channel=prompt.channel,
            sender=SENDER,
            recipient=prompt.agent,
            content=prompt.text,
            thread=prompt.thread,
        )
        address = Address(prompt.channel, prompt.recipient, prompt.thread)
        try:
            ticket = self._submit(message, "heartbeat", address, index)
        except (QueueFullError, GatewayClosedError) as error:
            logger.warning("the heartbeat's prompt %d is left out: %s", index, shown(error))
        else:
            self._pending[index] = asyncio.ensure_future(ticket.outcome())


async def _set_within(event: asyncio.Event, seconds: float) -> bool:
    waiter = asyncio.ensure_future(event.wait())
    try:
        await asyncio.wait({waiter}, timeout=max(0.0, seconds))
    finally:
        waiter.cancel()
    return event.is_set()


def checked(
    prompts: Sequence[Prompt],
    channels: Sequence[str],
    agents: Sequence[str],
    interval: float | None,
) -> None:
    """Check the heartbeat's settings.

    Raises:
        GatewayError: the interval is no positive number, or a prompt can never be answered.
    """
    if interval is not None and not interval > 0:
        raise GatewayError(f"heartbeat= takes a positive number of seconds, not {interval}")
    for prompt in prompts:
        if interval is None:
            raise GatewayError("prompts= are asked by the heartbeat: give heartbeat= an interval")
        if prompt.channel not in channels:
            known = ", ".join(channels)
            raise GatewayError(f"a prompt's channel {prompt.channel!r} is not one of: {known}")
        if prompt.agent and prompt.agent not in agents:
            known = ", ".join(agents)
            raise GatewayError(f"a prompt's agent {prompt.agent!r} is not one of: {known}")
        if prompt.every < 1:
            raise GatewayError(f"a prompt's every= is at least 1, not {prompt.every}")
