"""The conformance kit on the clients: each interface, in each way that it can be asked."""

from __future__ import annotations

import asyncio
import importlib
import json
from typing import Any, ClassVar

import pytest

import hookcore_openai
from hookcore import HookManager
from hookcore.testing.answers import ANSWERS
from hookcore.testing.conformance import Conformance, Driver, Job

from .clients import FORMS, Form

pytest.importorskip("openai", reason="openai is not installed: see .ci/hosts/openai.txt")
pytest.importorskip("anthropic", reason="anthropic is not installed: see .ci/hosts/openai.txt")


def transport_of(form: Form, job: Job, *, awaits: bool) -> Any:
    """Return an HTTP client of the library's kind, whose requests the kit's provider answers."""
    library = importlib.import_module(form.library)
    name = "DefaultAsyncHttpxClient" if awaits else "DefaultHttpxClient"
    kind = getattr(library, name)
    modules = [base.__module__.partition(".")[0] for base in kind.__mro__]
    http: Any = importlib.import_module(next(m for m in modules if m in ("httpx", "httpx2")))

    def answer(request: Any) -> Any:
        body = json.loads(request.content)
        step = job.provider.ask(body)
        whole, events = ANSWERS[request.url.path.removeprefix("/v1")](step.text, body)
        if not body.get("stream"):
            return http.Response(200, json=whole)
        lines = [
            (f"event: {event['type']}\n" if "type" in event else "")
            + f"data: {json.dumps(event)}\n\n"
            for event in events
        ]
        head = {"content-type": "text/event-stream"}
        return http.Response(200, headers=head, stream=_Lines(lines))

    class _Lines(http.AsyncByteStream, http.SyncByteStream):
        def __init__(self, lines: list[str]) -> None:
            self._lines = lines

        def __iter__(self) -> Any:
            yield from (line.encode() for line in self._lines)

        async def __aiter__(self) -> Any:
            for line in self._lines:
                yield line.encode()

    return kind(transport=http.MockTransport(answer), verify=False)


class Clients(Driver):
    """One request is a conversation: the client knows no tools."""

    features = frozenset(["pieces", "system"])
    forms: ClassVar[list[str]] = []

    def __init__(self, manager: HookManager | None) -> None:
        super().__init__(manager)
        if manager is not None:
            hookcore_openai.install(manager)

    def close(self) -> None:
        hookcore_openai.uninstall()

    async def run(self, way: str, job: Job) -> Any:
        name, _, how = way.partition(" ")
        form = FORMS[name]
        if how.startswith("sync"):
            return await asyncio.to_thread(self.led, form, how, job)
        client = transport_of(form, job, awaits=True)
        async with form.async_client("http://x", http_client=client) as made:
            resource, request = form.resource(made), form.request(job.text, job.system)
            if how == "create":
                answer = await resource.create(**request)
                return form.text(answer)
            if how == "helper":
                async with resource.stream(**request) as stream:
                    async for event in stream:
                        job.shows(event)
                    return form.text(await form.helped(stream))
            pieces: list[str] = []
            async with await resource.create(**request, stream=True) as stream:
                async for event in stream:
                    job.shows(event)
                    pieces.append(form.piece(event))
            return "".join(pieces)

    def led(self, form: Form, how: str, job: Job) -> Any:
        client = transport_of(form, job, awaits=False)
        with form.client("http://x", http_client=client) as made:
            resource, request = form.resource(made), form.request(job.text, job.system)
            if how == "sync":
                return form.text(resource.create(**request))
            pieces: list[str] = []
            with resource.create(**request, stream=True) as stream:
                for event in stream:
                    job.shows(event)
                    pieces.append(form.piece(event))
            return "".join(pieces)


def ways(*names: str) -> dict[str, Any]:
    """Return the ways to ask these interfaces."""
    modes = {"create": "async", "sync": "sync", "stream": "stream", "helper": "stream"}
    made = {f"{name} {how}": mode for name in names for how, mode in modes.items()}
    return {**made, **{f"{name} sync stream": "stream" for name in names}}


class OpenAI(Clients):
    host = hookcore_openai.OPENAI
    ways: ClassVar[Any] = ways("chat", "responses")
    threads = frozenset({"chat sync stream", "responses sync stream"})


class Anthropic(Clients):
    host = hookcore_openai.ANTHROPIC
    ways: ClassVar[Any] = ways("messages")
    threads = frozenset({"messages sync stream"})


class TestOpenAI(Conformance):
    driver = OpenAI


class TestAnthropic(Conformance):
    driver = Anthropic
