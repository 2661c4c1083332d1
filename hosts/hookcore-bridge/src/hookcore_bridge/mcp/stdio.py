"""A proxy between a client on the standard streams and a server that it starts."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import sys
from collections.abc import Awaitable, Callable, Coroutine, Iterator, Sequence
from functools import partial
from typing import Any, BinaryIO, Final

from . import rpc
from .session import Session
from .sides import Side, Verdict
from .streams import Outlet, Source

__all__ = ["StdioProxy"]

_GRACE: Final = 5.0
"""The seconds that a server has to end when its client has gone, and again when it is told to."""
_SIGNALS: Final = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class StdioProxy:
    """A server's process, with the policies between it and the client.

    Args:
        session: what judges the messages.
        command: the server's program and its arguments.
        note: tells the operator something, a line.
    """

    def __init__(
        self, session: Session, command: Sequence[str], note: Callable[[str], None]
    ) -> None:
        self._session, self._command, self._note = session, command, note
        self._outlets: dict[Side, Outlet] = {}
        self._sources: dict[Side, Source] = {}
        self._judging: dict[Side, set[asyncio.Task[None]]] = {side: set() for side in Side}

    async def run(self, source: BinaryIO, target: BinaryIO) -> int:
        """Carry messages until the server has ended; return its exit code.

        Args:
            source: where the client's messages come from.
            target: where the client reads.

        Raises:
            OSError: the server cannot be started.
        """
        server, given, told_us = await self._started()
        up = self._sources[Side.CLIENT] = Source(partial(self._taken, Side.CLIENT))
        down = self._sources[Side.SERVER] = Source(partial(self._taken, Side.SERVER))
        to_server = self._outlets[Side.SERVER] = Outlet(up)
        to_client = self._outlets[Side.CLIENT] = Outlet(down)
        await to_server.open(given)
        await to_client.open(target)
        with self._told_to_end() as told:
            await down.open(told_us)
            await up.open(source)
            try:
                ends = (up.ended, down.ended, told)
                await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
                if self._has_ended(Side.CLIENT) and not (down.ended.done() or told.done()):
                    await self._judged(Side.CLIENT)
                    await to_server.close()
                    await self._served(down.ended, told)
            finally:
                up.close()
                code = await self._ended(server, down)
                await self._judged(Side.SERVER)
                await self._session.close()
                await self._flushed()
        return code

    async def _started(self) -> tuple[asyncio.subprocess.Process, BinaryIO, BinaryIO]:
        """Start the server; return it with our ends of its standard streams."""
        theirs, ours = os.pipe()
        mine, its = os.pipe()
        given, told = os.fdopen(ours, "wb", buffering=0), os.fdopen(mine, "rb", buffering=0)
        try:
            server = await asyncio.create_subprocess_exec(*self._command, stdin=theirs, stdout=its)
        except BaseException:
            given.close()
            told.close()
            raise
        finally:
            os.close(theirs)
            os.close(its)
        return server, given, told

    def _has_ended(self, sender: Side) -> bool:
        """Return whether a side has sent all that it had; tell of one that was cut off."""
        ended = self._sources[sender].ended
        if not ended.done():
            return False
        problem = ended.exception()
        if problem is not None:
            self._note(f"the {sender.value} sent {problem}")
        return problem is None

    async def _judged(self, sender: Side) -> None:
        """Wait until all is decided that a side has sent."""
        while self._judging[sender]:
            await asyncio.wait(set(self._judging[sender]), timeout=_GRACE)
            if sender is Side.SERVER:
                return

    async def _flushed(self) -> None:
        closing = [asyncio.ensure_future(out.close()) for out in self._outlets.values()]
        _, stuck = await asyncio.wait(closing, timeout=_GRACE)  # the client may read no more
        for task in stuck:
            task.cancel()

    async def _served(self, down: asyncio.Future[None], told: asyncio.Future[None]) -> None:
        """Wait until a server has ended whose client has gone, as long as it owes answers."""
        while not (down.done() or told.done()):
            await asyncio.wait({down, told}, timeout=_GRACE, return_when=asyncio.FIRST_COMPLETED)
            if self._session.is_idle:
                return

    async def _ended(self, server: asyncio.subprocess.Process, down: Source) -> int:
        if server.returncode is None and not self._has_ended(Side.SERVER):
            with contextlib.suppress(ProcessLookupError):
                server.terminate()
        try:
            await asyncio.wait_for(server.wait(), _GRACE)
        except asyncio.TimeoutError:
            with contextlib.suppress(ProcessLookupError):
                server.kill()
            await server.wait()
        # What it wrote at its end may still be in the pipe; a child of its may keep that open.
        await asyncio.wait({down.ended}, timeout=_GRACE)
        down.close()
        code = await server.wait()
        return code if code >= 0 else 128 - code

    @contextlib.contextmanager
    def _told_to_end(self) -> Iterator[asyncio.Future[None]]:
        loop = asyncio.get_running_loop()
        told: asyncio.Future[None] = loop.create_future()

        def tell() -> None:
            if not told.done():
                told.set_result(None)

        for number in _SIGNALS:
            loop.add_signal_handler(number, tell)
        try:
            yield told
        finally:
            for number in _SIGNALS:
                loop.remove_signal_handler(number)

    def _taken(self, sender: Side, line: bytes) -> None:
        if not line.strip():
            return None
        try:
            message = rpc.read(line)
        except rpc.UnreadableError as problem:
            verdict = self._session.unusable(rpc.guessed(line), sender, f"a line: {problem}")
            return self._decided(verdict, None, line, sender)
        # The oldest protocols had batches; each message is judged, and sent, by itself.
        for one in message if isinstance(message, list) else (message,):
            whole = one if one is message else None
            self._decided(self._session.take(one, sender), whole, line, sender)
        return None

    def _decided(
        self, verdict: Verdict | Awaitable[Verdict], message: Any, line: bytes, sender: Side
    ) -> None:
        if isinstance(verdict, Verdict):
            self._deliver(verdict, message, line, sender)
            return
        task = _started(self._delivered(verdict, message, line, sender))
        self._judging[sender].add(task)
        task.add_done_callback(self._judging[sender].discard)

    async def _delivered(
        self, verdict: Awaitable[Verdict], message: Any, line: bytes, sender: Side
    ) -> None:
        self._deliver(await verdict, message, line, sender)

    def _deliver(self, verdict: Verdict, message: Any, line: bytes, sender: Side) -> None:
        if verdict.forward is not None:
            unchanged = message is not None and verdict.forward is message
            data = line if unchanged else rpc.write(verdict.forward)
            self._outlets[sender.other].send(data)
        if verdict.answer is not None:
            self._outlets[sender].send(rpc.write(verdict.answer))


def _started(work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
    """Return a task; where Python can do it, one that has already worked until it waits."""
    loop = asyncio.get_running_loop()
    if sys.version_info >= (3, 12):
        return asyncio.Task(work, loop=loop, eager_start=True)
    return loop.create_task(work)
