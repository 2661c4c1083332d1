"""The standard streams of the process, taken for the protocol alone."""

from __future__ import annotations

import asyncio
import contextlib
import os
import stat
import sys
import threading
from collections.abc import Callable
from typing import BinaryIO, Final, cast

__all__ = ["MOST_BYTES", "Outlet", "Source", "take_standard_streams"]

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


class Source(asyncio.Protocol):
    """Reads a stream line by line.

    Args:
        taken: is given each line, with its end.
    """

    def __init__(self, taken: Callable[[bytes], None]) -> None:
        self._taken = taken
        self._buffer = bytearray()
        self._searched = 0
        self._transport: asyncio.ReadTransport | None = None
        self.ended: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        """Done when nothing comes any more; with a ValueError when a line was too long."""

    async def open(self, file: BinaryIO) -> None:
        """Begin to read a pipe, or any other file."""
        loop = asyncio.get_running_loop()
        if _can_be_polled(file):
            await loop.connect_read_pipe(lambda: self, file)
        else:
            threading.Thread(target=self._feed, args=(file, loop), daemon=True).start()

    def _feed(self, file: BinaryIO, loop: asyncio.AbstractEventLoop) -> None:
        with contextlib.suppress(RuntimeError):  # the loop has ended, and nobody reads on
            while chunk := file.read(_CHUNK):
                loop.call_soon_threadsafe(self.data_received, chunk)
            loop.call_soon_threadsafe(self.connection_lost, None)

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Take the transport."""
        self._transport = cast("asyncio.ReadTransport", transport)

    def data_received(self, data: bytes) -> None:
        """Hand on the lines that are whole now."""
        buffer = self._buffer
        buffer += data
        start = 0
        while (end := buffer.find(b"\n", max(start, self._searched))) >= 0:
            self._taken(bytes(buffer[start : end + 1]))
            start = end + 1
        del buffer[:start]
        self._searched = len(buffer)
        if len(buffer) > MOST_BYTES and not self.ended.done():
            self.ended.set_exception(ValueError(f"a message of more than {MOST_BYTES} bytes"))
            self.close()

    def connection_lost(self, exc: Exception | None) -> None:
        """Hand on what came last, and say that it is over."""
        del exc
        if not self.ended.done():
            if self._buffer:
                self._taken(bytes(self._buffer))
            self.ended.set_result(None)

    def pause(self) -> None:
        """Read no more until :meth:`resume`."""
        if self._transport is not None and not self._transport.is_closing():
            self._transport.pause_reading()

    def resume(self) -> None:
        """Read on."""
        if self._transport is not None and not self._transport.is_closing():
            self._transport.resume_reading()

    def close(self) -> None:
        """Read no more."""
        if self._transport is not None:
            self._transport.close()


class Outlet(asyncio.BaseProtocol):
    """A stream that messages are written to, whole, and in the order in which they are given.

    Args:
        source: is read no further while too much waits to be read here.
    """

    def __init__(self, source: Source) -> None:
        self._source = source
        self._file: BinaryIO | None = None
        self._transport: asyncio.WriteTransport | None = None
        self._lost: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    async def open(self, file: BinaryIO) -> None:
        """Begin to write to a pipe, or to any other file."""
        if _can_be_polled(file):
            await asyncio.get_running_loop().connect_write_pipe(lambda: self, file)
        else:
            self._file = file

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Take the transport."""
        self._transport = cast("asyncio.WriteTransport", transport)

    def connection_lost(self, exc: Exception | None) -> None:
        """Note that nobody reads any more."""
        del exc
        if not self._lost.done():
            self._lost.set_result(None)

    def pause_writing(self) -> None:
        """Let no more come in, until what is here has been read."""
        self._source.pause()

    def resume_writing(self) -> None:
        """Let more come in."""
        self._source.resume()

    def send(self, line: bytes) -> None:
        """Send a message.

        Args:
            line: the message, with its end of line or without.
        """
        data = line if line.endswith(b"\n") else line + b"\n"
        if self._file is not None:
            self._file.write(data)
        elif self._transport is not None and not self._transport.is_closing():
            self._transport.write(data)

    async def close(self) -> None:
        """Close the stream, once all has been read that was sent."""
        if self._transport is not None:
            self._transport.close()
            await self._lost


def _can_be_polled(file: BinaryIO) -> bool:
    mode = os.fstat(file.fileno()).st_mode
    return stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode) or os.isatty(file.fileno())
