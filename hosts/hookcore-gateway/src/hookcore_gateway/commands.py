"""Commands: what a sender says to the gateway and not to an agent."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING, Any, Final

from hookcore_specs import ChannelMessage

from .errors import GatewayError
from .shown import shown

if TYPE_CHECKING:
    from .sessions import Sessions

__all__ = ["STOP", "Command", "Commands", "command_of"]

STOP: Final = "stop"
NEW: Final = "new"

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


class Commands:
    """The gateway's own commands and those of the operator.

    Args:
        given: the operator's, by name.
        sessions: the sessions, which ``/new`` ends.

    Raises:
        GatewayError: one can never be called.
    """

    def __init__(self, given: Mapping[str, Command], sessions: Sessions) -> None:
        for name, command in given.items():
            _check(name, command)
        self._given = dict(given)
        self._sessions = sessions

    async def reply(self, message: ChannelMessage, prompt: int | None) -> str | None:
        """Carry out the command in a message, if it is one, and return the reply.

        Args:
            message: the message, as the hooks left it.
            prompt: which of the heartbeat's prompts it is.

        Raises:
            GatewayError: an operator's command returned no text.
        """
        name = command_of(message.content)
        if name == STOP:
            # A hook made this command of another text: what its sender has in flight is this.
            return "Nothing to stop."
        if name == NEW:
            return await self._new(message, prompt)
        command = self._given.get(name or "")
        if command is None:
            return None
        made: Any = command(message)
        text = await made if inspect.isawaitable(made) else made
        if not isinstance(text, str):
            kind = type(text).__name__
            raise GatewayError(f"the command /{shown(name)} returned {kind}, and not a text")
        return text

    async def _new(self, message: ChannelMessage, prompt: int | None) -> str:
        origin = (prompt, message.channel, message.sender, message.thread)
        await self._sessions.end_of(origin, "new")
        return "A new conversation begins."


def _check(name: Any, command: Any) -> None:
    if name in (STOP, NEW):
        raise GatewayError(f"commands= has {name!r}, which is a command of the gateway's own")
    if not isinstance(name, str) or name.split() != [name] or "/" in name:
        raise GatewayError(
            f"commands= has {name!r}: a name is one word without spaces and slashes, "
            'as in {"status": ...} for /status'
        )
    if name != name.lower():
        raise GatewayError(f"commands= has {name!r}: senders reach a name in lower case only")
    if not callable(command):
        raise GatewayError(f"commands= has no function for {name!r}")
