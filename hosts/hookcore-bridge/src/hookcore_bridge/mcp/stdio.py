"""A proxy between a client on the standard streams and a server that it starts."""

from __future__ import annotations

import asyncio
import contextlib
import signal
from collections.abc import Awaitable, Callable, Iterator, Sequence
from typing import Any, BinaryIO, Final

from . import rpc
from .session import Session
from .sides import Side, Verdict
from .streams import MOST_BYTES, Outlet, open_outlet, open_reader

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
        self._judging: dict[Side, set[asyncio.Task[None]]] = {side: set() for side in Side}

    async def run(self, source: BinaryIO, target: BinaryIO) -> int:
        """Carry messages until the server has ended; return its exit code.

        Args:
            source: where the client's messages come from.
            target: where the client reads.

        Raises:
            OSError: the server cannot be started.
        """
        server = await asyncio.create_subprocess_exec(
            *self._command,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            limit=MOST_BYTES,
        )
        assert server.stdin is not None  # noqa: S101 - both are pipes
        assert server.stdout is not None  # noqa: S101
        self._outlets[Side.SERVER] = Outlet(server.stdin.write, server.stdin)
        self._outlets[Side.CLIENT] = await open_outlet(target)
        client = await open_reader(source)
        with self._told_to_end() as told:
            up = asyncio.ensure_future(self._carry(client, Side.CLIENT))
            down = asyncio.ensure_future(self._carry(server.stdout, Side.SERVER))
            try:
                await asyncio.wait({up, down, told}, return_when=asyncio.FIRST_COMPLETED)
                if up.done() and not told.done():
                    server.stdin.close()
                    await self._served(down, told)
            finally:
                up.cancel()
                code = await self._ended(server, down)
                await self._session.close()
                await self._flushed()
        return code

    async def _flushed(self) -> None:
        closing = [asyncio.ensure_future(out.closed()) for out in self._outlets.values()]
        _, stuck = await asyncio.wait(closing, timeout=_GRACE)
        for task in stuck:
            task.cancel()

    async def _served(self, down: asyncio.Future[None], told: asyncio.Future[None]) -> None:
        """Wait until a server has ended whose client has gone, as long as it owes answers."""
        while not (down.done() or told.done()):
            await asyncio.wait({down, told}, timeout=_GRACE, return_when=asyncio.FIRST_COMPLETED)
            if self._session.is_idle:
                return

    async def _ended(self, server: asyncio.subprocess.Process, down: asyncio.Future[None]) -> int:
        if server.returncode is None and not down.done():
            with contextlib.suppress(ProcessLookupError):
                server.terminate()
        try:
            await asyncio.wait_for(server.wait(), _GRACE)
        except asyncio.TimeoutError:
            with contextlib.suppress(ProcessLookupError):
                server.kill()
            await server.wait()
        # What it wrote at its end may still be in the pipe; a child of its may keep that open.
        await asyncio.wait({down}, timeout=_GRACE)
        down.cancel()
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

    async def _carry(self, reader: asyncio.StreamReader, sender: Side) -> None:
        """Carry the messages of one side to the other until there are no more."""
        target = self._outlets[sender.other]
        try:
            while line := await reader.readline():
                self._taken(line, sender)
                await target.drained()
        except ValueError:
            self._note(f"the {sender.value} sent a message of more than {MOST_BYTES} bytes")
        except ConnectionError:
            pass  # who should read has gone
        if self._judging[sender]:
            await asyncio.wait(self._judging[sender])

    def _taken(self, line: bytes, sender: Side) -> None:
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
        task = asyncio.ensure_future(self._delivered(verdict, message, line, sender))
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
