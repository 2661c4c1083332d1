"""Models behind the chat-completions API of OpenAI, or of any server that speaks it."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import aclosing
from typing import Any

from hookcore_specs import TextChunk

from .errors import ModelError
from .messages import text_of
from .models import ModelRequest
from .openai_stream import StreamedAnswer, chunks_of

__all__ = ["OpenAIModel"]

_KEY = "OPENAI_API_KEY"
_WIRE_KEYS = {
    "system": ("role", "content", "name"),
    "developer": ("role", "content", "name"),
    "user": ("role", "content", "name"),
    "assistant": ("role", "content", "name", "refusal", "tool_calls"),
    "tool": ("role", "content", "tool_call_id"),
}


class OpenAIModel:
    """Streams answers through the official ``openai`` SDK (the extra ``hookcore-agent[openai]``).

    Args:
        name: the model's name.
        base_url: the server's address; OpenAI's own when None.
        api_key: the key; ``OPENAI_API_KEY`` from the environment when None.
        provider: what policies know the server as.
        client: an ``openai.AsyncOpenAI`` of the caller's own.
        options: further parameters of each request (``temperature``, ...).

    Raises:
        ValueError: the key or the address is empty, as from a variable that is not set.
    """

    def __init__(
        self,
        name: str,
        *,
        base_url: str | None = None,
        api_key: str | None = None,
        provider: str = "openai",
        client: Any = None,
        **options: Any,
    ) -> None:
        for setting, value in (("api_key", api_key), ("base_url", base_url)):
            if value is not None and not value.strip():
                raise ValueError(f"OpenAIModel({setting}=...) is empty: give it a value, or None")
        self.name = name
        self.provider = provider
        self.options = options
        self._base_url = base_url
        self._api_key = api_key
        self._client = client
        self._owns_client = client is None

    async def stream(self, request: ModelRequest) -> AsyncIterator[Any]:
        """Yield the text as it comes, and the whole response.

        Args:
            request: what is asked.

        Raises:
            ModelError: the SDK is missing, the server sent something else than a stream of chunks
                or broke it off, or the service's filter stopped the answer.
            openai.OpenAIError: what the SDK raises.
        """
        answer = StreamedAnswer(self.name)
        stream = await self._opened(request)
        try:
            async with aclosing(chunks_of(stream, self.name)) as chunks:
                async for chunk in chunks:
                    for text in answer.take(chunk):
                        yield TextChunk(text)
        finally:
            await stream.close()
        yield answer.response()

    async def _opened(self, request: ModelRequest) -> Any:
        if self._client is None:
            self._client = _made_client(self._base_url, self._api_key)
        parameters: dict[str, Any] = {
            "stream_options": {"include_usage": True},
            **self.options,
            "model": request.model or self.name,
            "messages": [],
            "stream": True,
        }
        # As they are: the SDK would go through each message anew, 0.3 ms for one, in each call.
        messages = [wire_message(message) for message in request.messages]
        more = parameters.get("extra_body") or {}
        parameters["extra_body"] = {"messages": messages, **more}
        tools = wire_tools(request)
        if tools:
            parameters["tools"] = tools
        return await self._client.chat.completions.create(**parameters)

    async def aclose(self) -> None:
        """Close the connections, unless the client is the caller's own."""
        client, self._client = self._client, None
        if client is not None and self._owns_client:
            await client.close()
        elif client is not None:
            self._client = client


def _made_client(base_url: str | None, api_key: str | None) -> Any:
    try:
        from importlib import import_module

        openai: Any = import_module("openai")
    except ImportError as error:
        raise ModelError(
            'OpenAIModel needs the official SDK: pip install "hookcore-agent[openai]"'
        ) from error
    if api_key is None and os.environ.get(_KEY, "unset") == "":
        raise ModelError(f"{_KEY} is set and empty: give it a key, or OpenAIModel api_key=")
    return openai.AsyncOpenAI(base_url=base_url, api_key=api_key)


def wire_message(message: Mapping[str, Any]) -> dict[str, Any]:
    """Return a message as the service takes it, without what is the runtime's own."""
    keys: Iterable[str] = _WIRE_KEYS.get(str(message["role"]), tuple(message))
    wired = {key: message[key] for key in keys if key in message}
    if wired["role"] == "assistant" and wired.get("tool_calls"):
        wired["content"] = wired.get("content") or None
    elif not isinstance(wired.get("content"), (str, list)):
        wired["content"] = text_of(wired.get("content"))
    sendable: dict[str, Any] = _sendable(wired)
    return sendable


def _sendable(value: Any) -> Any:
    """Escape lone surrogates, as in names of files: no request could be sent with one in it."""
    if isinstance(value, str):
        if value.isascii():
            return value
        return value.encode("utf-8", "backslashreplace").decode("utf-8")
    if isinstance(value, Mapping):
        return {_sendable(key): _sendable(inner) for key, inner in value.items()}
    return [_sendable(inner) for inner in value] if isinstance(value, list) else value


def wire_tools(request: ModelRequest) -> list[dict[str, Any]]:
    """Return the tools of a request as the service takes them."""
    local = [
        {
            "type": "function",
            "function": {
                "name": tool.name,
                "description": tool.description,
                "parameters": tool.parameters,
            },
        }
        for tool in request.tools
    ]
    return [*local, *({"type": tool.type, **tool.options} for tool in request.server_tools)]
