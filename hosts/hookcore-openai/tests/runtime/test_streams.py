"""Requests whose answer comes as a stream."""

from __future__ import annotations

import asyncio
import importlib
import threading
from typing import Any

import pytest
import pytest_asyncio

from hookcore import HookManager, ModelCallContext, ModelResponse, hookimpl
from hookcore.hosting import PolicyDenied
from hookcore.hosting.checks import MESSAGE, SECRET, Recorder, checked
from hookcore.testing.provider import FakeProvider

from .clients import Form

pytestmark = pytest.mark.asyncio


class Stream:
    """Streams of each sort of client, read alike."""

    def __init__(self, form: Form, url: str, *, awaits: bool) -> None:
        self.form, self.awaits = form, awaits
        self.client = form.async_client(url) if awaits else form.client(url)
        self.resource = form.resource(self.client)

    async def opened(self, text: str) -> Any:
        made = self.resource.create(**self.form.request(text), stream=True)
        return await made if self.awaits else made

    async def read(self, text: str, shown: list[Any] | None = None) -> str:
        shown = [] if shown is None else shown
        stream = await self.opened(text)
        if self.awaits:
            async for event in stream:
                shown.append(event)
        else:
            shown.extend(stream)
        return "".join(map(self.form.piece, shown))

    async def helped(self, text: str, shown: list[Any]) -> Any:
        """Return the whole answer that the helper has, and note the events that it gave."""
        request = self.form.request(text)
        if self.awaits:
            async with self.resource.stream(**request) as stream:
                async for event in stream:
                    shown.append(event)  # noqa: PERF401 - likewise
                return await self.form.helped(stream)
        with self.resource.stream(**request) as stream:
            shown.extend(stream)
            return self.form.helped(stream)

    async def raw(self, text: str, shown: list[Any] | None = None) -> str:
        """Return the lines that the raw response gives, and note them."""
        lines = await self._lines(text)
        if shown is not None:
            shown.append(lines)
        return lines

    async def _lines(self, text: str) -> str:
        made = self.resource.with_streaming_response.create(**self.form.request(text), stream=True)
        if self.awaits:
            async with made as response:
                return "\n".join([line async for line in response.iter_lines()])
        with made as response:
            return "\n".join(response.iter_lines())

    async def close(self) -> None:
        await self.client.close() if self.awaits else self.client.close()


@pytest_asyncio.fixture(params=["sync", "async"])
async def stream(request: pytest.FixtureRequest, form: Form, provider: FakeProvider) -> Any:
    made = Stream(form, provider.url, awaits=request.param == "async")
    yield made
    await made.close()


def recorded(*plugins: object) -> tuple[HookManager, Recorder]:
    """Return a manager without a policy that has to judge whole responses."""
    manager, recorder = HookManager(), Recorder()
    for plugin in (*plugins, recorder):
        manager.register(plugin)
    return manager, recorder


async def test_a_request_is_redacted_and_judged(
    stream: Any, install: Any, provider: FakeProvider
) -> None:
    manager, recorder = checked()
    install(manager)
    assert await stream.read(f"it is {SECRET}") == "all is well"
    assert SECRET not in provider.text
    with pytest.raises(PolicyDenied, match=MESSAGE):
        await stream.opened("STOP")
    assert len(provider.sent) == 1
    assert recorder.statuses("model_finished") == ["ok", "denied"]


async def test_an_unjudged_stream_passes_in_pieces_and_as_it_is(
    stream: Any, install: Any, form: Form
) -> None:
    before: list[Any] = []
    after: list[Any] = []
    await stream.read("hi", before)
    manager, recorder = recorded()
    install(manager)
    await stream.read("hi", after)
    assert [event.model_dump() for event in after] == [event.model_dump() for event in before]
    assert len([event for event in after if form.piece(event)]) == 3
    assert recorder.statuses("model_finished") == ["ok"]


async def test_an_unjudged_event_leaves_before_the_next_has_come(
    stream: Any, install: Any, provider: FakeProvider
) -> None:
    install(recorded()[0])
    provider.holds[2] = threading.Event()
    opened = await stream.opened("hi")
    first = await anext(aiter(opened)) if stream.awaits else next(iter(opened))
    assert first is not None
    provider.holds[2].set()
    await opened.close() if stream.awaits else opened.close()


@pytest.mark.parametrize("way", ["read", "helped", "raw"])
async def test_nothing_of_a_judged_stream_leaves_before_the_verdict(
    way: str, stream: Any, install: Any, provider: FakeProvider
) -> None:
    manager, recorder = checked()
    install(manager)
    provider.answers = ["so far so good the LEAK is"]
    shown: list[Any] = []
    with pytest.raises(PolicyDenied, match=MESSAGE):
        await getattr(stream, way)("hi", shown)
    assert shown == []
    assert recorder.statuses("model_finished") == ["denied"]


class Window:
    @hookimpl(stream="window", window=12)
    def post_model_call(self, ctx: Any) -> Any:
        return ctx.response.replace("two three", "2 3")


class Whole:
    @hookimpl
    def post_model_call(self, ctx: ModelCallContext) -> None:
        ctx.texts().replace(lambda text: text.replace("two three", "2 3"))


@pytest.mark.parametrize("policy", [Window, Whole])
async def test_what_is_rewritten_is_so_in_every_form(
    policy: Any, stream: Any, install: Any, provider: FakeProvider, form: Form
) -> None:
    install(recorded(policy())[0])
    provider.answers = ["one two three four"]
    shown: list[Any] = []
    assert await stream.read("hi", shown) == "one 2 3 four"
    whole = await stream.helped("hi", shown)
    assert form.text(whole) == "one 2 3 four"
    raw = await stream.raw("hi")
    assert "three" not in repr(shown) + whole.model_dump_json() + raw


class Answering:
    def __init__(self, answer: Any) -> None:
        self.answer = answer

    @hookimpl
    def post_model_call(self, ctx: Any) -> Any:
        return self.answer


@pytest.mark.parametrize("came", ["all is well", [("lookup", '{"a": 1}', "c0")]])
@pytest.mark.parametrize("given", ["no", ModelResponse("no")], ids=["text", "neutral"])
async def test_a_stream_may_be_replaced(
    given: Any, came: Any, stream: Any, install: Any, provider: FakeProvider
) -> None:
    form = stream.form
    install(recorded(Answering(given))[0])
    provider.answers = [came]
    shown: list[Any] = []
    assert await stream.read("hi", shown) == "no"
    assert form.text(await stream.helped("hi", shown)) == "no"
    assert "lookup" not in repr(shown)


async def test_calls_of_tools_come_whole(stream: Any, install: Any, provider: FakeProvider) -> None:
    manager, _ = checked()
    install(manager)
    provider.answers = [[("add", '{"a": 1}', "c0"), ("sub", '{"b": 2}', "c1")]]
    told = (await stream.helped("hi", [])).model_dump_json()
    assert told.index('"add"') < told.index('"sub"')
    assert '"c1"' in told


async def test_a_stream_that_is_left_early_ends_the_call_and_the_connection(
    stream: Any, install: Any, provider: FakeProvider
) -> None:
    manager, recorder = recorded()
    install(manager)
    provider.holds[3] = threading.Event()
    opened = await stream.opened("hi")
    if stream.awaits:
        async with opened:
            async for _ in opened:
                break
    else:
        with opened:
            for _ in opened:
                break
    assert recorder.statuses("model_finished") == ["cancelled"]
    provider.holds[3].set()
    await asyncio.to_thread(provider.left.wait, 30)
    assert provider.left.is_set()


async def test_a_stream_that_is_closed_unread_ends_the_call(stream: Any, install: Any) -> None:
    manager, recorder = recorded()
    install(manager)
    opened = await stream.opened("hi")
    await opened.close() if stream.awaits else opened.close()
    assert recorder.statuses("model_finished") == ["cancelled"]


# The last event of chat completions is no event.
@pytest.mark.parametrize("form", ["responses", "messages"], indirect=True)
async def test_who_stops_at_the_last_event_has_read_it_all(
    stream: Any, install: Any, form: Form
) -> None:
    manager, recorder = recorded()
    install(manager)
    opened = await stream.opened("hi")
    last = ("response.completed", "message_stop")
    if stream.awaits:
        async for event in opened:
            if event.type in last:
                break
    else:
        for event in opened:
            if event.type in last:
                break
    assert recorder.statuses("model_finished") == ["ok"]
    await opened.close() if stream.awaits else opened.close()


async def test_a_cancelled_reader_ends_the_call(
    form: Form, install: Any, provider: FakeProvider
) -> None:
    manager, recorder = recorded()
    install(manager)
    provider.holds[3] = threading.Event()
    stream = Stream(form, provider.url, awaits=True)
    opened = await stream.opened("hi")
    begun = asyncio.Event()

    async def read() -> None:
        async for _ in opened:
            begun.set()

    task = asyncio.create_task(read())
    await begun.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert recorder.statuses("model_finished") == ["cancelled"]
    await stream.close()


async def test_an_error_in_a_stream_is_the_clients_own(
    stream: Any, install: Any, provider: FakeProvider, form: Form
) -> None:
    library = importlib.import_module(form.library)
    manager, recorder = recorded()
    install(manager)
    provider.breaks = 'event: error\ndata: {"error": {"message": "busy", "type": "x"}}\n\n'
    with pytest.raises(library.APIError):
        await stream.read("hi")
    assert recorder.statuses("model_finished") == ["error"]


async def test_a_refused_stream_is_the_clients_own_error_where_it_is_opened(
    stream: Any, install: Any, provider: FakeProvider, form: Form
) -> None:
    library = importlib.import_module(form.library)
    manager, recorder = recorded()
    install(manager)
    provider.answers = [401]
    with pytest.raises(library.AuthenticationError):
        await stream.opened("hi")
    assert recorder.statuses("model_finished") == ["error"]


async def test_a_stream_is_one_of_the_librarys_with_its_response(
    stream: Any, install: Any, form: Form
) -> None:
    library = importlib.import_module(form.library)
    install(checked()[0])
    opened = await stream.opened("hi")
    assert isinstance(opened, library.AsyncStream if stream.awaits else library.Stream)
    assert opened.response.status_code == 200
    assert "event-stream" in opened.response.headers["content-type"]
    await opened.close() if stream.awaits else opened.close()


async def test_a_raw_response_of_a_stream_gives_the_governed_stream(
    stream: Any, install: Any, provider: FakeProvider, form: Form
) -> None:
    install(recorded(Whole())[0])
    provider.answers = ["one two three four"]
    made = stream.resource.with_raw_response.create(**form.request("hi"), stream=True)
    raw = await made if stream.awaits else made
    parsed = raw.parse()
    parsed = await parsed if hasattr(parsed, "__await__") else parsed
    if stream.awaits:
        text = "".join([form.piece(event) async for event in parsed])
    else:
        text = "".join(form.piece(event) for event in parsed)
    assert text == "one 2 3 four"


async def test_an_async_wrap_may_answer_in_a_streams_place(
    form: Form, install: Any, provider: FakeProvider
) -> None:
    class Cached:
        @hookimpl
        async def wrap_model_call(self, ctx: Any, call_next: Any) -> Any:
            yield "from "
            yield "the cache"

    install(recorded(Cached())[0])
    stream = Stream(form, provider.url, awaits=True)
    shown: list[Any] = []
    assert await stream.read("hi", shown) == "from the cache"
    assert form.text(await stream.helped("hi", [])) == "from the cache"
    assert provider.sent == []
    await stream.close()


async def test_a_wraps_own_piece_among_the_providers_events_is_an_error(
    form: Form, install: Any, provider: FakeProvider
) -> None:
    class Adding:
        @hookimpl
        async def wrap_model_call(self, ctx: Any, call_next: Any) -> Any:
            async for event in call_next():
                yield event
            yield "more"

    install(recorded(Adding())[0])
    stream = Stream(form, provider.url, awaits=True)
    with pytest.raises(TypeError, match="a hook gave str among the events of a stream"):
        await stream.read("hi")
    await stream.close()
