"""The standard streams of the process, taken for the protocol alone."""

from __future__ import annotations

import asyncio
import contextlib
import os
import stat
import sys
import threading
from collections.abc import Callable
from typing import BinaryIO, Final

__all__ = ["MOST_BYTES", "Outlet", "open_outlet", "open_reader", "take_standard_streams"]

MOST_BYTES: Final = 64 * 1024 * 1024
"""The size of the largest message that is taken."""
_CHUNK: Final = 65_536


def take_standard_streams() -> tuple[BinaryIO, BinaryIO]:
    """Take standard input and output; whatever else prints from now on does so to standard error.

    Returns:
        The streams for the protocol.
    """
    sys.stdout.flush()
    taken = os.fdopen(os.dup(0), "rb", buffering=0), os.fdopen(os.dup(1), "wb", buffering=0)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    return taken


async def open_reader(file: BinaryIO) -> asyncio.StreamReader:
    """Return a reader of a pipe, or of any other file."""
    loop = asyncio.get_running_loop()
    reader = asyncio.StreamReader(limit=MOST_BYTES)
    if _can_be_polled(file):
        await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), file)
    else:
        threading.Thread(target=_feed, args=(file, reader, loop), daemon=True).start()
    return reader


def _feed(file: BinaryIO, reader: asyncio.StreamReader, loop: asyncio.AbstractEventLoop) -> None:
    while chunk := file.read(_CHUNK):
        loop.call_soon_threadsafe(reader.feed_data, chunk)
    loop.call_soon_threadsafe(reader.feed_eof)


class Outlet:
    """A stream that messages are written to, whole, and in the order in which they are given.

    Args:
        write: takes bytes, and all of them.
        writer: the stream that they go to, where it has a buffer of its own.
    """

    def __init__(
        self, write: Callable[[bytes], object], writer: asyncio.StreamWriter | None = None
    ) -> None:
        self._write, self._writer = write, writer

    def send(self, line: bytes) -> None:
        """Send a message.

        Args:
            line: the message, with its end of line or without.
        """
        self._write(line if line.endswith(b"\n") else line + b"\n")

    async def closed(self) -> None:
        """Close the stream, once all has been read that was sent."""
        if self._writer is not None:
            self._writer.close()
            with contextlib.suppress(ConnectionError):
                await self._writer.wait_closed()

    async def drained(self) -> None:
        """Wait until the other side has read enough to be sent more."""
        if self._writer is not None:
            await self._writer.drain()


async def open_outlet(file: BinaryIO) -> Outlet:
    """Return an outlet to a pipe, or to any other file."""
    if not _can_be_polled(file):
        return Outlet(file.write)
    loop = asyncio.get_running_loop()
    transport, protocol = await loop.connect_write_pipe(
        lambda: asyncio.StreamReaderProtocol(asyncio.StreamReader()), file
    )
    writer = asyncio.StreamWriter(transport, protocol, None, loop)
    return Outlet(writer.write, writer)


def _can_be_polled(file: BinaryIO) -> bool:
    mode = os.fstat(file.fileno()).st_mode
    return stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode) or os.isatty(file.fileno())
