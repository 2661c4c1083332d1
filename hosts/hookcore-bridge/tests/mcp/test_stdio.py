from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from hookcore import HookManager
from hookcore.hosting.checks import MESSAGE, checked
from hookcore_bridge.mcp import rpc
from hookcore_bridge.mcp.points import OfferSpecs
from hookcore_bridge.mcp.session import Session
from hookcore_bridge.mcp.stdio import StdioProxy
from hookcore_bridge.mcp.streams import MOST_BYTES
from hookcore_bridge.mcp.tools import Offers

pytestmark = pytest.mark.asyncio

SERVER = [sys.executable, str(Path(__file__).with_name("made_up_server.py"))]


class Client:
    """The client's ends of the pipes."""

    def __init__(self, reader: asyncio.StreamReader, writer: Any, proxy: Any) -> None:
        self._reader, self._writer = reader, writer
        self.proxy = proxy
        self.notes: list[str] = []

    def send(self, *lines: bytes) -> None:
        self._writer.write(b"".join(line + b"\n" for line in lines))

    def ask(self, method: str, params: Any = None, *, request_id: Any = 1) -> None:
        message = {"jsonrpc": "2.0", "id": request_id, "method": method}
        self.send(json.dumps({**message, "params": params or {}}).encode())

    async def line(self) -> bytes:
        return await self._reader.readline()

    async def answer(self) -> Any:
        return json.loads(await self.line())

    def close(self) -> None:
        self._writer.close()

    async def ended(self) -> int:
        return int(await self.proxy)


@asynccontextmanager
async def proxied(
    manager: HookManager | None = None, command: list[str] | None = None
) -> AsyncIterator[Client]:
    loop = asyncio.get_running_loop()
    (theirs, ours), (read, write) = os.pipe(), os.pipe()
    notes: list[str] = []
    made = HookManager() if manager is None else manager
    made.add_hookspecs(OfferSpecs)
    session = Session(made, Offers(made, None, None, notes.append), notes.append, {})
    proxy = StdioProxy(session, command or SERVER, notes.append)
    running = asyncio.ensure_future(
        proxy.run(os.fdopen(theirs, "rb", buffering=0), os.fdopen(write, "wb", buffering=0))
    )
    reader = asyncio.StreamReader(limit=MOST_BYTES)
    incoming, _ = await loop.connect_read_pipe(
        lambda: asyncio.StreamReaderProtocol(reader), os.fdopen(read, "rb", buffering=0)
    )
    outgoing, _ = await loop.connect_write_pipe(
        asyncio.BaseProtocol, os.fdopen(ours, "wb", buffering=0)
    )
    client = Client(reader, outgoing, running)
    client.notes = notes
    try:
        yield client
    finally:
        client.close()
        await running
        incoming.close()


async def test_what_is_not_judged_passes_byte_for_byte() -> None:
    line = '{"id" : 7,   "jsonrpc":"2.0","method":"x/y", "params":{"n":1e2,"t":"\\u00e9 é"}}'
    async with proxied() as client:
        client.send(line.encode())
        answer = await client.answer()
    assert answer["result"] == {"got": "x/y", "line": line}


async def test_what_the_server_writes_passes_byte_for_byte() -> None:
    text = '{"method":  "notifications/x", "params": {"big": 12345678901234567890}}'
    async with proxied() as client:
        client.send(json.dumps({"method": "raw", "params": {"text": text}}).encode())
        assert await client.line() == text.encode() + b"\n"


async def test_a_denied_call_is_answered_and_others_go_on() -> None:
    manager, _ = checked()
    async with proxied(manager) as client:
        client.ask("tools/call", {"name": "danger"}, request_id="a")
        client.ask("tools/call", {"name": "x", "arguments": {"text": "hi"}}, request_id="b")
        answers = {answer["id"]: answer for answer in [await client.answer() for _ in range(2)]}
    assert MESSAGE in answers["a"]["result"]["content"][0]["text"]
    assert answers["b"]["result"]["content"][0]["text"] == "hi"


async def test_a_batch_is_judged_and_sent_one_by_one() -> None:
    manager, _ = checked()
    call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "danger"}}
    ping = {"jsonrpc": "2.0", "id": 2, "method": "ping"}
    async with proxied(manager) as client:
        client.send(json.dumps([call, ping]).encode())
        answers = {answer["id"]: answer for answer in [await client.answer() for _ in range(2)]}
    assert MESSAGE in answers[1]["result"]["content"][0]["text"]
    assert answers[2]["result"]["got"] == "ping"


@pytest.mark.parametrize("line", ['{"id": 1, "id": 2, "method": "ping"}', "no json", '{"a": NaN}'])
async def test_a_line_that_cannot_be_read_is_refused(line: str) -> None:
    async with proxied() as client:
        client.send(line.encode())
        assert (await client.answer())["error"]["code"] == rpc.INVALID_REQUEST
        assert "from the client" in client.notes[0]


async def test_what_a_server_prints_beside_the_protocol_does_not_pass() -> None:
    async with proxied() as client:
        client.send(json.dumps({"method": "raw", "params": {"text": "listening"}}).encode())
        client.ask("ping")
        assert (await client.answer())["result"]["got"] == "ping"
    assert client.notes == ["dropped a line: it is no JSON (JSONDecodeError), from the server"]


async def test_who_waits_for_an_unreadable_answer_is_told() -> None:
    text = '{"jsonrpc": "2.0", "id": 5, "result": {"a": 1, "a": 2}}'
    async with proxied() as client:
        raw = {"jsonrpc": "2.0", "id": 5, "method": "raw", "params": {"text": text}}
        client.send(json.dumps(raw).encode())
        assert (await client.answer())["error"]["code"] == rpc.INTERNAL_ERROR


async def test_five_megabytes_pass_both_ways() -> None:
    manager, _ = checked()
    text = "ö" * 2_500_000
    async with proxied(manager) as client:
        client.ask("tools/call", {"name": "x", "arguments": {"text": text}})
        assert (await client.answer())["result"]["content"][0]["text"] == text


@pytest.mark.parametrize("code", [0, 3])
async def test_the_exit_code_is_the_servers(code: int) -> None:
    async with proxied() as client:
        client.send(json.dumps({"method": "exit", "params": {"code": code}}).encode())
        assert await client.ended() == code


async def test_a_server_that_ends_by_a_signal_is_told_as_shells_do() -> None:
    program = "import os, signal; os.kill(os.getpid(), signal.SIGKILL)"
    async with proxied(command=[sys.executable, "-c", program]) as client:
        assert await client.ended() == 128 + signal.SIGKILL


async def test_answers_that_are_owed_come_after_the_client_has_closed() -> None:
    async with proxied() as client:
        client.ask("ping", request_id=1)
        client.ask("ping", request_id=2)
        client.close()
        assert [(await client.answer())["id"] for _ in range(2)] == [1, 2]
        assert await client.ended() == 0


async def test_a_call_that_is_judged_when_the_client_closes_is_still_made() -> None:
    from hookcore import hookimpl

    class Slow:
        @hookimpl
        async def pre_tool_call(self, ctx: Any) -> None:
            for _ in range(20):
                await asyncio.sleep(0)

    manager, recorder = checked(Slow())
    async with proxied(manager) as client:
        client.ask("tools/call", {"name": "x", "arguments": {"text": "hi"}})
        client.close()
        assert (await client.answer())["result"]["content"][0]["text"] == "hi"
        await client.ended()
    assert recorder.tools() == [("x", "ok")]


async def test_a_signal_ends_the_server_too() -> None:
    program = 'import sys; print(\'{"method": "n/started"}\', flush=True); sys.stdin.read()'
    async with proxied(command=[sys.executable, "-c", program]) as client:
        await client.line()
        os.kill(os.getpid(), signal.SIGTERM)
        assert await client.ended() == 128 + signal.SIGTERM


async def test_calls_that_are_open_when_the_server_ends_are_cancelled() -> None:
    program = "import sys; sys.stdin.readline()"
    manager, recorder = checked()
    async with proxied(manager, [sys.executable, "-c", program]) as client:
        client.ask("tools/call", {"name": "x"})
        await client.ended()
    assert recorder.tools() == [("x", "cancelled")]
