"""Requests whose answer comes whole."""

from __future__ import annotations

import json
from typing import Any

import pytest
import pytest_asyncio

from hookcore import (
    HookManager,
    ModelCallContext,
    ModelResponse,
    RegistrationError,
    ToolCall,
    hookimpl,
)
from hookcore.hosting import PolicyDenied
from hookcore.hosting.checks import MESSAGE, REASON, SECRET, checked
from hookcore.testing.provider import FakeProvider

from .clients import Form


class Ask:
    """A client of each sort, asked alike."""

    def __init__(self, form: Form, provider: FakeProvider, *, awaits: bool, **options: Any) -> None:
        self._form, self._awaits = form, awaits
        made = form.async_client if awaits else form.client
        self.client = made(provider.url, **options)
        self.resource = form.resource(self.client)

    async def __call__(self, *given: Any, name: str = "create", **more: Any) -> Any:
        request = {**self._form.request(*given), **more}
        made = getattr(self.resource, name)(**request)
        return await made if self._awaits else made

    async def close(self) -> None:
        await self.client.close() if self._awaits else self.client.close()


@pytest_asyncio.fixture(params=["sync", "async"])
async def ask(request: pytest.FixtureRequest, form: Form, provider: FakeProvider) -> Any:
    made = Ask(form, provider, awaits=request.param == "async")
    yield made
    await made.close()


pytestmark = pytest.mark.asyncio


async def test_a_message_and_the_system_prompt_reach_the_provider_redacted(
    ask: Any, install: Any, provider: FakeProvider, form: Form
) -> None:
    manager, recorder = checked()
    install(manager)
    answer = await ask(f"my password is {SECRET}", f"it is {SECRET}")
    assert form.text(answer) == "all is well"
    assert SECRET not in provider.text
    assert provider.text.count("[gone]") == 2
    assert recorder.statuses("model_finished") == ["ok"]


async def test_an_unchanged_request_is_sent_as_it_is(
    ask: Any, install: Any, provider: FakeProvider
) -> None:
    await ask("hi", "be brief")
    install(checked()[0])
    await ask("hi", "be brief")
    assert provider.sent[0] == provider.sent[1]


async def test_a_message_of_parts_is_redacted_in_its_place(
    ask: Any, install: Any, provider: FakeProvider, form: Form
) -> None:
    install(checked()[0])
    kind = "input_text" if form.request("x").keys() >= {"input"} else "text"
    parts = [{"type": kind, "text": f"see {SECRET}"}]
    given = [{"role": "user", "content": parts}] if kind == "input_text" else parts
    await ask(given)
    assert f'{{"type": "{kind}", "text": "see [gone]"}}' in provider.text


async def test_what_stands_in_the_extra_body_is_judged(
    ask: Any, install: Any, provider: FakeProvider, form: Form
) -> None:
    install(checked()[0])
    more = {key: value for key, value in form.request(SECRET).items() if key != "model"}
    await ask("hi", extra_body={**more, "custom": 1})
    assert SECRET not in provider.text
    assert provider.sent[0]["custom"] == 1


async def test_a_denied_request_is_not_sent_and_tells_the_message(
    ask: Any, install: Any, provider: FakeProvider
) -> None:
    manager, recorder = checked()
    install(manager)
    with pytest.raises(PolicyDenied) as caught:
        await ask("STOP")
    assert str(caught.value) == MESSAGE
    assert str(caught.value.__cause__) == REASON
    assert provider.sent == []
    assert recorder.statuses("model_finished") == ["denied"]


async def test_a_denied_answer_reaches_nobody(
    ask: Any, install: Any, provider: FakeProvider
) -> None:
    manager, recorder = checked()
    install(manager)
    provider.answers = ["the LEAK is"]
    with pytest.raises(PolicyDenied, match=MESSAGE):
        await ask("hi")
    assert recorder.statuses("model_finished") == ["denied"]


class Rewriting:
    @hookimpl
    def post_model_call(self, ctx: ModelCallContext) -> None:
        ctx.texts().replace(lambda text: text.replace("well", "fine"))


async def test_a_rewritten_answer_keeps_all_else(
    ask: Any, install: Any, provider: FakeProvider, form: Form
) -> None:
    before = await ask("hi")
    manager = HookManager()
    manager.register(Rewriting())
    install(manager)
    after = await ask("hi")
    assert form.text(after) == "all is fine"
    assert type(after) is type(before)
    told = before.model_dump_json().replace("all is well", "all is fine")
    assert json.loads(after.model_dump_json()) == json.loads(told)
    assert after._request_id == before._request_id


@pytest.mark.parametrize(
    "name", ["with_raw_response", "with_streaming_response"], ids=["raw", "streaming"]
)
async def test_the_raw_response_is_judged_too(
    name: str, ask: Any, install: Any, provider: FakeProvider, form: Form
) -> None:
    manager, recorder = checked(Rewriting())
    install(manager)
    raw = getattr(ask.resource, name)
    made = raw.create(**form.request(SECRET))
    if name == "with_raw_response":
        response = await made if ask._awaits else made
        text, parsed = response.http_response.text, response.parse()
        parsed = await parsed if hasattr(parsed, "__await__") else parsed
    elif ask._awaits:
        async with made as response:
            text, parsed = await response.text(), await response.parse()
    else:
        with made as response:
            text, parsed = response.text(), response.parse()
    assert "all is fine" in text
    assert "all is well" not in text
    assert form.text(parsed) == "all is fine"
    assert response.headers["x-request-id"] == "req_1"
    assert "X-Stainless-Raw-Response" in response.http_response.request.headers
    assert SECRET not in provider.text
    assert recorder.statuses("model_finished") == ["ok"]


async def test_the_lines_of_a_streaming_response_are_what_hooks_left(
    ask: Any, install: Any, form: Form
) -> None:
    manager = HookManager()
    manager.register(Rewriting())
    install(manager)
    made = ask.resource.with_streaming_response.create(**form.request("hi"))
    if ask._awaits:
        async with made as response:
            raw = b"".join([piece async for piece in response.http_response.aiter_raw()])
    else:
        with made as response:
            raw = b"".join(response.http_response.iter_raw())
    assert b"all is fine" in raw
    assert b"all is well" not in raw


class Answering:
    def __init__(self, answer: Any) -> None:
        self.answer = answer

    @hookimpl
    def post_model_call(self, ctx: Any) -> Any:
        return self.answer


@pytest.mark.parametrize("given", ["no", ModelResponse("no")], ids=["text", "neutral"])
async def test_an_answer_may_be_replaced(
    given: Any, ask: Any, install: Any, provider: FakeProvider, form: Form
) -> None:
    manager = HookManager()
    manager.register(Answering(given))
    install(manager)
    assert form.text(await ask("hi")) == "no"
    provider.answers = [[("add", '{"a": 1}', "c0")]]
    assert form.text(await ask("hi")) == "no"


async def test_an_answer_may_become_calls_of_tools(ask: Any, install: Any) -> None:
    manager = HookManager()
    manager.register(Answering(ModelResponse(tool_calls=[ToolCall("add", {"a": 1}, "c9")])))
    install(manager)
    told = (await ask("hi")).model_dump_json()
    assert '"add"' in told
    assert '"c9"' in told
    assert "all is well" not in told


async def test_an_answer_of_another_kind_is_an_error_that_says_what_to_give(
    ask: Any, install: Any
) -> None:
    manager = HookManager()
    manager.register(Answering(7))
    install(manager)
    with pytest.raises(TypeError, match="a hook gave int for a model's response: give a text"):
        await ask("hi")


async def test_hooks_may_take_tools_away_and_name_another_model(
    ask: Any, install: Any, provider: FakeProvider, form: Form
) -> None:
    class Thrifty:
        @hookimpl
        def pre_model_call(self, ctx: ModelCallContext) -> None:
            ctx.tools, ctx.model = [], "small"

    manager = HookManager()
    manager.register(Thrifty())
    install(manager)
    choice = {"tool_choice": {"type": "auto"} if form.library == "anthropic" else "auto"}
    await ask("hi", tools=form.tools, **choice)
    assert provider.sent[0]["model"] == "small"
    assert not {"tools", "tool_choice"} & provider.sent[0].keys()


async def test_hooks_see_calls_of_tools_and_usage(
    ask: Any, install: Any, provider: FakeProvider
) -> None:
    seen: list[Any] = []

    class Watch:
        @hookimpl
        def model_output(self, ctx: ModelCallContext) -> None:
            seen.append((ctx.response.tool_calls, ctx.usage is not None))

    manager = HookManager()
    manager.register(Watch())
    install(manager)
    provider.answers = [[("add", '{"a": 1}', "c0")]]
    await ask("hi")
    ((calls, _),) = seen
    assert [(call.name, call.id) for call in calls] == [("add", "c0")]


async def test_a_providers_own_failure_is_the_clients_own_error(
    ask: Any, install: Any, provider: FakeProvider, form: Form
) -> None:
    import importlib

    library = importlib.import_module(form.library)
    manager, recorder = checked()
    install(manager)
    provider.answers = [401]
    with pytest.raises(library.AuthenticationError):
        await ask("hi")
    assert recorder.statuses("model_finished") == ["error"]


async def test_retries_of_the_client_are_one_call(
    form: Form, install: Any, provider: FakeProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    manager, recorder = checked()
    install(manager)
    provider.answers = [500, "all is well"]
    with form.client(provider.url, max_retries=2) as client:
        monkeypatch.setattr(type(client), "_sleep_for_retry", lambda *_, **__: None)
        assert form.text(form.resource(client).create(**form.request("hi"))) == "all is well"
    assert len(provider.sent) == 2
    assert recorder.statuses("model_finished") == ["ok"]


async def test_a_clients_raw_post_is_judged(
    form: Form, install: Any, provider: FakeProvider
) -> None:
    manager, recorder = checked()
    install(manager)
    with form.client(provider.url) as client:
        path = provider_path(form)
        answer = client.post(path, body=form.request(SECRET), cast_to=object)
    assert "all is well" in json.dumps(answer)
    assert SECRET not in provider.text
    assert recorder.statuses("model_finished") == ["ok"]


def provider_path(form: Form) -> str:
    if form.library == "anthropic":
        return "/v1/messages"
    return "/responses" if "input" in form.request("x") else "/chat/completions"


class Cached:
    @hookimpl
    async def wrap_model_call(self, ctx: Any, call_next: Any) -> Any:
        return ModelResponse("from the cache")


async def test_an_async_wrap_may_answer_in_the_providers_place(
    form: Form, install: Any, provider: FakeProvider
) -> None:
    manager = HookManager()
    manager.register(Cached())
    install(manager)
    async with form.async_client(provider.url) as client:
        answer = await form.resource(client).create(**form.request("hi"))
        raw = await form.resource(client).with_raw_response.create(**form.request("hi"))
    assert form.text(answer) == "from the cache"
    assert "from the cache" in raw.http_response.text
    assert provider.sent == []


async def test_sync_clients_refuse_calls_under_async_wraps(
    client: Any, install: Any, provider: FakeProvider, form: Form
) -> None:
    manager = HookManager()
    manager.register(Cached())
    install(manager)
    with pytest.raises(RegistrationError, match="async"):
        form.resource(client).create(**form.request("hi"))
    assert provider.sent == []


async def test_uninstall_puts_the_clients_own_back(
    ask: Any, install: Any, provider: FakeProvider
) -> None:
    import hookcore_openai

    install(checked()[0])
    hookcore_openai.uninstall()
    await ask(SECRET)
    assert SECRET in provider.text


async def test_a_second_install_changes_the_manager(
    ask: Any, install: Any, provider: FakeProvider
) -> None:
    first, recorder = checked()
    second, other = checked()
    install(first)
    install(second)
    await ask("hi")
    assert recorder.endings == []
    assert other.statuses("model_finished") == ["ok"]
