"""A channel on the terminal: a line in is a message, a message out is a line."""

from __future__ import annotations

import asyncio
import sys
import threading
from contextlib import suppress
from typing import TextIO

from hookcore_specs import ChannelMessage

from .channels import Inlet
from .errors import MessageTooLargeError

__all__ = ["TerminalChannel"]


class TerminalChannel:
    """Reads messages from a stream, line by line, and writes replies to another.

    Args:
        name: the channel's name.
        sender: who writes.
        source: what is read; standard input when None.
        target: what is written to; standard output when None.
    """

    def __init__(
        self,
        name: str = "terminal",
        sender: str = "user",
        source: TextIO | None = None,
        target: TextIO | None = None,
    ) -> None:
        self.name = name
        self._sender = sender
        self._source = source
        self._target = target

    async def receive(self, inlet: Inlet) -> None:
        """Hand in line after line until the stream ends."""
        lines: asyncio.Queue[str | None] = asyncio.Queue()
        loop = asyncio.get_running_loop()
        # A thread of its own, and one that nobody waits for: a read cannot be cancelled.
        reader = threading.Thread(
            target=self._read, args=(loop, lines), name=f"{self.name}-reader", daemon=True
        )
        reader.start()
        while (line := await lines.get()) is not None:
            message = ChannelMessage(
                channel=self.name, sender=self._sender, recipient="", content=line
            )
            try:
                await inlet.put(message)
            except MessageTooLargeError as error:
                self._write(f"{error}")

    def _read(self, loop: asyncio.AbstractEventLoop, lines: asyncio.Queue[str | None]) -> None:
        source = sys.stdin if self._source is None else self._source
        with suppress(RuntimeError):  # the loop has been closed
            for line in source:
                if line.strip():
                    loop.call_soon_threadsafe(lines.put_nowait, line.rstrip("\r\n"))
            loop.call_soon_threadsafe(lines.put_nowait, None)

    async def send(self, message: ChannelMessage) -> None:
        """Write a message."""
        self._write(message.content)

    def _write(self, text: str) -> None:
        target = sys.stdout if self._target is None else self._target
        target.write(f"{text}\n")
        target.flush()
