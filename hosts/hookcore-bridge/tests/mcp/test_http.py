from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest

from hookcore import HookManager, hookimpl
from hookcore.hosting.checks import MESSAGE, SECRET, checked
from hookcore_bridge.mcp import rpc
from hookcore_bridge.mcp.points import OfferSpecs
from hookcore_bridge.mcp.session import Session
from hookcore_bridge.mcp.tools import Offers
from hookcore_bridge.relay.guard import Guard
from hookcore_bridge.relay.upstream import open_client

pytest.importorskip("aiohttp", reason="aiohttp is not installed: hookcore-bridge[mcp]")
import aiohttp
from aiohttp import test_utils, web
from yarl import URL

from hookcore_bridge.mcp.http import HttpProxy

pytestmark = pytest.mark.asyncio
SESSION = {"Mcp-Session-Id": "s1"}


def call(name: str = "x", request_id: Any = 1, **params: Any) -> dict[str, Any]:
    params = {"name": name, **params}
    return {"jsonrpc": "2.0", "id": request_id, "method": "tools/call", "params": params}


def text(value: str) -> dict[str, Any]:
    return {"content": [{"type": "text", "text": value}]}


def as_json(value: Any, **options: Any) -> web.Response:
    return web.Response(text=json.dumps(value), content_type="application/json", **options)


def as_events(*blocks: str) -> Callable[[web.Request], Any]:
    """Return what answers with a stream of these blocks."""

    async def answer(request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await response.prepare(request)
        for block in blocks:
            await response.write(block.encode() + b"\n\n")
        return response

    return answer


class Lab:
    """A made-up server, the proxy before it, and a client."""

    def __init__(self) -> None:
        self.answers: list[Any] = []
        """The answers of the server, in order: responses, or functions that give one."""
        self.requests: list[tuple[web.Request, bytes]] = []
        self.notes: list[str] = []
        self.client: Any = None
        self.url = ""
        self._news = asyncio.Event()

    async def requested(self, count: int) -> None:
        """Wait until the server has had so many requests."""
        while len(self.requests) < count:
            self._news.clear()
            await self._news.wait()

    async def serve(self, request: web.Request) -> web.StreamResponse:
        self.requests.append((request, await request.read()))
        self._news.set()
        answer: Any = self.answers.pop(0) if self.answers else web.Response(status=202)
        made: web.StreamResponse = await answer(request) if callable(answer) else answer
        return made

    async def post(self, message: Any, **headers: str) -> tuple[int, str]:
        data = message if isinstance(message, bytes) else json.dumps(message).encode()
        given = {"Content-Type": "application/json", **headers}
        async with self.client.post(self.url, data=data, headers=given) as answer:
            return answer.status, await answer.text()

    async def asks(self, message: Any, **headers: str) -> Any:
        return json.loads((await self.post(message, **headers))[1])


@asynccontextmanager
async def lab(manager: HookManager | None = None) -> AsyncIterator[Lab]:
    made = HookManager() if manager is None else manager
    made.add_hookspecs(OfferSpecs)
    room = Lab()
    app = web.Application()
    app.router.add_route("*", "/mcp", room.serve)
    offers = Offers(made, None, None, room.notes.append)
    async with (
        test_utils.TestServer(app) as server,
        open_client() as upstream,
        aiohttp.ClientSession() as client,
    ):
        url = str(server.make_url("/mcp"))
        proxy = HttpProxy(
            lambda: Session(made, offers, room.notes.append, {}), url, "/mcp", upstream, Guard()
        )
        front = web.Application()
        front.router.add_route("*", "/{path:.*}", proxy.answer)
        before = test_utils.TestServer(front)
        await before.start_server(auto_decompress=False)
        async with before:
            room.client, room.url = client, str(before.make_url("/mcp"))
            yield room
            await proxy.close()


class Redacting:
    @hookimpl
    def post_tool_call(self, ctx: Any) -> None:
        ctx.texts().replace(lambda value: value.replace(SECRET, "[gone]"))


async def test_what_is_not_changed_passes_byte_for_byte() -> None:
    manager, _ = checked()
    body = b'{"jsonrpc" : "2.0", "id": 1, "method": "tools/call", "params": {"name": "x"}}'
    reply = '{"jsonrpc":  "2.0", "id": 1, "result": {"content": []}}'
    async with lab(manager) as room:
        room.answers = [web.Response(text=reply, content_type="application/json")]
        assert await room.post(body) == (200, reply)
        assert room.requests[0][1] == body


async def test_a_denied_call_never_reaches_the_server() -> None:
    manager, _ = checked()
    async with lab(manager) as room:
        answer = await room.asks(call("danger"))
    assert MESSAGE in answer["result"]["content"][0]["text"]
    assert room.requests == []


async def test_arguments_and_results_are_what_policies_left() -> None:
    manager, _ = checked(Redacting())
    async with lab(manager) as room:
        room.answers = [as_json(rpc.result(1, text(f"it is {SECRET}")))]
        answer = await room.asks(call("add", arguments={"a": 1}))
    assert answer["result"] == text("it is [gone]")
    assert json.loads(room.requests[0][1])["params"]["arguments"] == {"a": 11}


async def test_the_events_of_a_stream_are_judged_and_others_pass() -> None:
    manager, _ = checked(Redacting())
    notice = 'id: 1\ndata: {"jsonrpc": "2.0",  "method": "notifications/x"}'
    result = f"event: message\nid: 2\ndata: {json.dumps(rpc.result(1, text(SECRET)))}"
    async with lab(manager) as room:
        room.answers = [as_events(": hello", "id: 0\ndata:", notice, result)]
        _, told = await room.post(call())
    blocks = told.split("\n\n")
    assert blocks[:3] == [": hello", "id: 0\ndata:", notice]
    assert blocks[3].startswith("event: message\nid: 2\ndata: {")
    assert json.loads(blocks[3].partition("data: ")[2])["result"] == text("[gone]")
    assert SECRET not in told


async def test_a_server_that_asks_for_sampling_is_answered_by_the_client() -> None:
    manager, recorder = checked()
    asked = {
        "jsonrpc": "2.0",
        "id": 7,
        "method": "sampling/createMessage",
        "params": {"messages": []},
    }
    sampled = {"role": "assistant", "model": "m", "content": {"type": "text", "text": "hi"}}
    async with lab(manager) as room:
        room.answers = [
            as_json(rpc.result(0, {}), headers=SESSION),
            as_events(
                f"data: {json.dumps(asked)}", f"data: {json.dumps(rpc.result(1, text('x')))}"
            ),
        ]
        await room.asks({"jsonrpc": "2.0", "id": 0, "method": "initialize"})
        await room.post(call(), **SESSION)
        assert (await room.post(rpc.result(7, sampled), **SESSION))[0] == 202
        assert json.loads(room.requests[-1][1]) == rpc.result(7, sampled)
        assert (await room.post(rpc.result(8, sampled), **SESSION))[0] == 202
        assert len(room.requests) == 3
    assert recorder.statuses("model_finished") == ["ok"]


async def test_a_denied_question_of_the_server_is_answered_for_the_client() -> None:
    manager, _ = checked()
    content = {"type": "text", "text": "STOP"}
    params = {"messages": [{"role": "user", "content": content}]}
    asked = {"jsonrpc": "2.0", "id": 7, "method": "sampling/createMessage", "params": params}
    async with lab(manager) as room:
        room.answers = [as_events(f"data: {json.dumps(asked)}")]
        _, told = await room.post(call(), Authorization="Bearer k", **SESSION)
        await room.requested(2)
        request, body = room.requests[1]
    assert "STOP" not in told
    assert MESSAGE in json.loads(body)["error"]["message"]
    assert (request.headers["Mcp-Session-Id"], request.headers["Authorization"]) == (
        "s1",
        "Bearer k",
    )


async def test_an_answer_may_come_on_another_stream_of_the_session() -> None:
    manager, recorder = checked(Redacting())
    async with lab(manager) as room:
        room.answers = [
            as_events("id: 1\ndata:"),
            as_events(f"id: 2\ndata: {json.dumps(rpc.result(1, text(SECRET)))}"),
        ]
        await room.post(call(), **SESSION)
        headers = {**SESSION, "Last-Event-ID": "1", "Accept": "text/event-stream"}
        async with room.client.get(room.url, headers=headers) as answer:
            told = await answer.text()
        assert room.requests[1][0].headers["Last-Event-ID"] == "1"
    assert json.loads(told.partition("data: ")[2])["result"] == text("[gone]")
    assert recorder.tools() == [("x", "ok")]


async def test_requests_without_a_session_may_have_the_same_id() -> None:
    manager, recorder = checked()
    both = asyncio.Event()
    async with lab(manager) as room:

        async def together(request: web.Request) -> web.Response:
            if len(room.requests) == 2:
                both.set()
            await both.wait()
            return as_json(rpc.result(1, text("x")))

        room.answers = [together, together]
        answers = list(await asyncio.gather(room.asks(call()), room.asks(call())))
    assert answers == [rpc.result(1, text("x"))] * 2
    assert recorder.tools() == [("x", "ok"), ("x", "ok")]


async def test_a_session_ends_when_it_is_deleted() -> None:
    manager, recorder = checked()
    async with lab(manager) as room:
        room.answers = [as_events("id: 1\ndata:"), web.Response(status=204)]
        await room.post(call(), **SESSION)
        async with room.client.delete(room.url, headers=SESSION) as answer:
            assert answer.status == 204
        assert recorder.tools() == [("x", "cancelled")]


async def test_headers_pass_and_what_is_the_connections_own_does_not() -> None:
    async with lab() as room:
        headers = {"Authorization": "Bearer k", "MCP-Protocol-Version": "2025-11-25"}
        room.answers = [as_json(rpc.result(1, {}), headers={"WWW-Authenticate": "x"})]
        async with room.client.post(
            URL(f"{room.url}?a=%2F&b", encoded=True),
            json=call(),
            headers={**headers, "Origin": "http://localhost"},
        ) as answer:
            assert answer.headers["WWW-Authenticate"] == "x"
        request = room.requests[0][0]
    assert {name: request.headers[name] for name in headers} == headers
    assert "Origin" not in request.headers
    assert request.headers["Accept-Encoding"] == "identity"
    assert request.rel_url.raw_query_string == "a=%2F&b"


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Host": "evil.example"}, 403),
        ({"Origin": "https://evil.example"}, 403),
        ({"Content-Encoding": "gzip"}, 415),
        ({"Mcp-Method": "ping"}, 400),
        ({"Mcp-Method": "tools/call", "Mcp-Name": "harmless"}, 400),
        ({"Mcp-Name": "=?base64?aGFybWxlc3M=?="}, 400),
        ({"Mcp-Name": "=?base64?!?="}, 400),
    ],
)
async def test_what_cannot_be_judged_goes_no_further(headers: dict[str, str], status: int) -> None:
    async with lab() as room:
        assert (await room.post(call(), **headers))[0] == status
        assert room.requests == []


@pytest.mark.parametrize(
    "body",
    [b"[]", b"{", b'{"id": 1, "id": 2}', b'{"jsonrpc": "2.0"}', json.dumps([call()]).encode()],
)
async def test_a_body_that_is_no_message_is_refused(body: bytes) -> None:
    async with lab() as room:
        status, told = await room.post(body)
        assert (status, room.requests) == (400, [])
        assert json.loads(told)["id"] is None


async def test_headers_that_say_the_same_are_kept_up_to_date() -> None:
    class Renaming:
        @hookimpl
        def pre_step(self, ctx: Any) -> Any:
            return {**ctx.payload, "uri": "file:///ö"}

    manager = HookManager()
    manager.register(Renaming())
    message = {"jsonrpc": "2.0", "id": 1, "method": "resources/read", "params": {"uri": "a"}}
    async with lab(manager) as room:
        room.answers = [as_json(rpc.result(1, {"contents": []}))]
        await room.post(message, **{"Mcp-Method": "resources/read", "Mcp-Name": "a"})
        request, body = room.requests[0]
    assert json.loads(body)["params"]["uri"] == "file:///ö"
    assert request.headers["Mcp-Name"] == "=?base64?ZmlsZTovLy/Dtg==?="


async def test_other_paths_and_methods_are_not_served() -> None:
    async with lab() as room:
        async with room.client.get(room.url + "/x") as answer:
            assert answer.status == 404
        async with room.client.put(room.url) as answer:
            assert answer.status == 405
        assert room.requests == []


async def test_a_server_that_is_away_is_told_and_the_call_has_ended() -> None:
    manager, recorder = checked()

    async def gone(request: web.Request) -> web.Response:
        assert request.transport is not None
        request.transport.abort()
        return web.Response()

    async with lab(manager) as room:
        room.answers = [gone]
        status, _ = await room.post(call(), **SESSION)
        assert status == 502
        assert recorder.tools() == [("x", "cancelled")]


@pytest.mark.parametrize(
    "answer",
    [
        lambda: web.Response(status=307, headers={"Location": "http://127.0.0.1:1/"}),
        lambda: as_json(rpc.result(1, text(SECRET)), headers={"Content-Encoding": "gzip"}),
        lambda: as_json(rpc.result(2, text(SECRET))),
        lambda: as_json(rpc.result("1", text(SECRET))),
        lambda: as_json([rpc.result(1, text(SECRET))]),
        lambda: as_json({"jsonrpc": "2.0", "result": text(SECRET)}),
    ],
)
async def test_an_answer_that_policies_would_not_see_is_withheld(answer: Any) -> None:
    async with lab() as room:
        room.answers = [answer()]
        status, told = await room.post(call())
        assert (status, SECRET in told) == (502, False)


@pytest.mark.parametrize(
    "kind", ["Text/Event-Stream", "text/event-stream;charset=x", "text/x; like=text/event-stream"]
)
async def test_what_clients_may_take_for_a_stream_is_judged_as_one(kind: str) -> None:
    manager, _ = checked(Redacting())
    body = f"data: {json.dumps(rpc.result(1, text(SECRET)))}\n\n".encode()
    async with lab(manager) as room:
        room.answers = [web.Response(body=body, headers={"Content-Type": kind})]
        _, told = await room.post(call())
    assert "[gone]" in told
    assert SECRET not in told


async def test_a_reply_that_fails_ends_no_request_of_the_client() -> None:
    manager, recorder = checked()
    asked = {"jsonrpc": "2.0", "id": 1, "method": "elicitation/create", "params": {"message": "x"}}
    async with lab(manager) as room:
        room.answers = [as_events(f"id: 1\ndata: {json.dumps(asked)}"), web.Response(status=400)]
        await room.post(call(), **SESSION)
        await room.post(rpc.result(1, {"action": "decline"}), **SESSION)
        assert recorder.tools() == []


async def test_who_waits_for_an_unreadable_answer_is_told() -> None:
    twice = '{"jsonrpc": "2.0", "id": 1, "result": {"content": [], "content": []}}'
    async with lab() as room:
        room.answers = [
            web.Response(text=twice, content_type="application/json"),
            as_events(f"data: {twice}"),
        ]
        assert (await room.asks(call()))["error"]["code"] == rpc.INTERNAL_ERROR
        _, told = await room.post(call())
        assert json.loads(told.partition("data: ")[2])["error"]["code"] == rpc.INTERNAL_ERROR


@pytest.mark.parametrize("status", [401, 404, 500])
async def test_an_error_of_the_server_passes_and_the_call_has_ended(status: int) -> None:
    manager, recorder = checked()
    async with lab(manager) as room:
        room.answers = [web.Response(status=status, text="<html>no</html>")]
        assert await room.post(call(), **SESSION) == (status, "<html>no</html>")
        assert recorder.tools() == [("x", "cancelled")]
        room.answers = [as_json(rpc.result(1, text("x")))]
        assert (await room.asks(call(), **SESSION))["result"] == text("x")


async def test_a_stream_that_breaks_off_is_not_ended_as_if_it_were_whole() -> None:
    async def broken(request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await response.prepare(request)
        await response.write(b": begun\n\n")
        assert request.transport is not None
        request.transport.abort()
        return response

    async with lab() as room:
        room.answers = [broken]
        with pytest.raises(aiohttp.ClientError):
            await room.post(call())
