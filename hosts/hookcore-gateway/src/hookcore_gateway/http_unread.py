"""Replies on their way to clients who may never read them: bounded in bytes, all together."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass

from .seldom import Seldom

__all__ = ["Unread", "Writing"]

logger = logging.getLogger("hookcore")


@dataclass(eq=False)
class Writing:
    """A reply that is being written.

    Args:
        transport: the transport of its connection.
        size: its length in bytes, which are in memory until its client has read it.
        left: how many of them the client had not taken when somebody last looked.
    """

    transport: asyncio.Transport
    size: int
    left: int


class Unread:
    """The replies of a channel that their clients have not read yet.

    Args:
        most: how many bytes they may have together. Where they would have more, connections are
            dropped: first of clients who have read nothing since the last time, the oldest first.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._writing: dict[Writing, None] = {}
        self._dropped = Seldom()
        #: How many bytes are in memory for replies that are being written.
        self.size = 0

    def enter(self, transport: asyncio.Transport, size: int) -> Writing:
        """Take note that a reply is written from now on; make room for it."""
        new = Writing(transport, size, size)
        self._writing[new] = None
        self.size += size
        if self.size > self._most:
            self._make_room(new)
        return new

    def leave(self, writing: Writing) -> None:
        """Take note that a reply is written, or that nobody takes it any more."""
        if writing in self._writing:
            del self._writing[writing]
            self.size -= writing.size

    def _make_room(self, new: Writing) -> None:
        others = [item for item in self._writing if item is not new]
        silent = [item for item in others if item.transport.get_write_buffer_size() >= item.left]
        for item in others:
            item.left = item.transport.get_write_buffer_size()
        for item in (*silent, *others):
            if self.size <= self._most:
                break
            if item in self._writing:
                self.leave(item)
                item.transport.abort()
                if (more := self._dropped.due()) is not None:
                    logger.warning(
                        "a connection was closed: its reply was not read, and there is no room "
                        "for more (%d others since the last such line)",
                        more,
                    )
