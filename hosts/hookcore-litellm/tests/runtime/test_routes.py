"""LiteLLM's responses and messages, of providers that have these interfaces themselves."""

from __future__ import annotations

import importlib
import json
from typing import Any

import pytest

from hookcore import HookManager, ModelCallContext, ModelResponse, hookimpl
from hookcore.hosting import PolicyDenied
from hookcore.hosting.checks import MESSAGE, REASON, SECRET, checked
from hookcore.testing.answers import ANSWERS
from hookcore.testing.provider import FakeProvider
from hookcore.wires import ANTHROPIC

from .conftest import WARNINGS

pytestmark = [pytest.mark.asyncio, *WARNINGS]

WAYS = ["sync responses", "async responses", "async messages", "async router"]


class Asked:
    """One interface, asked alike."""

    def __init__(self, way: str, provider: FakeProvider) -> None:
        litellm: Any = importlib.import_module("litellm")
        kind, name = way.split()
        self.is_async = kind == "async"
        self.is_messages = name == "messages"
        base = provider.url if self.is_messages else f"{provider.url}/v1"
        self.told: Any = {"api_base": base, "api_key": "none"}
        if name == "router":
            params = {"model": "openai/m", **self.told}
            models = [{"model_name": "m", "litellm_params": params}]
            self.told = {"model": "m"}
            self.function = litellm.Router(model_list=models, num_retries=1).aresponses
        elif self.is_messages:
            self.told |= {"model": "anthropic/m", "max_tokens": 9}
            made = "anthropic_messages" if self.is_async else "anthropic_messages_handler"
            self.function = getattr(litellm, made)
        else:
            self.told |= {"model": "openai/m"}
            self.function = litellm.aresponses if self.is_async else litellm.responses

    async def __call__(self, text: str, system: str | None = None, **more: Any) -> Any:
        if self.is_messages:
            request: Any = {"messages": [{"role": "user", "content": text}], "system": system}
        else:
            request = {"input": text, "instructions": system}
        request = {name: value for name, value in request.items() if value is not None}
        made = self.function(**request, **self.told, **more)
        return await made if self.is_async else made

    async def read(self, text: str, **more: Any) -> list[Any]:
        """Return the events of a stream."""

        stream = await self(text, stream=True, **more)
        if hasattr(stream, "__anext__"):
            return [event async for event in stream]
        return list(stream)

    @staticmethod
    def text(answer: Any) -> str:
        """Return the text of an answer."""
        if isinstance(answer, dict):
            return "".join(part["text"] for part in answer["content"])
        return "".join(part.text for item in answer.output for part in item.content)


@pytest.fixture(params=WAYS)
def asked(
    request: pytest.FixtureRequest, provider: FakeProvider, monkeypatch: pytest.MonkeyPatch
) -> Asked:
    pytest.importorskip("litellm", reason="litellm is not installed: see .ci/hosts/litellm.txt")
    dispatch: Any = importlib.import_module("litellm.messages.dispatch")
    own = dispatch._PYTHON_AMESSAGES

    async def messages(**given: Any) -> Any:
        """Stream as LiteLLM does, which needs its proxy for that: as bytes in any pieces."""
        if not given.get("stream"):
            return await own(**given)
        provider.sent.append([given["messages"], given.get("system"), given.get("extra_body")])
        _, events = ANSWERS["/messages"](provider.answers[0], given)
        sent = b"".join(map(ANTHROPIC.written, events[:-1] if provider.breaks else events))
        sent += (provider.breaks or "").encode()

        async def pieces() -> Any:
            for at in range(0, len(sent), 50):
                yield sent[at : at + 50]

        return pieces()

    monkeypatch.setattr(dispatch, "_PYTHON_AMESSAGES", messages)
    return Asked(request.param, provider)


def words(events: list[Any]) -> str:
    """Return all that events say, as text."""
    return "".join(
        event.decode() if isinstance(event, bytes) else json.dumps(event.model_dump(mode="json"))
        for event in events
    )


class Changing:
    @hookimpl
    def post_model_call(self, ctx: ModelCallContext) -> None:
        ctx.texts().replace(lambda text: text.replace("well", "changed"))


async def test_what_is_sent_and_what_comes_is_as_policies_left_it(
    asked: Asked, install: Any, provider: FakeProvider
) -> None:
    manager, recorder = checked(Changing())
    install(manager)
    answer = await asked(f"my password is {SECRET}", f"it is {SECRET}")
    assert asked.text(answer) == "all is changed"
    assert SECRET not in provider.text
    assert provider.text.count("[gone]") == 2
    assert [end.point for end in recorder.endings] == ["model_finished"]


async def test_a_denied_request_is_not_sent(
    asked: Asked, install: Any, provider: FakeProvider
) -> None:
    install(checked()[0])
    with pytest.raises(PolicyDenied, match=MESSAGE) as caught:
        await asked("STOP")
    assert REASON not in str(caught.value)
    assert provider.sent == []


async def test_a_stream_is_judged_before_any_of_it_leaves(
    asked: Asked, install: Any, provider: FakeProvider
) -> None:
    manager, recorder = checked(Changing())
    install(manager)
    said = words(await asked.read(f"my password is {SECRET}"))
    assert "changed" in said
    assert "well" not in said
    assert SECRET not in provider.text
    provider.answers = ["this is a LEAK"]
    with pytest.raises(PolicyDenied, match=MESSAGE):
        await asked.read("hi")
    assert {end.status for end in recorder.endings} == {"ok", "denied"}


async def test_a_stream_that_nobody_changes_is_the_one_that_came(
    asked: Asked, install: Any, provider: FakeProvider
) -> None:
    before = words(await asked.read("hi"))
    manager, _ = checked()
    install(manager)
    after = words(await asked.read("hi"))
    assert after.count("delta") == before.count("delta")
    assert "well" in after


async def test_another_answer_is_litellms(
    asked: Asked, install: Any, provider: FakeProvider
) -> None:
    class Replacing:
        @hookimpl
        def post_model_call(self, ctx: ModelCallContext) -> Any:
            return ModelResponse("another")

    manager = HookManager()
    manager.register(Replacing())
    install(manager)
    assert asked.text(await asked("hi")) == "another"
    assert "another" in words(await asked.read("hi"))


async def test_what_stands_in_extra_body_is_judged(
    asked: Asked, install: Any, provider: FakeProvider
) -> None:
    install(checked()[0])
    body = (
        {"messages": [{"role": "user", "content": SECRET}]}
        if asked.is_messages
        else {"input": SECRET}
    )
    await asked("hi", extra_body=body)
    assert SECRET not in provider.text


async def test_messages_of_a_completion_in_extra_body_are_judged(
    ask: Any, install: Any, provider: FakeProvider
) -> None:
    install(checked()[0])
    await ask("hi", extra_body={"messages": [{"role": "user", "content": SECRET}]})
    assert SECRET not in provider.text


@pytest.mark.parametrize("asked", ["async messages"], indirect=True)
async def test_the_error_that_a_provider_ends_a_stream_with_is_read(
    asked: Asked, install: Any, provider: FakeProvider
) -> None:
    provider.breaks = 'event: error\ndata: {"type": "error", "error": {"type": "x"}}\n\n'
    manager, recorder = checked()
    install(manager)
    assert '"type": "error"' in words(await asked.read("hi"))
    assert [end.status for end in recorder.endings] == ["error"]
