"""The providers' own clients, before and behind policies."""

from __future__ import annotations

import json
from typing import Any

import pytest

from hookcore import Abort, HookManager, hookimpl
from hookcore.hosting.checks import MESSAGE

from . import made_up_models as models

web: Any = pytest.importorskip("aiohttp.web", reason="aiohttp is not installed")
anthropic: Any = pytest.importorskip("anthropic", reason="anthropic is not installed")
openai: Any = pytest.importorskip("openai", reason="openai is not installed")
genai: Any = pytest.importorskip("google.genai", reason="google-genai is not installed")

pytestmark = [
    pytest.mark.asyncio,
    pytest.mark.filterwarnings("ignore:Inheritance class:DeprecationWarning"),  # google-genai's
]
WIRES = pytest.mark.parametrize("wire", models.WIRES)
USER = [{"role": "user", "content": "hi"}]


class Policy:
    """Puts another word in the place of one, and denies what says STOP."""

    @hookimpl
    def post_model_call(self, ctx: Any) -> Any:
        if "STOP" in str(ctx.texts()):
            return Abort("rule 1", message=MESSAGE)
        ctx.texts().replace(lambda text: text.replace("bad", "good"))
        return None


class Replacing:
    @hookimpl
    def post_model_call(self, ctx: Any) -> Any:
        return "all is new"


async def from_anthropic(url: str, *, streamed: bool) -> str:
    async with anthropic.AsyncAnthropic(base_url=url, api_key="k", max_retries=0) as client:
        given: Any = {"model": "m", "max_tokens": 5, "messages": USER}
        if not streamed:
            message = await client.messages.create(**given)
        else:
            async with client.messages.stream(**given) as stream:
                message = await stream.get_final_message()
        return "".join(block.text for block in message.content if block.type == "text")


async def from_gemini(url: str, *, streamed: bool) -> str:
    options = genai.types.HttpOptions(base_url=url)
    client = genai.Client(api_key="k", http_options=options).aio
    try:
        if not streamed:
            return str((await client.models.generate_content(model="m", contents="hi")).text)
        chunks = await client.models.generate_content_stream(model="m", contents="hi")
        return "".join([chunk.text or "" async for chunk in chunks])
    finally:
        await client.aclose()


async def from_chat(url: str, *, streamed: bool) -> str:
    async with openai.AsyncOpenAI(base_url=f"{url}/v1", api_key="k", max_retries=0) as client:
        if not streamed:
            answer = await client.chat.completions.create(model="m", messages=USER)
        else:
            async with client.chat.completions.stream(model="m", messages=USER) as stream:
                answer = await stream.get_final_completion()
        return str(answer.choices[0].message.content)


async def from_responses(url: str, *, streamed: bool) -> str:
    async with openai.AsyncOpenAI(base_url=f"{url}/v1", api_key="k", max_retries=0) as client:
        if not streamed:
            return str((await client.responses.create(model="m", input="hi")).output_text)
        async with client.responses.stream(model="m", input="hi") as stream:
            return str((await stream.get_final_response()).output_text)


ASK: dict[str, Any] = {
    "anthropic": from_anthropic,
    "chat": from_chat,
    "responses": from_responses,
    "gemini": from_gemini,
}


async def said(wire: str, url: str, *, streamed: bool) -> str:
    """Ask through a provider's own client; return what it understood."""
    return str(await ASK[wire](url, streamed=streamed))


def answer(wire: str, text: str, *, streamed: bool) -> Any:
    if streamed:
        body = models.as_stream(wire, models.events(wire, text))
        return web.Response(body=body, content_type="text/event-stream")
    return web.Response(text=json.dumps(models.whole(wire, text)), content_type="application/json")


@WIRES
@pytest.mark.parametrize("streamed", [False, True])
@pytest.mark.parametrize(
    ("policy", "expected"),
    [(None, "all is bad here"), (Policy(), "all is good here"), (Replacing(), "all is new")],
)
async def test_a_providers_own_client_understands_the_answer(
    lab: Any, wire: str, *, streamed: bool, policy: Any, expected: str
) -> None:
    manager = HookManager()
    if policy is not None:
        manager.register(policy)
    async with lab(manager) as room:
        room.answers = [answer(wire, "all is bad here", streamed=streamed)]
        assert await said(wire, room.url, streamed=streamed) == expected


@WIRES
@pytest.mark.parametrize("streamed", [False, True])
async def test_a_providers_own_client_tells_of_a_denial_and_does_not_ask_again(
    lab: Any, wire: str, *, streamed: bool
) -> None:
    manager = HookManager()
    manager.register(Policy())
    async with lab(manager) as room:
        room.answers = [answer(wire, "STOP", streamed=streamed)]
        with pytest.raises(Exception, match=MESSAGE) as caught:
            await said(wire, room.url, streamed=streamed)
        assert len(room.requests) == 1
    kinds = {
        "anthropic": anthropic.PermissionDeniedError,
        "chat": openai.BadRequestError,
        "responses": openai.BadRequestError,
        "gemini": genai.errors.ClientError,
    }
    assert isinstance(caught.value, kinds[wire])
