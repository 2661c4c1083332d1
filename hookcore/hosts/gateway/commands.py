"""Commands: what a sender says to the gateway and not to an agent."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Mapping

from hookcore_specs import ChannelMessage

__all__ = ["STOP", "Command", "command_of", "replied"]

STOP = "stop"

Command = Callable[[ChannelMessage], "Awaitable[str] | str"]
"""Does what a command says and returns the reply to it; plain or async."""


def command_of(content: str) -> str | None:
    """Return the name of the command that a text begins with, or None.

    Args:
        content: the text; ``/stop`` and ``/stop now`` are the command ``stop``.
    """
    words = content.split(maxsplit=1)
    if not words or not words[0].startswith("/"):
        return None
    return words[0][1:].lower()


async def replied(commands: Mapping[str, Command], message: ChannelMessage) -> str | None:
    """Carry out the command in a message, if it is one, and return the reply.

    Args:
        commands: the commands by name.
        message: the message, as the hooks left it.
    """
    command = commands.get(command_of(message.content) or "")
    if command is None:
        return None
    reply = command(message)
    return await reply if inspect.isawaitable(reply) else reply
