"""Bounds on a client of the HTTP channel: connections, time, bodies, memory."""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from hookcore import HookManager
from hookcore_agent import Agent, ScriptedModel
from hookcore_gateway import Gateway, GatewayError, HttpChannel, Limits

pytest.importorskip("uvicorn", reason="the extra hookcore-gateway[http] is not installed")
pytestmark = pytest.mark.asyncio

Streams = tuple[asyncio.StreamReader, asyncio.StreamWriter]

HEALTH = b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n"


def post(body: dict[str, str], more: str = "", host: str = "localhost") -> bytes:
    """Return a request that posts a message."""
    data = json.dumps(body).encode()
    head = (
        f"POST /messages HTTP/1.1\r\nHost: {host}\r\nContent-Type: application/json\r\n"
        f"Content-Length: {len(data)}\r\n{more}\r\n"
    )
    return head.encode() + data


HI = post({"content": "hi", "sender": "ana"})


@asynccontextmanager
async def connected(channel: HttpChannel) -> AsyncIterator[Streams]:
    reader, writer = await asyncio.open_connection("127.0.0.1", channel.port)
    try:
        yield reader, writer
    finally:
        writer.close()
        await asyncio.wait({asyncio.ensure_future(_closed(writer))}, timeout=5)


async def _closed(writer: asyncio.StreamWriter) -> None:
    try:
        await writer.wait_closed()
    except OSError:
        return


async def to_the_end(reader: asyncio.StreamReader) -> bytes:
    """Read until the server closes the connection."""
    try:
        return await asyncio.wait_for(reader.read(), 4)
    except ConnectionResetError:
        return b""


async def answer(reader: asyncio.StreamReader) -> tuple[bytes, bytes]:
    """Read one response; return its head and body."""
    head = await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), 10)
    length = int(head.lower().partition(b"content-length: ")[2].split(b"\r\n")[0])
    return head, await asyncio.wait_for(reader.readexactly(length), 20)


async def ask(channel: HttpChannel, request: bytes) -> tuple[int, Any]:
    """Return the code and the JSON of the response to a request."""
    async with connected(channel) as (reader, writer):
        writer.write(request)
        head, body = await answer(reader)
    return int(head.split()[1]), json.loads(body)


def clerk(turns: Any = None) -> Agent:
    return Agent("clerk", ScriptedModel(turns or (lambda request: "hello")))


# Connections and the time for a request


@pytest.mark.parametrize("first", [b"", HEALTH], ids=["new", "kept alive"])
@pytest.mark.parametrize("half", [b"P", b"POST /messages HTTP/1.1\r\nHost: localhost\r\n"])
async def test_a_request_whose_head_does_not_come_to_its_end_is_dropped(
    manager: HookManager, first: bytes, half: bytes
) -> None:
    channel = HttpChannel(header_timeout=0.3)
    async with Gateway(clerk(), channel, manager), connected(channel) as (reader, writer):
        if first:
            writer.write(first)
            await answer(reader)
        writer.write(half)
        assert await to_the_end(reader) == b""


async def test_a_client_that_says_nothing_is_dropped(manager: HookManager) -> None:
    channel = HttpChannel(header_timeout=0.05)
    async with Gateway(clerk(), channel, manager), connected(channel) as (reader, _):
        assert await to_the_end(reader) == b""


async def test_a_head_that_goes_on_for_ever_has_no_more_time_than_another(
    manager: HookManager,
) -> None:
    channel = HttpChannel(header_timeout=0.1)
    async with Gateway(clerk(), channel, manager), connected(channel) as (reader, writer):
        writer.write(b"GET /health HTTP/1.1\r\nX: ")
        reading = asyncio.ensure_future(to_the_end(reader))
        while not reading.done():
            writer.write(b"x")
            await asyncio.wait({reading}, timeout=0.01)
        assert reading.result() == b""


async def test_a_request_that_waits_for_its_reply_is_not_dropped(manager: HookManager) -> None:
    async def slow() -> str:
        await asyncio.sleep(0.5)
        return "done"

    channel = HttpChannel(header_timeout=0.3)
    async with Gateway(clerk([slow]), channel, manager):
        code, body = await ask(channel, HI)
    assert (code, body["content"]) == (200, "done")


async def test_a_client_that_reads_no_response_is_dropped(manager: HookManager) -> None:
    channel = HttpChannel(write_timeout=0.2)
    async with Gateway(clerk(), channel, manager), connected(channel) as (_, writer):
        transport: Any = writer.transport
        transport.pause_reading()
        with contextlib.suppress(ConnectionError):
            while not transport.is_closing():
                writer.write(HEALTH * 1000)
                await writer.drain()
        assert transport.is_closing()


async def test_there_are_no_more_connections_than_a_bound_and_room_for_others_afterwards(
    manager: HookManager,
) -> None:
    channel = HttpChannel(max_connections=1)
    async with Gateway(clerk(), channel, manager):
        async with connected(channel) as (reader, writer):
            writer.write(HEALTH)
            await answer(reader)
            async with connected(channel) as (second, _):
                assert await to_the_end(second) == b""
            writer.write(b"GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
            assert (await to_the_end(reader)).startswith(b"HTTP/1.1 200")
        code, _ = await ask(channel, HI)
    assert code == 200


@pytest.mark.parametrize(
    "bound", ["header_timeout", "write_timeout", "max_connections", "max_body"]
)
async def test_a_bound_of_the_channel_that_is_not_positive_is_refused(bound: str) -> None:
    options: dict[str, Any] = {bound: 0}
    with pytest.raises(GatewayError, match=rf"HttpChannel\({bound}=...\) takes a positive number"):
        HttpChannel(**options)


# Bodies


async def test_a_body_may_be_as_long_as_the_gateway_says_of_messages(manager: HookManager) -> None:
    channel = HttpChannel()
    limits = Limits(message_bytes=4 * 1024 * 1024)
    async with Gateway(clerk(), channel, manager, limits=limits):
        code, _ = await ask(channel, post({"content": "x" * 2 * 1024 * 1024, "sender": "ana"}))
    assert code == 200


@pytest.mark.parametrize(("given", "problem"), [(50, "a body has 50"), (5000, "a message has 100")])
async def test_a_channels_own_bound_counts_for_bodies_and_the_gateways_for_messages(
    manager: HookManager, given: int, problem: str
) -> None:
    channel = HttpChannel(max_body=given)
    async with Gateway(clerk(), channel, manager, limits=Limits(message_bytes=100)):
        code, body = await ask(channel, post({"content": "x" * 200, "sender": "ana"}))
    assert (code, problem in body["error"]) == (413, True)


async def test_a_request_with_two_lengths_is_a_400_and_what_follows_it_is_no_request(
    manager: HookManager,
) -> None:
    channel = HttpChannel()
    two = post({}, "Transfer-Encoding: chunked\r\n").partition(b"{}")[0] + b"0\r\n\r\n"
    async with Gateway(clerk(), channel, manager), connected(channel) as (reader, writer):
        writer.write(two + HEALTH)
        said = await to_the_end(reader)
    assert said.startswith(b"HTTP/1.1 400")
    assert b"exclude each other" in said
    assert said.count(b"HTTP/1.1") == 1


async def test_a_field_whose_name_is_half_a_surrogate_pair_is_a_400(manager: HookManager) -> None:
    channel = HttpChannel()
    async with Gateway(clerk(), channel, manager):
        code, body = await ask(channel, post({"\ud800": "x"}))
    assert (code, "no field \\ud800" in body["error"]) == (400, True)


# Replies


def asked_without_reading(port: int) -> socket.socket:
    """Return a connection that has asked, and takes next to nothing of the reply."""
    connection = socket.socket()
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    connection.connect(("127.0.0.1", port))
    connection.sendall(HI)
    return connection


async def test_a_reply_that_the_client_does_not_take_is_no_delivery(
    manager: HookManager, seen: list[tuple[str, Any]], until: Any
) -> None:
    channel = HttpChannel()
    agent = clerk(lambda request: "x" * 16_000_000)
    limits = Limits(send_timeout=0.5)
    async with Gateway(agent, channel, manager, limits=limits) as gateway:
        with asked_without_reading(channel.port):
            await until(lambda: gateway.stats["replied"])
            await until(lambda: not channel._exchanges)
    names = [name for name, _ in seen]
    assert (names.count("message_sending"), names.count("message_sent")) == (1, 0)


async def test_a_client_that_leaves_in_the_middle_of_its_reply_is_no_delivery(
    manager: HookManager, seen: list[tuple[str, Any]], until: Any, caplog: pytest.LogCaptureFixture
) -> None:
    channel = HttpChannel()
    agent = clerk(lambda request: "x" * 16_000_000)
    with caplog.at_level(logging.INFO, logger="hookcore"):
        async with Gateway(agent, channel, manager) as gateway:
            with asked_without_reading(channel.port):
                await until(lambda: "message_sending" in [name for name, _ in seen])
            await until(lambda: gateway.stats["replied"])
    assert "message_sent" not in [name for name, _ in seen]
    [record] = [record for record in caplog.records if "was not delivered" in record.message]
    assert (record.levelname, record.exc_info) == ("INFO", None)


async def test_a_long_reply_is_delivered_when_the_client_has_taken_it(
    manager: HookManager, seen: list[tuple[str, Any]]
) -> None:
    channel = HttpChannel()
    async with Gateway(clerk(lambda request: "x" * 16_000_000), channel, manager):
        _, body = await ask(channel, HI)
    assert len(body["content"]) == 16_000_000
    assert "message_sent" in [name for name, _ in seen]


@pytest.mark.parametrize("point", [None, "message_sending"])
async def test_a_clients_own_id_is_what_the_reply_is_to(
    manager: HookManager, deny: Any, point: str | None
) -> None:
    if point is not None:
        deny(point)
    channel = HttpChannel()
    request = post({"content": "hi", "sender": "ana", "id": "m1"})
    async with Gateway(clerk(), channel, manager):
        _, body = await ask(channel, request)
    assert body["in_reply_to"] == "m1"


# Local names


@pytest.mark.parametrize("host", ["LOCALHOST", "localhost:80", "127.1.2.3", "[::1]:8080"])
async def test_a_local_name_is_served_without_a_token(manager: HookManager, host: str) -> None:
    channel = HttpChannel()
    async with Gateway(clerk(), channel, manager):
        code, _ = await ask(channel, post({"content": "hi", "sender": "ana"}, host=host))
    assert code == 200


@pytest.mark.parametrize(
    "host",
    ["evil.example", "a_b.evil.example", "127.0.0.1.evil.example", "localhost@evil.example", "["],
)
async def test_another_name_or_none_that_can_be_read_is_not_served_without_a_token(
    manager: HookManager, host: str
) -> None:
    channel = HttpChannel()
    async with Gateway(clerk(), channel, manager):
        code, _ = await ask(channel, post({"content": "hi", "sender": "ana"}, host=host))
    assert code == 421


@pytest.mark.parametrize(
    ("host", "is_local"),
    [
        ("127.0.0.2", True),
        ("LOCALHOST", True),
        ("::1", True),
        ("0:0:0:0:0:0:0:1", True),
        ("::ffff:127.0.0.1", True),
        ("0.0.0.0", False),
        ("192.168.0.1", False),
        ("localhost.example", False),
    ],
)
async def test_an_address_that_only_this_machine_reaches_is_local(
    host: str,
    is_local: bool,  # noqa: FBT001
) -> None:
    assert HttpChannel(host).is_local is is_local


async def test_requests_that_are_none_fill_no_log(
    manager: HookManager, caplog: pytest.LogCaptureFixture
) -> None:
    channel = HttpChannel()
    async with Gateway(clerk(), channel, manager):
        for number in range(20):
            asked = b"GET /health HTTP/1.1\r\nHost: localhost\r\nUpgrade: h2c\r\nConnection: Upgrade\r\n\r\n"
            data = b"no request\r\n\r\n" if number % 2 else asked
            reader, writer = await asyncio.open_connection("127.0.0.1", channel.port)
            writer.write(data)
            assert await reader.read(100)
            writer.close()
    told = [record for record in caplog.records if record.name == "uvicorn.error"]
    assert len([record for record in told if record.levelname == "WARNING"]) == 1
