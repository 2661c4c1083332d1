"""Models behind the chat-completions API of OpenAI, or of any server that speaks it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Mapping
from typing import Any

from hookcore_specs import ModelResponse, TextChunk, ToolCall

from .errors import ModelError
from .messages import text_of
from .models import ModelRequest, parsed_arguments

__all__ = ["OpenAIModel"]

_WIRE_KEYS = {
    "system": ("role", "content", "name"),
    "developer": ("role", "content", "name"),
    "user": ("role", "content", "name"),
    "assistant": ("role", "content", "name", "refusal", "tool_calls"),
    "tool": ("role", "content", "tool_call_id"),
}


class OpenAIModel:
    """Streams answers through the official ``openai`` SDK (the extra ``hookcore[openai]``).

    Args:
        name: the model's name.
        base_url: the server's address; OpenAI's own when None.
        api_key: the key; ``OPENAI_API_KEY`` from the environment when None.
        provider: what policies know the server as.
        client: an ``openai.AsyncOpenAI`` of the caller's own.
        options: further parameters of each request (``temperature``, ...).
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
            ModelError: the SDK is missing, the stream was cut off, or the service's filter
                stopped the answer.
            openai.OpenAIError: what the SDK raises.
        """
        answer = _Answer()
        chunks = await self._opened(request)
        try:
            async for chunk in chunks:
                for text in answer.take(chunk):
                    yield TextChunk(text)
        finally:
            await chunks.close()
        yield answer.response(self.name)

    async def _opened(self, request: ModelRequest) -> Any:
        if self._client is None:
            self._client = _made_client(self._base_url, self._api_key)
        parameters: dict[str, Any] = {
            "stream_options": {"include_usage": True},
            **self.options,
            "model": request.model or self.name,
            "messages": [wire_message(message) for message in request.messages],
            "stream": True,
        }
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
            'OpenAIModel needs the official SDK: pip install "hookcore[openai]"'
        ) from error
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


class _Answer:
    """Puts a response together from its chunks."""

    def __init__(self) -> None:
        self._text: list[str] = []
        self._calls: list[ToolCall] = []
        self._places: dict[int | None, int] = {}
        self._usage: dict[str, int] | None = None
        self._finish: str | None = None

    def take(self, chunk: Any) -> Iterable[str]:
        """Take a chunk and return its texts."""
        usage = getattr(chunk, "usage", None)
        if usage is not None:
            self._usage = _counts(usage)
        texts: list[str] = []
        # A chunk without choices carries the usage, or the verdict of a content filter.
        for choice in (chunk.choices or [])[:1]:
            self._finish = choice.finish_reason or self._finish
            delta = choice.delta
            if delta is None:
                continue
            texts += [text for text in (delta.content, getattr(delta, "refusal", None)) if text]
            for piece in delta.tool_calls or []:
                self._take_piece(piece)
        self._text += texts
        return texts

    def _take_piece(self, piece: Any) -> None:
        position = self._places.get(piece.index)
        # Some services give every call the same index, or none: a new id begins a new call.
        if position is None or (piece.id and self._calls[position].id not in {None, piece.id}):
            position = self._places[piece.index] = len(self._calls)
            self._calls.append(ToolCall("", ""))
        call = self._calls[position]
        call.id = call.id or piece.id
        if piece.function is not None:
            call.name = call.name or piece.function.name or ""
            call.arguments = f"{call.arguments}{piece.function.arguments or ''}"

    def response(self, model: str) -> ModelResponse:
        """Return the whole response.

        Raises:
            ModelError: the stream ended too early, or the service's filter stopped it.
        """
        if self._finish is None:
            raise ModelError(f"the answer of {model} was cut off: the stream ended in the middle")
        if self._finish == "content_filter":
            raise ModelError(f"the service's content filter stopped the answer of {model}")
        calls = [
            ToolCall(call.name, parsed_arguments(call.arguments), call.id) for call in self._calls
        ]
        return ModelResponse("".join(self._text), calls, self._usage)


def _counts(usage: Any) -> dict[str, int]:
    values = usage.model_dump() if hasattr(usage, "model_dump") else dict(usage)
    return {name: value for name, value in values.items() if type(value) is int}
