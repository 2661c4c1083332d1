from __future__ import annotations

import asyncio
import importlib
import logging
import threading
from importlib.metadata import entry_points
from typing import Any

import pytest

import hookcore_litellm
from hookcore import (
    HookManager,
    ModelCallContext,
    ModelResponse,
    RegistrationError,
    ToolCall,
    hookimpl,
)
from hookcore.hosting import HOSTS_GROUP, PolicyDenied, RuntimeVersionError
from hookcore.hosting.checks import MESSAGE, REASON, SECRET, Recorder, checked
from hookcore.testing.provider import FakeProvider

from .conftest import WARNINGS

pytestmark = [pytest.mark.asyncio, *WARNINGS]

CALLS = [("add", '{"a": 1}', "c0")]


def recorded(*plugins: object) -> tuple[HookManager, Recorder]:
    """Return a manager without a policy that has to judge whole responses."""
    manager, recorder = HookManager(), Recorder()
    for plugin in (*plugins, recorder):
        manager.register(plugin)
    return manager, recorder


def text_of(answer: Any) -> Any:
    return answer.choices[0].message.content


async def test_a_request_reaches_the_provider_redacted_and_is_one_call(
    ask: Any, install: Any, provider: FakeProvider
) -> None:
    manager, recorder = checked()
    install(manager)
    answer = await ask(f"my password is {SECRET}", f"it is {SECRET}")
    assert text_of(answer) == "all is well"
    assert SECRET not in provider.text
    assert provider.text.count("[gone]") == 2
    assert recorder.statuses("model_finished") == ["ok"]
    assert len(provider.sent) == 1


async def test_a_denied_request_is_no_reason_to_try_again(
    ask: Any, install: Any, provider: FakeProvider
) -> None:
    manager, recorder = checked()
    install(manager)
    with pytest.raises(PolicyDenied) as caught:
        await ask("STOP")
    assert (str(caught.value), str(caught.value.__cause__)) == (MESSAGE, REASON)
    assert provider.sent == []
    assert recorder.statuses("model_finished") == ["denied"]


async def test_a_denied_answer_reaches_nobody(
    ask: Any, install: Any, provider: FakeProvider
) -> None:
    manager, recorder = checked()
    install(manager)
    provider.answers = ["the LEAK is"]
    with pytest.raises(PolicyDenied, match=MESSAGE):
        await ask()
    assert len(provider.sent) == 1
    assert recorder.statuses("model_finished") == ["denied"]


class Rewriting:
    @hookimpl
    def post_model_call(self, ctx: ModelCallContext) -> None:
        ctx.texts().replace(lambda text: text.replace("well", "fine"))


async def test_a_rewritten_answer_keeps_all_else(ask: Any, install: Any) -> None:
    before = await ask()
    install(recorded(Rewriting())[0])
    after = await ask()
    assert text_of(after) == "all is fine"
    assert type(after) is type(before)
    assert (after.id, after.usage) == (before.id, before.usage)
    assert after._hidden_params["custom_llm_provider"] == "openai"


class Answering:
    def __init__(self, answer: Any) -> None:
        self.answer = answer

    @hookimpl
    def post_model_call(self, ctx: Any) -> Any:
        return self.answer


@pytest.mark.parametrize("given", ["no", ModelResponse("no")], ids=["text", "neutral"])
@pytest.mark.parametrize("came", ["all is well", CALLS], ids=["said", "called"])
async def test_an_answer_may_be_replaced(
    given: Any, came: Any, ask: Any, install: Any, provider: FakeProvider
) -> None:
    install(recorded(Answering(given))[0])
    provider.answers = [came]
    answer = await ask()
    assert text_of(answer) == "no"
    assert not answer.choices[0].message.tool_calls
    assert await ask.read() == "no"


async def test_an_answer_may_become_calls_of_tools(ask: Any, install: Any) -> None:
    said = ModelResponse(tool_calls=[ToolCall("add", {"a": 1}, "c9")])
    install(recorded(Answering(said))[0])
    (call,) = (await ask()).choices[0].message.tool_calls
    assert (call.function.name, call.function.arguments, call.id) == ("add", '{"a":1}', "c9")


async def test_an_answer_of_another_kind_is_an_error_that_says_what_to_give(
    ask: Any, install: Any
) -> None:
    install(recorded(Answering(7))[0])
    with pytest.raises(TypeError, match="a hook gave int for a model's response: give a text"):
        await ask()


@pytest.mark.parametrize("ask", ["sync", "async"], indirect=True)  # a Router's models are its own
async def test_hooks_may_take_tools_away_and_name_another_model(
    install: Any, provider: FakeProvider, ask: Any
) -> None:
    class Thrifty:
        @hookimpl
        def pre_model_call(self, ctx: ModelCallContext) -> None:
            ctx.tools, ctx.model = [], "openai/small"

    install(recorded(Thrifty())[0])
    tool = {"type": "function", "function": {"name": "add", "parameters": {}}}
    await ask(tools=[tool], tool_choice="auto")
    assert provider.sent[0]["model"] == "small"
    assert not {"tools", "tool_choice"} & provider.sent[0].keys()


async def test_a_providers_own_failure_is_litellms_own_error(
    ask: Any, install: Any, provider: FakeProvider
) -> None:
    litellm = importlib.import_module("litellm")
    manager, recorder = checked()
    install(manager)
    provider.answers = [400]
    with pytest.raises(litellm.BadRequestError):
        await ask()
    assert recorder.statuses("model_finished") == ["error"]


@pytest.mark.parametrize("ask", ["sync router", "async router"], indirect=True)
async def test_retries_and_fallbacks_of_the_router_are_one_call(
    ask: Any, install: Any, provider: FakeProvider
) -> None:
    manager, recorder = checked()
    install(manager)
    provider.answers = [500, "all is well"]
    assert text_of(await ask()) == "all is well"
    assert len(provider.sent) == 2
    assert recorder.statuses("model_finished") == ["ok"]


@pytest.mark.parametrize("name", ["completion", "acompletion"])
async def test_functions_of_other_modules_and_earlier_imports_are_governed(
    name: str, install: Any, provider: FakeProvider
) -> None:
    litellm = importlib.import_module("litellm")
    early = getattr(litellm, name)
    manager, recorder = checked()
    install(manager)
    told: Any = {"api_base": f"{provider.url}/v1", "api_key": "none"}
    for function in (early, getattr(litellm, name), getattr(litellm.main, name)):
        made = function("openai/m", [{"role": "user", "content": SECRET}], **told)
        answer = await made if name == "acompletion" else made
        assert text_of(answer) == "all is well"
    assert recorder.statuses("model_finished") == ["ok"] * 3
    assert SECRET not in provider.text


async def test_another_request_inside_a_provider_of_the_programs_own_is_dispatched(
    install: Any, provider: FakeProvider
) -> None:
    litellm: Any = importlib.import_module("litellm")
    told: Any = {"api_base": f"{provider.url}/v1", "api_key": "none"}

    class Asking(litellm.CustomLLM):
        def completion(self, *args: Any, **kwargs: Any) -> Any:
            return litellm.completion(
                "openai/m", [{"role": "user", "content": f"other {SECRET}"}], **told
            )

    litellm.custom_provider_map = [{"provider": "own", "custom_handler": Asking()}]
    litellm.utils.custom_llm_setup()
    manager, recorder = checked()
    install(manager)
    answer = litellm.completion("own/m", [{"role": "user", "content": "hi"}])
    assert text_of(answer) == "all is well"
    assert recorder.statuses("model_finished") == ["ok", "ok"]
    assert SECRET not in provider.text
    litellm.custom_provider_map = []


# Streams


async def test_a_streamed_request_is_redacted_and_passes_in_pieces(
    ask: Any, install: Any, provider: FakeProvider
) -> None:
    class Redacting:
        @hookimpl
        def pre_model_call(self, ctx: ModelCallContext) -> None:
            ctx.texts().replace(lambda text: text.replace(SECRET, "[gone]"))

    manager, recorder = recorded(Redacting())
    install(manager)
    shown: list[Any] = []
    assert await ask.read(SECRET, shown) == "all is well"
    assert len([event for event in shown if event.choices[0].delta.content]) > 1
    assert SECRET not in provider.text
    assert recorder.statuses("model_finished") == ["ok"]


async def test_nothing_of_a_judged_stream_leaves_before_the_verdict(
    ask: Any, install: Any, provider: FakeProvider
) -> None:
    manager, recorder = checked()
    install(manager)
    provider.answers = ["so far so good the LEAK is"]
    shown: list[Any] = []
    with pytest.raises(PolicyDenied, match=MESSAGE):
        await ask.read("hi", shown)
    assert shown == []
    assert recorder.statuses("model_finished") == ["denied"]


async def test_a_window_rewrites_what_is_streamed(
    ask: Any, install: Any, provider: FakeProvider
) -> None:
    class Window:
        @hookimpl(stream="window", window=12)
        def post_model_call(self, ctx: Any) -> Any:
            return ctx.response.replace("two three", "2 3")

    install(recorded(Window())[0])
    provider.answers = ["one two three four"]
    shown: list[Any] = []
    assert await ask.read("hi", shown) == "one 2 3 four"
    assert "three" not in repr(shown)


async def test_a_stream_is_one_of_litellms(ask: Any, install: Any) -> None:
    litellm = importlib.import_module("litellm")
    install(checked()[0])
    stream = await ask(stream=True)
    assert isinstance(stream, litellm.CustomStreamWrapper)
    assert stream._hidden_params is not None
    events = [event async for event in stream] if ask.is_async else list(stream)
    assert litellm.stream_chunk_builder(events).choices[0].message.content == "all is well"


async def test_a_stream_that_is_left_early_ends_the_call(
    ask: Any, install: Any, provider: FakeProvider
) -> None:
    manager, recorder = recorded()
    install(manager)
    provider.holds[3] = threading.Event()
    stream = await ask(stream=True)
    if ask.is_async:
        await anext(stream)
        await stream.aclose()
    else:
        next(stream)
        stream.close()
    assert recorder.statuses("model_finished") == ["cancelled"]


@pytest.mark.parametrize("ask", ["async", "async router"], indirect=True)
async def test_a_cancelled_reader_ends_the_call(
    ask: Any, install: Any, provider: FakeProvider
) -> None:
    manager, recorder = recorded()
    install(manager)
    provider.holds[3] = threading.Event()
    stream = await ask(stream=True)
    begun = asyncio.Event()

    async def read() -> None:
        async for _ in stream:
            begun.set()

    task = asyncio.create_task(read())
    await begun.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert recorder.statuses("model_finished") == ["cancelled"]


class Cached:
    @hookimpl
    async def wrap_model_call(self, ctx: Any, call_next: Any) -> Any:
        return ModelResponse("from the cache")


class CachedStream:
    @hookimpl
    async def wrap_model_call(self, ctx: Any, call_next: Any) -> Any:
        yield "from "
        yield "the cache"


async def test_async_wraps_serve_async_calls_alone(
    ask: Any, install: Any, provider: FakeProvider
) -> None:
    install(recorded(Cached())[0])
    if not ask.is_async:
        with pytest.raises(RegistrationError, match="async"):
            await ask()
        return
    assert text_of(await ask()) == "from the cache"
    install(recorded(CachedStream())[0])
    assert await ask.read() == "from the cache"
    assert provider.sent == []


# The host


async def test_the_host_is_offered_by_its_entry_point() -> None:
    (entry,) = entry_points(group=HOSTS_GROUP, name="litellm")
    assert entry.load() is hookcore_litellm.HOST


async def test_without_litellm_the_error_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    metadata: Any = importlib.import_module("importlib_metadata")

    def missing(name: str) -> str:
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(metadata, "version", missing)
    with pytest.raises(RuntimeVersionError, match=r"'pip install litellm>=1\.110,<1\.111'"):
        hookcore_litellm.install(HookManager())


async def test_a_version_that_was_not_tested_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    metadata: Any = importlib.import_module("importlib_metadata")
    monkeypatch.setattr(metadata, "version", lambda _: "1.111.0")
    with pytest.raises(RuntimeVersionError, match="accept_untested=True"):
        hookcore_litellm.install(HookManager())


async def test_what_cannot_be_judged_is_refused(
    ask: Any, install: Any, provider: FakeProvider
) -> None:
    install(checked()[0])
    with pytest.raises(PolicyDenied) as caught:
        await ask(prediction={"type": "content", "content": "x"})
    assert "a prediction cannot be judged" in str(caught.value.__cause__)
    assert provider.sent == []


async def test_routes_that_no_policy_sees_are_told_of_once(
    install: Any, provider: FakeProvider, caplog: pytest.LogCaptureFixture
) -> None:
    litellm = importlib.import_module("litellm")
    install(checked()[0])
    caplog.set_level(logging.WARNING)
    told: Any = {"api_base": f"{provider.url}/v1", "api_key": "none"}
    for _ in range(2):
        litellm.embedding("openai/m", input=["a"], **told)
        litellm.text_completion(prompt="a", model="openai/m", mock_response="b", **told)
    said = [record.getMessage() for record in caplog.records if "sees" in record.getMessage()]
    assert said == [
        "no policy of hookcore sees what embeddings requests of litellm send",
        "no policy of hookcore sees what text completion requests of litellm send",
    ]


async def test_uninstall_puts_litellms_own_back(
    ask: Any, install: Any, provider: FakeProvider
) -> None:
    install(checked()[0])
    hookcore_litellm.uninstall()
    await ask(SECRET)
    assert SECRET in provider.text
