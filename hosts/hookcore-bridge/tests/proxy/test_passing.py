from __future__ import annotations

import asyncio
import gzip
import json
from typing import Any

import pytest

from hookcore.hosting.checks import SECRET, checked

from . import made_up_models as models

aiohttp: Any = pytest.importorskip("aiohttp", reason="aiohttp is not installed")
web: Any = pytest.importorskip("aiohttp.web", reason="aiohttp is not installed")

pytestmark = pytest.mark.asyncio
WIRES = pytest.mark.parametrize("wire", models.WIRES)
KEYS = {
    "anthropic": {"X-Api-Key": "k", "Anthropic-Version": "2023-06-01", "Anthropic-Beta": "b"},
    "chat": {"Authorization": "Bearer k", "OpenAI-Organization": "o"},
    "responses": {"Authorization": "Bearer k"},
    "gemini": {"X-Goog-Api-Key": "k"},
}
HOSTS = {"anthropic": "/anthropic", "chat": "/openai", "responses": "/openai", "gemini": "/google"}


@WIRES
async def test_keys_and_queries_pass_to_the_formats_provider(lab: Any, wire: str) -> None:
    async with lab() as room:
        room.answers = [web.Response(text=json.dumps(models.whole(wire, "hi")))]
        path = f"{models.PATHS[wire]}?beta=true&key=k"
        await room.post(path, models.request(wire, "hi"), **KEYS[wire])
        request, _ = room.requests[0]
    assert request.rel_url.raw_path_qs == HOSTS[wire] + path
    assert {name: request.headers[name] for name in KEYS[wire]} == KEYS[wire]
    assert room.notes == []


@WIRES
@pytest.mark.parametrize("status", [400, 401, 429, 500, 529])
@pytest.mark.parametrize("streamed", [False, True])
async def test_an_error_of_the_provider_passes_as_it_is(
    lab: Any, wire: str, status: int, *, streamed: bool
) -> None:
    manager, recorder = checked()
    async with lab(manager) as room:
        room.answers = [
            web.Response(status=status, text='{"error":  1}', headers={"Retry-After": "7"})
        ]
        path = (models.STREAM_PATHS if streamed else models.PATHS)[wire]
        body = models.request(wire, "hi", stream=streamed)
        async with room.client.post(room.url + path, json=body) as answer:
            assert (answer.status, await answer.text()) == (status, '{"error":  1}')
            assert answer.headers["Retry-After"] == "7"
    assert recorder.statuses("model_finished") == ["error"]


@WIRES
@pytest.mark.parametrize(
    "answer",
    [
        lambda: web.Response(status=307, headers={"Location": "http://127.0.0.1:1/"}),
        lambda: web.Response(body=gzip.compress(b"{}"), headers={"Content-Encoding": "gzip"}),
        lambda: web.Response(text='{"a": 1, "a": 2}'),
        lambda: web.Response(text=f"{SECRET} is no JSON"),
        lambda: web.Response(text="[]"),
    ],
)
async def test_an_answer_that_policies_would_not_see_is_refused(
    lab: Any, wire: str, answer: Any
) -> None:
    async with lab() as room:
        room.answers = [answer()]
        status, told = await room.post(models.PATHS[wire], models.request(wire, "hi"))
    assert status == 502
    assert SECRET not in told
    assert json.loads(told)["error"]["message"]


@pytest.mark.parametrize(
    ("wire", "odd"),
    [
        ("chat", {"choices": [{"message": {"content": "x", "new_field": SECRET}}]}),
        ("gemini", {"candidates": [{"content": {"parts": [{"newPart": {"x": SECRET}}]}}]}),
    ],
)
async def test_what_no_codec_can_read_is_refused_where_somebody_judges(
    lab: Any, wire: str, odd: dict[str, Any]
) -> None:
    manager, _ = checked()
    async with lab(manager) as room:
        room.answers = [web.Response(text=json.dumps(odd))]
        status, told = await room.post(models.PATHS[wire], models.request(wire, "hi"))
    assert (status, SECRET in told) == (502, False)


@WIRES
@pytest.mark.parametrize("streamed", [False, True])
async def test_a_provider_that_is_away_is_told_with_a_status_to_try_again(
    lab: Any, wire: str, *, streamed: bool
) -> None:
    manager, recorder = checked()
    async with lab(manager) as room:
        room.away = True
        room.answers = [web.Response()]
        path = (models.STREAM_PATHS if streamed else models.PATHS)[wire]
        status, told = await room.post(path, models.request(wire, "hi", stream=streamed))
        assert status == 502
        assert "cannot be reached" in json.loads(told)["error"]["message"]
    assert recorder.statuses("model_finished") == ["error"]


@WIRES
async def test_a_stream_that_breaks_off_is_not_ended_as_if_it_were_whole(
    lab: Any, wire: str
) -> None:
    async def broken(request: Any) -> Any:
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await response.prepare(request)
        made = models.as_stream(wire, models.events(wire, "hello")[:3])
        await response.write(made.replace(b"data: [DONE]\n\n", b""))
        await asyncio.sleep(0)
        request.transport.abort()
        return response

    async with lab() as room:
        room.answers = [broken]
        body = models.request(wire, "hi", stream=True)
        try:
            status, _ = await room.post(models.STREAM_PATHS[wire], body)
        except aiohttp.ClientError:
            return
        assert status == 502


@WIRES
async def test_comments_keep_the_connection_open(lab: Any, wire: str) -> None:
    stream = models.as_stream(wire, models.events(wire, "hello"))
    first, rest = stream.split(b"\n\n", 1)
    async with lab() as room:
        body = first + b"\n\n: still there\n\n" + rest
        room.answers = [web.Response(body=body, content_type="text/event-stream")]
        asked = models.request(wire, "hi", stream=True)
        _, told = await room.post(models.STREAM_PATHS[wire], asked)
    assert told.replace(": still there\n\n", "") == stream.decode()


async def test_a_stream_of_geminis_may_be_a_list(lab: Any) -> None:
    manager, _ = checked()
    made = models.events("gemini", "hello")
    async with lab(manager) as room:
        room.answers = [web.Response(text=json.dumps(made), content_type="application/json")] * 2
        path = "/v1beta/models/m:streamGenerateContent"
        status, told = await room.post(path, models.request("gemini", "hi"))
        assert (status, json.loads(told)) == (200, made)


@WIRES
@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Host": "evil.example"}, 403),
        ({"Origin": "https://evil.example"}, 403),
        ({"Content-Encoding": "gzip"}, 415),
        ({"Connection": "Upgrade", "Upgrade": "websocket"}, 426),
    ],
)
async def test_what_cannot_be_judged_goes_no_further(
    lab: Any, wire: str, headers: dict[str, str], status: int
) -> None:
    async with lab() as room:
        body = models.request(wire, "hi")
        got, told = await room.post(models.PATHS[wire], body, **headers)
        assert (got, room.requests) == (status, [])
        assert json.loads(told)["error"]["message"]


@WIRES
async def test_a_request_that_is_no_request_is_refused(lab: Any, wire: str) -> None:
    async with lab() as room:
        for body in (b"", b"[]", b"{", b'{"messages": 1, "input": 1, "contents": 1}'):
            status, told = await room.post(models.PATHS[wire], body)
            assert (status, room.requests) == (400, [])
            assert json.loads(told)["error"]["message"]


async def test_everything_else_passes_untouched_and_is_noted(lab: Any) -> None:
    async with lab() as room:
        answer = web.Response(body=gzip.compress(b"x"), headers={"Content-Encoding": "gzip"})
        room.answers = [web.Response(text="models"), answer]
        async with room.client.get(f"{room.url}/v1/models?limit=1") as told:
            assert await told.text() == "models"
        assert room.notes == []
        data = gzip.compress(b"x" * 100_000)
        async with room.client.post(
            f"{room.url}/v1/files?key=hunter2", data=data, headers={"Content-Encoding": "gzip"}
        ) as told:
            assert await told.read() == b"x"
        assert room.requests[1][1] == b"x" * 100_000  # as the provider's server unpacks it
    assert room.notes == ["passed on unjudged: POST /v1/files"]


async def test_the_key_says_whose_other_addresses_are(lab: Any) -> None:
    async with lab() as room:
        for headers, path in (
            ({"X-Api-Key": "k"}, "/v1/models"),
            ({"Authorization": "k"}, "/v1/models"),
            ({"X-Goog-Api-Key": "k"}, "/v1/models"),
            ({}, "/v1beta/models"),
        ):
            room.answers = [web.Response()]
            await (await room.client.get(room.url + path, headers=headers)).read()
        paths = [request.path for request, _ in room.requests]
    assert paths == [
        "/anthropic/v1/models",
        "/openai/v1/models",
        "/google/v1/models",
        "/google/v1beta/models",
    ]


async def test_what_cannot_be_judged_is_refused_on_request(lab: Any) -> None:
    async with lab(judged_only=True) as room:
        assert (await room.post("/v1/messages/batches", {}))[0] == 403
        room.answers = [web.Response(text="models")]
        async with room.client.get(f"{room.url}/v1/models") as told:
            assert told.status == 200
        assert len(room.requests) == 1


async def test_an_address_with_a_way_up_is_refused(lab: Any) -> None:
    async with lab() as room:
        reader, writer = await asyncio.open_connection(
            "127.0.0.1", int(room.url.rpartition(":")[2])
        )
        writer.write(
            b"POST /v1/x/../messages HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n"
        )
        line = await reader.readline()
        writer.close()
        await writer.wait_closed()
        assert room.requests == []
    assert b" 400 " in line


async def test_a_client_that_goes_away_ends_the_call(lab: Any) -> None:
    manager, recorder = checked()
    gone = asyncio.Event()

    async def slow(request: Any) -> Any:
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await response.prepare(request)
        try:
            while True:
                await response.write(b": working\n\n")
                await asyncio.sleep(0.01)
        finally:
            gone.set()

    async with lab(manager) as room:
        room.answers = [slow]
        body = models.request("chat", "hi", stream=True)
        asking = asyncio.ensure_future(room.post("/v1/chat/completions", body))
        while not room.requests:  # noqa: ASYNC110 - the test's own end of the connection
            await asyncio.sleep(0.01)
        asking.cancel()
        await asyncio.wait({asking})
        await gone.wait()
        while not recorder.statuses("model_finished"):  # noqa: ASYNC110
            await asyncio.sleep(0.01)
    assert recorder.statuses("model_finished") == ["cancelled"]
