"""Turns of a program that runs the tools which a client's model calls."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from typing import Any

from .common import TEXT, TURNS, Run, lookup

__all__ = ["litellm_sdk", "openai_client"]

Ask = Callable[[list[Any]], Awaitable[Any]]


def loop(ask: Ask) -> Run:
    """Return a run of a program that runs the tools which a client's model calls."""

    async def run() -> list[Any]:
        messages: list[Any] = [{"role": "user", "content": f"What of this? {TEXT}"}]
        while True:
            said = await ask(messages)
            messages.append(said.model_dump(exclude_none=True))
            if not said.tool_calls:
                return messages
            for call in said.tool_calls:
                result = lookup(**json.loads(call.function.arguments))
                messages.append({"role": "tool", "tool_call_id": call.id, "content": result})

    return run


def completion(messages: list[Any]) -> Any:
    """Return the answer of a provider of chat completions."""
    said: dict[str, Any] = {"role": "assistant", "content": TEXT}
    if len(messages) < 2 * TURNS:
        function = {"name": "lookup", "arguments": '{"key": "k"}'}
        said = {"role": "assistant", "content": None}
        said["tool_calls"] = [{"id": "c", "type": "function", "function": function}]
    choice = {"index": 0, "message": said, "finish_reason": "stop"}
    told = {"id": "x", "object": "chat.completion", "created": 1, "model": "m"}
    return {**told, "choices": [choice]}


async def openai_client(stack: AsyncExitStack) -> Run:
    """Return a run of a program over the openai client, whose HTTP is answered in the process."""
    import httpx2
    import openai

    def answer(request: Any) -> Any:
        return httpx2.Response(200, json=completion(json.loads(request.content)["messages"]))

    http = openai.DefaultAsyncHttpxClient(transport=httpx2.MockTransport(answer), verify=False)
    client = openai.AsyncOpenAI(api_key="none", http_client=http)
    await stack.enter_async_context(client)

    async def ask(messages: list[Any]) -> Any:
        answered = await client.chat.completions.create(model="m", messages=messages)
        return answered.choices[0].message

    return loop(ask)


async def litellm_sdk(stack: AsyncExitStack) -> Run:
    """Return a run of a program over LiteLLM, with a provider of the program's own."""
    import litellm

    class Provider(litellm.CustomLLM):  # type: ignore[misc]
        async def acompletion(self, *_: Any, **told: Any) -> Any:
            return litellm.ModelResponse(**completion(told["messages"]))

    litellm.custom_provider_map = [{"provider": "bench", "custom_handler": Provider()}]
    litellm.utils.custom_llm_setup()
    del stack

    async def ask(messages: list[Any]) -> Any:
        answered = await litellm.acompletion("bench/m", messages)
        return answered.choices[0].message

    return loop(ask)
