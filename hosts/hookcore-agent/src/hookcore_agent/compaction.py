"""Compaction: what shortens a conversation before the model sees it."""

from __future__ import annotations

from collections.abc import Awaitable, Sequence
from typing import Any, Protocol

from .messages import Message

__all__ = ["Compaction", "KeepLast"]


class Compaction(Protocol):
    """A way to shorten; its place is after ``pre_turn`` and before the model's points.

    The ``context`` is the request, a :class:`RequestContext`.
    """

    def is_due(self, context: Any) -> bool:
        """Tell whether the messages in force have to be shortened."""
        ...

    def compact(self, context: Any) -> Awaitable[Sequence[Any] | None]:
        """Return the messages for this turn, None to leave them.

        ``context.persist()`` in here keeps the shortened ``context.messages`` for later turns.
        """
        ...


class _Shortened(Protocol):
    """Something that can be shortened; a request is one."""

    @property
    def messages(self) -> list[Message]: ...

    def persist(self) -> None: ...


class KeepLast:
    """Keeps the last messages, and system messages; never an answer of a tool without its call.

    Args:
        most: how many messages are kept; a few less when a tool's answer would stand first.
    """

    def __init__(self, most: int) -> None:
        if most < 1:
            raise ValueError(f"KeepLast takes a positive number of messages, not {most!r}")
        self.most = most

    def is_due(self, context: _Shortened) -> bool:
        """Tell whether there are more messages than are kept."""
        if len(context.messages) <= self.most:
            return False
        spoken = [message for message in context.messages if message["role"] != "system"]
        return len(spoken) > self.most

    async def compact(self, context: _Shortened) -> None:
        """Drop the older messages, for the turns that follow too."""
        spoken = [message for message in context.messages if message["role"] != "system"]
        kept: list[Message] = spoken[-self.most :]
        if any(message["role"] != "tool" for message in kept):
            while kept[0]["role"] == "tool":
                del kept[0]
        else:  # the last answer asked for more calls than are kept
            start = max(i for i, message in enumerate(spoken) if message["role"] != "tool")
            kept = spoken[start:]
        wanted = {id(message) for message in kept}
        context.messages[:] = [
            message
            for message in context.messages
            if message["role"] == "system" or id(message) in wanted
        ]
        context.persist()
