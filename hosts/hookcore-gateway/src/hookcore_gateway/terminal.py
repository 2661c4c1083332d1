"""A channel on the terminal: a line in is a message, a message out is a line."""

from __future__ import annotations

import asyncio
import io
import logging
import re
import sys
import threading
from contextlib import suppress
from typing import TextIO

from hookcore_specs import ChannelMessage

from .channels import Inlet
from .errors import MessageTooLargeError
from .shown import log_failure, shown

__all__ = ["TerminalChannel"]

logger = logging.getLogger("hookcore")

_MOST = 1024 * 1024
_STEERING = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")


class TerminalChannel:
    """Reads messages from a stream, line by line, and writes replies to another.

    Bytes that are no text are read as U+FFFD, and written is no character that would steer the
    terminal: a reply is whatever a model made it.

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
        source = sys.stdin if self._source is None else self._source
        lines = _Lines(source, self.name, inlet.message_bytes or _MOST)
        try:
            while (line := await lines.next()) is not None:
                message = ChannelMessage(
                    channel=self.name, sender=self._sender, recipient="", content=line
                )
                try:
                    await inlet.put(message)
                except MessageTooLargeError as error:
                    self._write(f"{error}")
        finally:
            lines.close()

    async def send(self, message: ChannelMessage) -> None:
        """Write a message."""
        self._write(message.content)

    def _write(self, text: str) -> None:
        target = sys.stdout if self._target is None else self._target
        text = _STEERING.sub("\N{REPLACEMENT CHARACTER}", text)
        encoding = getattr(target, "encoding", None) or "utf-8"
        target.write(f"{text.encode(encoding, 'replace').decode(encoding)}\n")
        target.flush()


class _Lines:
    """The lines of a stream, read by a thread of its own, one ahead of who takes them.

    Nobody waits for the thread: a read cannot be cancelled.

    Args:
        source: the stream.
        name: the channel's name.
        most: how many characters of a line are read, and one more; the rest of it is passed over.
    """

    def __init__(self, source: TextIO, name: str, most: int) -> None:
        self._source = source
        self._name = name
        self._most = most
        self._loop = asyncio.get_running_loop()
        self._read_ones: asyncio.Queue[str | None] = asyncio.Queue()
        self._wanted = threading.Semaphore(0)
        self._closed = False
        threading.Thread(target=self._read, name=f"{name}-reader", daemon=True).start()

    async def next(self) -> str | None:
        """Return the next line; None after the last one."""
        self._wanted.release()
        return await self._read_ones.get()

    def close(self) -> None:
        """Let the thread end with the line that it reads."""
        self._closed = True
        self._wanted.release()

    def _read(self) -> None:
        if isinstance(self._source, io.TextIOWrapper):
            with suppress(OSError):  # it has been read from
                self._source.reconfigure(errors="replace")
        try:
            self._pass_on()
        except Exception as error:  # noqa: BLE001 - whatever it is, there are no more lines
            log_failure(logger, error, "channel %s cannot read on", shown(self._name))
        self._give(None)

    def _pass_on(self) -> None:
        # A line without an end would fill the memory before anybody could refuse it.
        while line := self._source.readline(self._most + 1):
            rest = line
            while rest and not rest.endswith("\n") and len(rest) > self._most:
                rest = self._source.readline(self._most + 1)
            if line.strip() or rest is not line:
                # What nobody has asked for yet stays here, and what comes after it unread.
                self._wanted.acquire()
                if self._closed:
                    return
                self._give(line.rstrip("\r\n"))

    def _give(self, line: str | None) -> None:
        with suppress(RuntimeError):  # the loop has been closed
            self._loop.call_soon_threadsafe(self._read_ones.put_nowait, line)
