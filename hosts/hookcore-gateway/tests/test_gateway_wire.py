"""The wire of the HTTP channel: sockets, tokens, names, forms of JSON."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import gc
import json
import resource
import socket
from collections.abc import Iterator
from typing import Any

import pytest

from hookcore import HookManager
from hookcore_agent import Agent, ScriptedModel
from hookcore_gateway import Gateway, GatewayError, HttpChannel, Limits
from hookcore_gateway.http_accept import accepted
from hookcore_gateway.http_room import Room, file_limit
from hookcore_gateway.seldom import Seldom

pytest.importorskip("uvicorn", reason="the extra hookcore-gateway[http] is not installed")
pytestmark = pytest.mark.asyncio

HI = json.dumps({"content": "hi", "sender": "ana"}).encode()


def request(
    body: bytes = HI, *more: str, path: str = "/messages", host: str = "localhost"
) -> bytes:
    lines = [
        f"POST {path} HTTP/1.1",
        f"Host: {host}",
        "Content-Type: application/json",
        f"Content-Length: {len(body)}",
        "Connection: close",
        *more,
    ]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body


async def said(channel: HttpChannel, data: bytes) -> bytes:
    """Return all that the server says to a request on a connection of its own."""
    reader, writer = await asyncio.open_connection("127.0.0.1", channel.port)
    try:
        writer.write(data)
        return await asyncio.wait_for(reader.read(), 10)
    finally:
        writer.close()
        with contextlib.suppress(OSError):
            await writer.wait_closed()


async def code(channel: HttpChannel, data: bytes) -> int:
    return int((await said(channel, data)).split()[1])


def clerk(turns: Any = None) -> Agent:
    return Agent("clerk", ScriptedModel(turns or (lambda request: "hello")))


# Connections


async def test_a_reply_does_not_wait_for_the_clients_word_on_its_first_piece(
    manager: HookManager,
) -> None:
    channel = HttpChannel()
    async with Gateway(clerk(), channel, manager):
        _, writer = await asyncio.open_connection("127.0.0.1", channel.port)
        writer.write(request().replace(b"Connection: close\r\n", b""))
        ours = writer.get_extra_info("sockname")
        await asyncio.sleep(0.05)
        found = [
            item
            for item in gc.get_objects()
            if isinstance(item, socket.socket) and item.fileno() >= 0 and _peer(item) == ours
        ]
        options = {item.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY) for item in found}
        writer.close()
        await writer.wait_closed()
    assert options == {1}


def _peer(item: socket.socket) -> Any:
    with contextlib.suppress(OSError):
        return item.getpeername()
    return None


@pytest.fixture
def few_files() -> Iterator[int]:
    """Let this process have 256 files open, and return that number."""
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (256, before[1]))
    yield 256
    resource.setrlimit(resource.RLIMIT_NOFILE, before)


async def test_a_channel_serves_no_more_connections_than_the_limit_of_files_has_room_for(
    manager: HookManager, few_files: int, caplog: pytest.LogCaptureFixture
) -> None:
    channel = HttpChannel(max_connections=2000)
    async with Gateway(clerk(), channel, manager):
        assert 0 < channel.connections < few_files * 3 / 4
        idle = []
        with contextlib.suppress(OSError):
            for _ in range(channel.connections + 20):
                idle.append(await asyncio.open_connection("127.0.0.1", channel.port))
                await asyncio.sleep(0)
        for _, writer in idle[:10]:
            writer.close()
            with contextlib.suppress(OSError):
                await writer.wait_closed()
        answered = await code(channel, request())
        for _, writer in idle[10:]:
            writer.close()
    assert answered == 200
    assert "this process may have 256 files open" in caplog.text
    assert len(caplog.records) < 10


async def test_two_channels_share_the_files_of_their_process(few_files: int) -> None:
    first, second = Room(2000), Room(2000)
    try:
        sizes = [first.taken(), second.taken()]
    finally:
        first.given_back()
        second.given_back()
    assert sizes[0] > 0
    assert sizes[1] == 0


async def test_a_channel_without_room_for_a_connection_does_not_start(
    few_files: int, manager: HookManager
) -> None:
    other = Room(2000)
    other.taken()
    try:
        with pytest.raises(GatewayError, match=r"no room for a connection.*256 files open"):
            await Gateway(clerk(), HttpChannel(), manager).start()
    finally:
        other.given_back()


async def test_where_files_are_not_limited_a_channel_has_all_connections(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    unlimited = (resource.RLIM_INFINITY, resource.RLIM_INFINITY)
    monkeypatch.setattr(resource, "getrlimit", lambda which: unlimited)
    room = Room(5)
    assert (file_limit(), room.taken()) == (None, 5)
    room.given_back()


async def test_a_process_without_a_free_file_says_so_once_and_serves_when_it_has_one(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    pauses: list[float] = []
    real = asyncio.sleep

    async def pause(seconds: float) -> None:
        pauses.append(seconds)
        await real(0)

    class Listener:
        def __init__(self) -> None:
            self.left = 50

    listener = Listener()

    async def accept(given: Any) -> Any:
        given.left -= 1
        if given.left > 0:
            raise OSError(errno.EMFILE, "Too many open files")
        await asyncio.get_running_loop().create_future()

    loop = asyncio.get_running_loop()
    monkeypatch.setattr(loop, "sock_accept", accept, raising=False)
    monkeypatch.setattr(asyncio, "sleep", pause)
    task = asyncio.ensure_future(accepted(listener, asyncio.Protocol, "http"))  # type: ignore[arg-type]
    while listener.left > 0:
        await real(0)
    task.cancel()
    await asyncio.wait({task})
    [record] = caplog.records
    assert "channel http cannot take connections now" in record.message
    assert len(pauses) == 49
    assert all(seconds > 0 for seconds in pauses)


async def test_a_line_that_is_due_says_how_many_were_left_out() -> None:
    now = [0.0]
    lines = Seldom(60.0, clock=lambda: now[0])
    first = [lines.due() for _ in range(4)]
    now[0] = 60.0
    assert (first, lines.due(), lines.due()) == ([0, None, None, None], 3, None)


async def test_a_client_that_ends_its_side_early_counts_as_gone(
    manager: HookManager, seen: list[tuple[str, Any]], until: Any
) -> None:
    # Nobody can tell it from one that has left, and what counts as delivered was taken by somebody.
    asked, go = asyncio.Event(), asyncio.Event()

    async def slow() -> str:
        asked.set()
        await go.wait()
        return "hello"

    channel = HttpChannel()
    async with Gateway(clerk([slow]), channel, manager) as gateway:
        reader, writer = await asyncio.open_connection("127.0.0.1", channel.port)
        writer.write(request())
        await asked.wait()
        writer.write_eof()
        assert await reader.read() == b""
        go.set()
        await until(lambda: gateway.stats["replied"])
        writer.close()
        await writer.wait_closed()
    assert "message_sent" not in [name for name, _ in seen]


# Tokens


@pytest.mark.parametrize("token", ["", " ", "\n", " x", "a\tb", "line\n", "\ud800", b"x", 7])
async def test_a_token_that_is_empty_or_cannot_be_sent_is_refused(token: Any) -> None:
    with pytest.raises(GatewayError, match=r"HttpChannel\(token="):
        HttpChannel(token=token)


async def test_a_channel_whose_token_was_emptied_later_lets_nobody_in(manager: HookManager) -> None:
    channel = HttpChannel(token="x")
    channel.token = ""
    async with Gateway(clerk(), channel, manager):
        codes = [
            await code(channel, request(HI, *more)) for more in ((), ("Authorization: Bearer ",))
        ]
    assert codes == [401, 401]


@pytest.mark.parametrize(
    ("sent", "expected"), [("schlüssel-密", 200), ("schlüssel-?", 401), ("schlussel-密", 401)]
)
async def test_a_token_that_is_not_ascii_is_compared_as_utf_8(
    manager: HookManager, sent: str, expected: int
) -> None:
    channel = HttpChannel(token="schlüssel-密")
    async with Gateway(clerk(), channel, manager):
        assert await code(channel, request(HI, f"Authorization: Bearer {sent}")) == expected


# Names


@pytest.mark.parametrize("path", ["/messages", "/messages/", "/webhook/", "/health/", "/", "//x"])
@pytest.mark.parametrize(("host", "expected"), [("evil.example", {421}), ("localhost", {200, 404})])
async def test_no_path_leads_to_a_name_that_the_client_has_made_up(
    manager: HookManager, path: str, host: str, expected: set[int]
) -> None:
    channel = HttpChannel()
    async with Gateway(clerk(), channel, manager):
        answer = await said(channel, request(path=path, host=host))
    assert int(answer.split()[1]) in expected
    assert b"evil.example" not in answer


# JSON


@pytest.mark.parametrize(
    ("body", "problem"),
    [
        (b'{"content": "a", "sender": "ana", "content": "b"}', "the name content twice"),
        (b'{"content": "a", "sender": "ana", "c\\u006fntent": "b"}', "the name content twice"),
        (b'{"content": {"x": 1, "x": 2}, "sender": "ana"}', "the name x twice"),
        (HI.decode().encode("utf-16"), "has to be UTF-8"),
        (HI.decode().encode("utf-16-le"), "has to be a JSON object"),
        (HI.decode().encode("utf-32"), "has to be UTF-8"),
        (b"\xef\xbb\xbf" + HI, "has to be a JSON object"),
        (HI.decode().encode("latin-1").replace(b"hi", b"\xe9"), "has to be UTF-8"),
        (b'{"content": "hi", "sender": NaN}', "has to be a JSON object"),
        (b'{"content": "hi", "sender": -Infinity}', "has to be a JSON object"),
    ],
    ids=range(10),
)
async def test_a_body_that_others_may_read_in_another_way_is_a_400(
    manager: HookManager, body: bytes, problem: str
) -> None:
    channel = HttpChannel()
    async with Gateway(clerk(), channel, manager):
        answer = await said(channel, request(body))
    head, _, text = answer.partition(b"\r\n\r\n")
    assert head.split()[1] == b"400"
    assert problem in json.loads(text)["error"]


# Replies


async def test_clients_that_read_nothing_hold_up_nobody_else(
    manager: HookManager, until: Any, seen: list[tuple[str, Any]]
) -> None:
    channel = HttpChannel()
    agent = clerk(lambda request: "x" * 16_000_000 if "long" in str(request.messages) else "hello")
    limits = Limits(per_channel=1, workers=1)
    with contextlib.ExitStack() as stack:
        async with Gateway(agent, channel, manager, limits=limits):
            for number in range(6):
                connection = stack.enter_context(socket.socket())
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
                connection.connect(("127.0.0.1", channel.port))
                body = {"content": "long", "sender": f"ana{number}"}
                connection.sendall(request(json.dumps(body).encode()))
            await until(lambda: [name for name, _ in seen].count("message_sending") == 6)
            answered = await asyncio.wait_for(code(channel, request()), 10)
            delivered = [name for name, _ in seen].count("message_sent")
            stack.close()
    assert (answered, delivered) == (200, 1)


async def test_replies_that_nobody_reads_have_a_bound_together(
    manager: HookManager, until: Any, seen: list[tuple[str, Any]]
) -> None:
    long = 12_000_000  # more than the system itself takes for a client
    agent = clerk(lambda request: "x" * long if "long" in str(request.messages) else "hello")
    channel = HttpChannel(unread_bytes=3 * long)
    with contextlib.ExitStack() as stack:

        def silent(sender: str) -> socket.socket:
            connection = stack.enter_context(socket.socket())
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            connection.connect(("127.0.0.1", channel.port))
            body = {"content": "long", "sender": sender}
            connection.sendall(request(json.dumps(body).encode()))
            return connection

        async with Gateway(agent, channel, manager, limits=Limits(per_channel=1, workers=1)):
            silents = []
            for number in range(6):
                silents.append(silent(f"silent{number}"))
                sending = number + 1
                await until(
                    lambda: [name for name, _ in seen].count("message_sending") == sending  # noqa: B023
                )
            asked = json.dumps({"content": "long", "sender": "reader"}).encode()
            body = (await said(channel, request(asked))).partition(b"\r\n\r\n")[2]
            assert len(json.loads(body)["content"]) == long
            assert await code(channel, request()) == 200
            assert all([await asyncio.to_thread(_ended, item) for item in silents[:4]])


def _ended(connection: socket.socket) -> bool:
    """Return whether the server has dropped a connection, and did not write all of the reply."""
    connection.settimeout(10)
    read = 0
    try:
        while piece := connection.recv(1 << 20):
            read += len(piece)
    except OSError:
        return True
    return read < 12_000_000
