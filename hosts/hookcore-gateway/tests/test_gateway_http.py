"""The HTTP channel over real sockets."""

from __future__ import annotations

import asyncio
import http.client
import json
import sys
from dataclasses import dataclass
from typing import Any

import pytest

from hookcore import NEUTRAL_MESSAGE, ChannelMessage, HookManager
from hookcore_agent import Agent, ScriptedModel
from hookcore_gateway import (
    DeliveryError,
    Gateway,
    GatewayError,
    HttpChannel,
    InMemoryChannel,
    Limits,
    Prompt,
)

pytest.importorskip("uvicorn", reason="the extra hookcore-gateway[http] is not installed")
pytestmark = pytest.mark.asyncio

JSON = {"Content-Type": "application/json"}
HI = {"content": "hi", "sender": "ana"}
Seen = list[tuple[str, Any]]


@dataclass
class Response:
    code: int
    headers: dict[str, str]
    body: Any


def clerk(turns: Any = None) -> Agent:
    return Agent("clerk", ScriptedModel(turns or (lambda request: "hello")))


def _asked(port: int, path: str, body: bytes, headers: dict[str, str], method: str) -> Response:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
    try:
        connection.request(method, path, body, headers)
        response = connection.getresponse()
        text = response.read()
        kind = response.headers.get_content_type()
        found = json.loads(text) if kind == "application/json" else text.decode()
        names = {name.lower(): value for name, value in response.headers.items()}
        return Response(response.status, names, found)
    finally:
        connection.close()


async def ask(
    channel: HttpChannel,
    body: Any = None,
    path: str = "/messages",
    headers: dict[str, str] | None = None,
    method: str = "POST",
) -> Response:
    """Send a request; a body that is not bytes goes as JSON."""
    data = body if isinstance(body, bytes) else json.dumps(HI if body is None else body).encode()
    return await asyncio.to_thread(
        _asked, channel.port, path, data, JSON if headers is None else headers, method
    )


async def test_a_posted_message_is_answered_with_the_reply_as_json(
    manager: HookManager, seen: Seen
) -> None:
    channel = HttpChannel()
    async with Gateway(clerk(), channel, manager):
        response = await ask(channel)
    sent = dict(seen)["message_sent"].payload
    assert response.code == 200
    assert response.body == {
        "status": "replied",
        "in_reply_to": sent.metadata["in_reply_to"],
        "id": sent.id,
        "sender": "clerk",
        "recipient": "ana",
        "content": "hello",
    }


async def test_the_gateway_says_where_it_listens_when_it_starts(
    manager: HookManager, seen: Seen
) -> None:
    channel = HttpChannel()
    async with Gateway(clerk(), channel, manager) as gateway:
        assert gateway.address == ("127.0.0.1", channel.port)
        assert channel.url == f"http://127.0.0.1:{channel.port}"
    told = [(ctx.host, ctx.port) for _, ctx in seen]
    assert told == [("127.0.0.1", channel.port)] * 2


async def test_a_webhook_takes_a_message_and_gives_the_reply(
    manager: HookManager, seen: Seen
) -> None:
    channel = HttpChannel()
    async with Gateway(clerk(), channel, manager):
        response = await ask(channel, {"message": "hi"}, "/webhook")
    assert (response.code, response.body["content"]) == (200, "hello")
    received = dict(seen)["message_received"]
    assert (received.payload.sender, received.attributes["path"]) == ("webhook", "webhook")


async def test_its_health_can_be_asked(manager: HookManager) -> None:
    channel = HttpChannel()
    async with Gateway(clerk(), channel, manager):
        response = await ask(channel, b"", "/health", {}, "GET")
    assert (response.code, response.body) == (200, {"status": "ok"})


@pytest.mark.parametrize("point", ["message_received", "pre_model_call", "message_sending"])
async def test_a_denial_is_a_403_without_the_reason(
    manager: HookManager, deny: Any, point: str
) -> None:
    deny(point, times=1)
    channel = HttpChannel()
    async with Gateway(clerk(), channel, manager):
        response = await ask(channel)
    assert (response.code, response.body["content"]) == (403, NEUTRAL_MESSAGE)


async def test_a_reply_that_is_kept_back_wholly_is_a_403_without_words(
    manager: HookManager, deny: Any
) -> None:
    deny("message_sending")
    channel = HttpChannel()
    async with Gateway(clerk(), channel, manager):
        response = await ask(channel)
    assert (response.code, response.body["status"]) == (403, "denied")
    assert response.body["content"] is None


async def test_a_failure_is_a_500_without_its_text(manager: HookManager) -> None:
    channel = HttpChannel()
    async with Gateway(clerk([ValueError("sk-1")]), channel, manager):
        response = await ask(channel)
    assert (response.code, response.body["status"]) == (500, "error")
    assert "sk-1" not in json.dumps(response.body)


async def test_a_deadline_is_a_504(manager: HookManager) -> None:
    channel = HttpChannel()
    agent = clerk([asyncio.Event().wait])
    async with Gateway(agent, channel, manager, limits=Limits(deadline=0.05)):
        response = await ask(channel)
    assert (response.code, response.body["status"]) == (504, "timeout")


async def test_stop_ends_a_request_that_waits(manager: HookManager) -> None:
    began = asyncio.Event()

    async def hang() -> None:
        began.set()
        await asyncio.sleep(60)

    channel = HttpChannel()
    async with Gateway(clerk([hang]), channel, manager):
        waiting = asyncio.ensure_future(ask(channel))
        await began.wait()
        stop = await ask(channel, {**HI, "content": "/stop"})
        stopped = await waiting
    assert (stop.code, stop.body["content"]) == (200, "Stopped: 1.")
    assert (stopped.code, stopped.body["status"]) == (409, "stopped")


async def test_the_thousand_and_first_waiting_message_is_a_503_with_retry_after(
    manager: HookManager,
) -> None:
    go_on = asyncio.Event()

    async def answer(request: Any) -> str:
        await go_on.wait()
        return "done"

    memory, channel = InMemoryChannel(), HttpChannel()
    async with Gateway(clerk(answer), [memory, channel], manager) as gateway:
        running = Limits().of_channel("memory")
        for number in range(1000 + running):
            memory.post("hi", sender=f"s{number}")
        response = await ask(channel)
        go_on.set()
    assert (response.code, response.headers["retry-after"]) == (503, "1")
    assert gateway.stats["replied"] == len(memory.sent) == 1000 + running


async def test_a_stop_lets_requests_that_wait_have_their_reply(
    manager: HookManager, seen: Seen
) -> None:
    began = asyncio.Event()

    async def slow() -> str:
        began.set()
        await asyncio.sleep(0.05)
        return "done"

    channel = HttpChannel()
    gateway = Gateway(clerk([slow]), channel, manager)
    await gateway.start()
    waiting = asyncio.ensure_future(ask(channel))
    await began.wait()
    await gateway.stop()
    assert (await waiting).body["content"] == "done"
    assert [name for name, _ in seen][-3:] == ["message_sent", "session_end", "gateway_stop"]


async def test_a_request_during_a_stop_is_a_503(manager: HookManager) -> None:
    began, go_on = asyncio.Event(), asyncio.Event()

    async def slow() -> str:
        began.set()
        await go_on.wait()
        return "done"

    channel = HttpChannel()
    gateway = Gateway(clerk([slow]), channel, manager)
    await gateway.start()
    waiting = asyncio.ensure_future(ask(channel))
    await began.wait()
    stopping = asyncio.ensure_future(gateway.stop())
    late = await ask(channel, {**HI, "sender": "ben"})
    go_on.set()
    await stopping
    assert (late.code, late.headers["retry-after"]) == (503, "5")
    assert (await waiting).code == 200


async def test_a_client_that_left_is_no_delivery(manager: HookManager, seen: Seen) -> None:
    began, go_on = asyncio.Event(), asyncio.Event()

    async def slow() -> str:
        began.set()
        await go_on.wait()
        return "done"

    channel = HttpChannel()
    async with Gateway(clerk([slow]), channel, manager):
        _, writer = await asyncio.open_connection("127.0.0.1", channel.port)
        body = json.dumps(HI).encode()
        head = f"POST /messages HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
        writer.write(head.encode() + body)
        await began.wait()
        writer.close()
        await writer.wait_closed()
        await asyncio.sleep(0.1)
        go_on.set()
    names = [name for name, _ in seen]
    assert (names.count("message_sending"), names.count("message_sent")) == (1, 0)


async def test_many_requests_at_once_have_each_its_own_reply(manager: HookManager) -> None:
    channel = HttpChannel()
    agent = clerk(lambda request: f"re: {request.messages[-1].content}")
    async with Gateway(agent, channel, manager):
        asked = [
            ask(channel, {"content": f"{number}", "sender": f"s{number % 3}", "id": "same"})
            for number in range(24)
        ]
        responses = await asyncio.gather(*asked)
    assert [r.body["content"] for r in responses] == [f"re: {number}" for number in range(24)]


async def test_a_body_of_more_than_a_mebibyte_is_a_413(manager: HookManager, seen: Seen) -> None:
    channel = HttpChannel()
    body = json.dumps({**HI, "content": "x" * 1024 * 1024}).encode()
    async with Gateway(clerk(), channel, manager):
        response = await ask(channel, body)
    assert response.code == 413
    assert "message_received" not in [name for name, _ in seen]


async def test_a_chunked_body_cannot_be_longer_either(manager: HookManager) -> None:
    channel = HttpChannel(max_body=1000)
    async with Gateway(clerk(), channel, manager):
        reader, writer = await asyncio.open_connection("127.0.0.1", channel.port)
        writer.write(
            b"POST /messages HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
            b"Transfer-Encoding: chunked\r\n\r\n"
        )
        writer.write(b"400\r\n" + b" " * 0x400 + b"\r\n")
        line = await asyncio.wait_for(reader.readline(), 5)
        writer.close()
        await writer.wait_closed()
    assert b" 413 " in line


async def test_a_body_that_does_not_come_is_a_408(manager: HookManager) -> None:
    channel = HttpChannel(body_timeout=0.05)
    async with Gateway(clerk(), channel, manager):
        reader, writer = await asyncio.open_connection("127.0.0.1", channel.port)
        writer.write(
            b"POST /messages HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
            b"Content-Length: 10\r\n\r\n{"
        )
        line = await asyncio.wait_for(reader.readline(), 5)
        writer.close()
        await writer.wait_closed()
    assert b" 408 " in line


@pytest.mark.parametrize(
    ("body", "problem"),
    [
        (b"{", "has to be a JSON object"),
        (b"[]", "has to be a JSON object"),
        (b"\xff", "has to be UTF-8"),
        (b"[" * 100_000, "has to be a JSON object"),
        ({"content": "hi"}, "sender must be given"),
        ({"sender": "ana", "content": " "}, "content must be given"),
        ({"sender": 1, "content": "hi"}, "sender has to be a string"),
        ({**HI, "contents": "hi"}, "there is no field contents"),
    ],
    ids=str,
)
async def test_a_body_that_is_no_message_is_a_400_that_says_why(
    manager: HookManager, body: Any, problem: str
) -> None:
    channel = HttpChannel()
    async with Gateway(clerk(), channel, manager):
        response = await ask(channel, body)
    assert response.code == 400
    assert problem in response.body["error"]


async def test_a_name_that_somebody_leads_here_is_a_421(manager: HookManager) -> None:
    channel = HttpChannel()
    async with Gateway(clerk(), channel, manager):
        response = await ask(channel, headers={**JSON, "Host": "evil.example"})
    assert response.code == 421


async def test_an_open_address_without_a_token_is_warned_of(
    caplog: pytest.LogCaptureFixture,
) -> None:
    channel = HttpChannel("0.0.0.0")
    await channel.listen()
    await channel.close()
    assert "asks for no token" in caplog.text


async def test_half_a_surrogate_pair_comes_back_as_it_went(manager: HookManager) -> None:
    channel = HttpChannel()
    agent = clerk(lambda request: request.messages[-1].content)
    async with Gateway(agent, channel, manager):
        response = await ask(channel, b'{"sender": "ana", "content": "\\ud800"}')
    assert (response.code, response.body["content"]) == (200, "\ud800")


async def test_a_form_that_a_page_could_send_is_a_415(manager: HookManager) -> None:
    channel = HttpChannel()
    async with Gateway(clerk(), channel, manager):
        response = await ask(channel, headers={"Content-Type": "text/plain"})
    assert response.code == 415


@pytest.mark.parametrize(
    ("given", "code"),
    [
        ({}, 401),
        ({"Authorization": "Bearer no"}, 401),
        ({"Authorization": "Basic open sesame"}, 401),
        ({"Authorization": "bearer open sesame"}, 200),
        (None, 200),
    ],
)
async def test_a_token_is_asked_for_where_one_is_set(
    manager: HookManager, given: dict[str, str] | None, code: int
) -> None:
    channel = HttpChannel(token="open sesame")
    headers = {"Authorization": "Bearer open sesame"} if given is None else given
    async with Gateway(clerk(), channel, manager):
        response = await ask(channel, headers={**JSON, **headers})
    assert response.code == code


async def test_a_get_of_messages_is_a_405(manager: HookManager) -> None:
    channel = HttpChannel()
    async with Gateway(clerk(), channel, manager):
        response = await ask(channel, b"", method="GET")
    assert response.code == 405


async def test_a_reply_that_nobody_waits_for_is_not_delivered(
    manager: HookManager, seen: Seen, caplog: pytest.LogCaptureFixture
) -> None:
    channel = HttpChannel()
    prompts = [Prompt("anything new?", "http", "ana")]
    async with Gateway(clerk(), channel, manager, heartbeat=0.05, prompts=prompts) as gateway:
        while not gateway.stats["replied"]:  # noqa: ASYNC110
            await asyncio.sleep(0.005)
    assert "message_sent" not in [name for name, _ in seen]
    assert "no client waits for this reply any more" in caplog.text


@pytest.mark.parametrize("written", [True, False])
async def test_a_reply_is_delivered_when_it_was_written(written: bool) -> None:  # noqa: FBT001
    from hookcore_gateway.http_reply import Exchange

    channel, exchange = HttpChannel(), Exchange()
    channel._exchanges["m1"] = exchange
    message = ChannelMessage(
        channel="http", sender="clerk", recipient="ana", content="x", metadata={"in_reply_to": "m1"}
    )
    sending = asyncio.ensure_future(channel.send(message))
    assert await exchange.reply == message
    assert not sending.done()
    exchange.end(written=written)
    await asyncio.wait({sending})
    assert isinstance(sending.exception(), DeliveryError) is not written


async def test_a_taken_port_is_an_error_that_names_it_and_nothing_has_started(
    manager: HookManager, seen: Seen
) -> None:
    first = HttpChannel()
    await first.listen()
    second = HttpChannel(port=first.port, name="second")
    with pytest.raises(GatewayError, match=f"second cannot listen at 127.0.0.1:{first.port}"):
        await Gateway(clerk(), [HttpChannel(name="other"), second], manager).start()
    await first.close()
    assert seen == []


async def test_the_port_is_free_again_after_a_stop(manager: HookManager) -> None:
    first = HttpChannel()
    async with Gateway(clerk(), first, manager):
        pass
    again = HttpChannel(port=first.port)
    async with Gateway(clerk(), again, manager):
        assert (await ask(again)).code == 200


async def test_without_the_extra_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    with pytest.raises(GatewayError, match=r'pip install "hookcore-gateway\[http\]"'):
        HttpChannel()
