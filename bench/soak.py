"""Soak the gateway's HTTP channel: many messages in many sessions, over real sockets.

    python bench/soak.py [--messages N] [--sessions N] [--connections N] [--seconds N]
                         [--silent N] [--sqlite] [--json FILE]

A process of its own serves a scripted agent; this one sends messages on kept connections, in turns
of all sessions, and checks each reply: the words of the very message, and the number of messages
that its session has had. It prints messages per second, the middle and the slowest hundredth of
the times of replies, and the server's memory: before, when every session has had its first
message, and at the end. What is added between the last two is what conversations take, or a leak.

`--silent 1000` lets so many clients ask for a reply of 3 MB each, and read nothing of it, before
the others begin: the server's memory and their times say what that costs everybody else.

By default 10,000 messages in 1,000 sessions, some 20 seconds on two cores; the whole of it is
`--messages 100000 --sessions 10000`. It stops after `--seconds` (300), with the figures so far.
Exit status 1 says that a reply was wrong, or missing.

It needs hookcore-gateway with its extra: pip install "hookcore-gateway[http]".
"""

from __future__ import annotations

import argparse
import asyncio
import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

__all__ = ["Result", "main", "soak"]

_WARM = 50
_LONG = 3_000_000


@dataclass
class Result:
    """The result of a soak; times are in milliseconds, memory in MiB.

    Args:
        messages: how many were sent and answered.
        sessions: in how many sessions.
        wrong: the replies that were not the right ones, the first few.
        per_second: messages per second.
        p50: the middle of the times of replies.
        p99: the time that one reply in a hundred takes longer than.
        memory: the server's memory before, with all sessions open, and at the end.
        silent: how many clients read nothing of their replies.
        held: the server's memory when these have asked.
    """

    messages: int = 0
    sessions: int = 0
    wrong: list[str] = field(default_factory=list)
    per_second: float = 0.0
    p50: float = 0.0
    p99: float = 0.0
    memory: list[float] = field(default_factory=list)
    silent: int = 0
    held: float = 0.0

    def table(self) -> str:
        """Return it as lines for people."""
        before, opened, after = self.memory
        each = (opened - max(before, self.held)) * 1024 / max(1, self.sessions)
        return "\n".join(
            [
                (
                    f"{self.messages:,} messages in {self.sessions:,} sessions, "
                    f"{len(self.wrong)} wrong replies"
                ),
                (
                    f"{self.per_second:,.0f} messages a second; p50 {self.p50:.1f} ms, "
                    f"p99 {self.p99:.1f} ms"
                ),
                (
                    f"memory of the server: {before:.0f} MiB before, {opened:.0f} MiB with all "
                    f"sessions open ({each:.1f} KiB each), {after:.0f} MiB at the end"
                ),
                *(
                    [f"{self.silent:,} clients that read nothing: {self.held:.0f} MiB with them"]
                    if self.silent
                    else []
                ),
                *self.wrong,
            ]
        )


# The server


async def _serve(file: str) -> None:
    from hookcore import HookManager
    from hookcore_agent import Agent, ScriptedModel
    from hookcore_gateway import Gateway, HttpChannel, Limits

    def answer(request: Any) -> str:
        asked = [message.content for message in request.messages if message.role == "user"]
        if asked[-1] == "long":
            return "x" * _LONG
        return f"{len(asked)} {asked[-1]}"

    agent = Agent("echo", ScriptedModel(answer))
    channel = HttpChannel(max_connections=2000)
    limits = Limits(per_channel=64)
    kept: dict[str, Any] = {"sessions": "sqlite", "sessions_file": file} if file else {}
    async with Gateway(agent, channel, HookManager(), limits=limits, **kept):
        print(channel.port, flush=True)
        await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)


@contextmanager
def _server(*, sqlite: bool) -> Iterator[tuple[int, int]]:
    """Run the server until the block ends; give its process id and its port."""
    with tempfile.TemporaryDirectory() as folder:
        file = str(Path(folder) / "sessions.db") if sqlite else ""
        command = [sys.executable, str(Path(__file__).resolve()), "--serve", file]
        with subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        ) as process:
            try:
                assert process.stdout is not None
                yield process.pid, int(process.stdout.readline())
            finally:
                process.communicate(timeout=60)


def _memory(pid: int) -> float:
    """Return the resident memory of a process in MiB; 0.0 where nobody tells."""
    status = Path(f"/proc/{pid}/status")
    if status.exists():
        found = [line for line in status.read_text().splitlines() if line.startswith("VmRSS")]
        return int(found[0].split()[1]) / 1024
    told = subprocess.run(
        ["ps", "-o", "rss=", "-p", str(pid)], capture_output=True, text=True, check=False
    )
    return int(told.stdout.strip() or 0) / 1024


# The clients


class _Client:
    """A kept connection, on which messages are sent one after the other."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer

    async def ask(self, sender: str, content: str) -> str:
        body = json.dumps({"sender": sender, "content": content}).encode()
        self._writer.write(self._head(body) + body)
        told = await self._reader.readuntil(b"\r\n\r\n")
        length = int(told.lower().partition(b"content-length: ")[2].split(b"\r\n")[0])
        reply = json.loads(await self._reader.readexactly(length))
        return str(reply.get("content") or reply)

    def ask_only(self, sender: str) -> None:
        """Ask for a long reply, and read nothing of it."""
        transport = self._writer.transport
        transport.pause_reading()  # type: ignore[attr-defined]  # one of a socket can
        body = json.dumps({"sender": sender, "content": "long"}).encode()
        self._writer.write(self._head(body) + body)

    def _head(self, body: bytes) -> bytes:
        head = (
            "POST /messages HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
            f"Content-Length: {len(body)}\r\n\r\n"
        )
        return head.encode()

    def abort(self) -> None:
        self._writer.transport.abort()

    async def close(self) -> None:
        self._writer.close()
        await self._writer.wait_closed()


async def soak(
    port: int,
    pid: int,
    *,
    messages: int,
    sessions: int,
    connections: int,
    seconds: float,
    silent: int = 0,
) -> Result:
    """Send messages, and return what came of it.

    Args:
        port: where the server listens, on this machine.
        pid: its process.
        messages: how many.
        sessions: in how many sessions they are.
        connections: on how many connections at once.
        seconds: after how long it stops at the latest.
        silent: how many clients ask for a long reply before, and read nothing of it.
    """
    result, times = Result(sessions=min(sessions, messages), silent=silent), list[float]()
    clients = [
        _Client(*await asyncio.open_connection("127.0.0.1", port)) for _ in range(connections)
    ]
    mutes: list[_Client] = []
    end = time.monotonic() + seconds

    async def turn(client: _Client, place: int, number: int) -> None:
        # A client has its own sessions, so that their messages come in order.
        for session in range(place, sessions, connections):
            if number * sessions + session >= messages or time.monotonic() > end:
                return
            content = f"message {number} of {session}"
            begun = time.perf_counter()
            said = await client.ask(f"sender-{session}", content)
            times.append((time.perf_counter() - begun) * 1000)
            if said != f"{number + 1} {content}" and len(result.wrong) < 10:
                result.wrong.append(f"session {session} was told {said!r} to {content!r}")

    try:
        for number in range(_WARM):
            await clients[number % connections].ask("warm-up", "hello")
        result.memory.append(_memory(pid))
        for place in range(silent):
            mute = _Client(*await asyncio.open_connection("127.0.0.1", port, limit=4096))
            mute.ask_only(f"silent-{place}")
            mutes.append(mute)
            await clients[place % connections].ask("beside", "hello")  # the server keeps up
        result.held = _memory(pid)
        begun = time.perf_counter()
        for number in range(-(-messages // sessions)):
            await asyncio.gather(
                *(turn(client, place, number) for place, client in enumerate(clients))
            )
            if number == 0:
                result.memory.append(_memory(pid))
        took = time.perf_counter() - begun
        result.memory.append(_memory(pid))
    finally:
        for mute in mutes:
            mute.abort()
        await asyncio.gather(*(client.close() for client in clients))
    result.messages = len(times)
    result.per_second = len(times) / took
    result.p50, result.p99 = statistics.median(times), _hundredth(times)
    return result


def _hundredth(times: Sequence[float]) -> float:
    return sorted(times)[min(len(times) - 1, len(times) * 99 // 100)]


def _positive(text: str) -> int:
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError(f"{text} is less than 1")
    return value


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the soak and print its figures; return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--messages", type=_positive, default=10_000, help="how many")
    parser.add_argument("--sessions", type=_positive, default=1_000, help="in how many sessions")
    parser.add_argument("--connections", type=_positive, default=32, help="at once, 400 at most")
    parser.add_argument("--seconds", type=_positive, default=300, help="stop after so long")
    parser.add_argument(
        "--silent", type=int, default=0, help="clients that read nothing, 1,500 at most"
    )
    parser.add_argument("--sqlite", action="store_true", help="keep the sessions in a database")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures there, too")
    parser.add_argument("--serve", metavar="FILE", help=argparse.SUPPRESS)
    given = parser.parse_args(arguments)
    if given.serve is not None:
        asyncio.run(_serve(given.serve))
        return 0
    with _server(sqlite=given.sqlite) as (pid, port):
        result = asyncio.run(
            soak(
                port,
                pid,
                messages=given.messages,
                sessions=given.sessions,
                connections=min(given.connections, given.sessions, 400),
                seconds=given.seconds,
                silent=min(given.silent, 1500),
            )
        )
    print(result.table())
    if given.json is not None:
        given.json.write_text(json.dumps(asdict(result), indent=2) + "\n")
    return 1 if result.wrong or not result.messages else 0


if __name__ == "__main__":
    raise SystemExit(main())
