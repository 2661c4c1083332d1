"""The protocol of a channel, what it hands messages to, and the channel that lies in memory."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

from hookcore_specs import ChannelMessage

from .errors import GatewayClosedError, QueueFullError

__all__ = ["Channel", "InMemoryChannel", "Inlet", "Listening", "Outcome", "Ticket"]


@dataclass(frozen=True)
class Outcome:
    """The fate of a message.

    Args:
        status: "replied", "command", "denied", "error", "timeout", "stopped" or "shutdown".
        delivered: what was sent back; None when nothing was, or its delivery failed.
    """

    status: str
    delivered: ChannelMessage | None = None


class Ticket:
    """Stands for an accepted message until it has been dealt with.

    Args:
        message_id: the message's id.
    """

    def __init__(self, message_id: str) -> None:
        self.message_id = message_id
        self._done: asyncio.Future[Outcome] = asyncio.get_running_loop().create_future()

    async def outcome(self) -> Outcome:
        """Wait until the message has been dealt with, and return what became of it."""
        return await asyncio.shield(self._done)

    def finish(self, outcome: Outcome) -> None:
        """Say what became of the message; the first word counts."""
        if not self._done.done():
            self._done.set_result(outcome)


class Inlet:
    """The place where a channel hands in the messages that it receives.

    Args:
        accept: takes a message and its path.
        room: returns when there is room again.
        message_bytes: how long a message may be; None when nobody says.
    """

    def __init__(
        self,
        accept: Callable[[ChannelMessage, str], Ticket],
        room: Callable[[], Awaitable[None]],
        message_bytes: int | None = None,
    ) -> None:
        self._accept = accept
        self._room = room
        self.message_bytes = message_bytes

    def offer(self, message: ChannelMessage, path: str = "channel") -> Ticket:
        """Hand in a message.

        Args:
            message: the message.
            path: the way it came, which hooks read in ``ctx.attributes["path"]``.

        Raises:
            QueueFullError: too many messages wait; say so to the sender.
            GatewayClosedError: the gateway is stopping.
            MessageTooLargeError: the message is too long.
        """
        return self._accept(message, path)

    async def put(self, message: ChannelMessage, path: str = "channel") -> Ticket:
        """Hand in a message as soon as there is room, for channels that can wait.

        Raises:
            GatewayClosedError: the gateway is stopping.
            MessageTooLargeError: the message is too long.
        """
        while True:
            try:
                return self._accept(message, path)
            except QueueFullError:
                await self._room()


@runtime_checkable
class Channel(Protocol):
    """A way in which messages come and go."""

    @property
    def name(self) -> str:
        """The channel's name, unique in its gateway."""
        ...

    async def receive(self, inlet: Inlet) -> None:
        """Hand in messages until there are no more, or until it is cancelled."""
        ...

    async def send(self, message: ChannelMessage) -> None:
        """Deliver a message; return when that is done.

        Raises:
            DeliveryError: it cannot be delivered. Any other exception means the same.
        """
        ...


@runtime_checkable
class Listening(Protocol):
    """A channel with an address, which is bound before the gateway says that it has started."""

    async def listen(self) -> tuple[str, int]:
        """Bind the address and return its host and port."""
        ...

    async def close(self) -> None:
        """Give the address back."""
        ...


class InMemoryChannel:
    """A channel of this process: for tests, and for programs that speak to their own agent.

    Args:
        name: the channel's name.
    """

    def __init__(self, name: str = "memory") -> None:
        self.name = name
        #: What was delivered, in order.
        self.sent: list[ChannelMessage] = []
        self._inlet: Inlet | None = None
        self._changed = asyncio.Condition()

    async def receive(self, inlet: Inlet) -> None:
        """Let :meth:`post` hand in messages."""
        self._inlet = inlet
        await asyncio.get_running_loop().create_future()

    async def send(self, message: ChannelMessage) -> None:
        """Keep a message in :attr:`sent`."""
        async with self._changed:
            self.sent.append(message)
            self._changed.notify_all()

    def post(self, content: str, sender: str = "user", recipient: str = "", **more: Any) -> Ticket:
        """Hand in a message, as if its sender had written it.

        Args:
            content: the text.
            sender: who writes it.
            recipient: to whom, the name of an agent.
            more: other fields of the ChannelMessage.

        Raises:
            GatewayClosedError: the gateway does not run.
            QueueFullError: too many messages wait.
        """
        if self._inlet is None:
            raise GatewayClosedError(f"the gateway of channel {self.name} has not started")
        return self._inlet.offer(
            ChannelMessage(
                channel=self.name, sender=sender, recipient=recipient, content=content, **more
            )
        )

    async def delivered(self, count: int) -> list[ChannelMessage]:
        """Wait until so many messages were delivered and return all of them."""
        async with self._changed:
            await self._changed.wait_for(lambda: len(self.sent) >= count)
            return list(self.sent)
