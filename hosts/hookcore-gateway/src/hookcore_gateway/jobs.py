"""A message on its way through the gateway."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from hookcore_specs import ChannelMessage

from .channels import Ticket
from .visits import Origin, Visit

__all__ = ["Address", "Answer", "Job"]


@dataclass(frozen=True)
class Address:
    """The address of a reply: where its message came from, whatever hooks make of the message."""

    channel: str
    recipient: str
    thread: str | None = None


@dataclass(frozen=True)
class Answer:
    """The answer to a message.

    Args:
        status: as in :class:`Outcome`.
        text: the words.
        agent: who says them, when an agent does.
        run_id: the run that they come from.
    """

    status: str
    text: str
    agent: Any = None
    run_id: str | None = None


@dataclass(eq=False)
class Job:
    """A message, where its reply goes, and how far it has got."""

    message: ChannelMessage
    path: str
    address: Address
    ticket: Ticket
    #: Which of the heartbeat's prompts it is; no sender can write as one of them.
    prompt: int | None = None
    #: How many bytes the message has.
    size: int = 0
    visit: Visit | None = None
    agent: Any = None
    #: The reply of a command that took effect when it came in.
    reply: str | None = None
    #: Why the work was cancelled.
    cause: str | None = None
    #: A delivery that has begun is let end: nobody could tell how much of it got there.
    sending: bool = False
    delivered: ChannelMessage | None = None
    #: What is said in the place of a reply that a policy refused.
    refused: Answer | None = None
    task: asyncio.Task[Any] | None = None
    withdrawn: asyncio.Task[Any] | None = None
    #: Gives its place among those that are worked on to another message.
    make_way: Callable[[], None] | None = None
    origin: Origin = field(init=False)

    def __post_init__(self) -> None:
        message = self.message
        self.origin = (self.prompt, message.channel, message.sender, message.thread)

    def cancel(self, cause: str) -> None:
        """Cancel the work; a later cause does not replace an earlier one."""
        self.cause = self.cause or cause
        if self.task is not None and not self.sending:
            self.withdraw(self.task)

    def begin_sending(self) -> None:
        """Note that the delivery begins; however long the reader takes, the others go on."""
        self.sending = True
        if self.make_way is not None:
            self.make_way()

    def withdraw(self, task: asyncio.Task[Any]) -> None:
        """Cancel a task of this job, which must begin nothing from now on."""
        self.withdrawn = task
        task.cancel()

    def go_on(self, *, though_withdrawn: bool = False) -> None:
        """Return when the task that asks is still wanted; a hook may have swallowed its cancel.

        Args:
            though_withdrawn: whether it is wanted for as long as somebody waits for it.

        Raises:
            CancelledError: it is not.
        """
        task = asyncio.current_task()
        if task is not self.task or (task is self.withdrawn and not though_withdrawn):
            raise asyncio.CancelledError
