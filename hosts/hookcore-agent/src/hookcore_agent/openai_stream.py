"""A streamed answer of the chat-completions API: put together, or what the server did instead."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Iterable
from typing import Any

from hookcore_specs import ModelResponse, ToolCall

from .errors import ModelError
from .models import parsed_arguments

__all__ = ["StreamedAnswer", "chunks_of"]

_MOST = 80


async def chunks_of(stream: Any, model: str) -> AsyncGenerator[Any, None]:
    """Yield the chunks of a stream of the official SDK.

    Args:
        stream: the stream.
        model: the model's name, for errors.

    Raises:
        ModelError: the server sent something that is no chunk, or no stream at all.
        openai.OpenAIError: what the SDK raises.
    """
    came = False
    try:
        async for chunk in stream:
            came = True
            yield chunk
    except ValueError as error:  # JSON that is none, and bytes that are no UTF-8
        sent = _shown(getattr(error, "doc", None) or getattr(error, "object", ""))
        raise ModelError(
            f"the server of {model} sent a piece of its answer that is no JSON: {sent}"
        ) from error
    if not came:
        raise ModelError(f"the server of {model} {_instead(stream)}")


def _instead(stream: Any) -> str:
    """Say what a server did that sent no chunk."""
    response = getattr(stream, "response", None)
    headers = getattr(response, "headers", {})
    kind = str(headers.get("content-type", "")).partition(";")[0].strip().lower()
    if kind in {"", "text/event-stream"}:
        return "ended its answer without a word: the stream has no chunk"
    if kind == "application/json":
        return (
            "answered with one JSON document and no stream: it takes no notice of stream=true, "
            "which it has to support here"
        )
    code = getattr(response, "status_code", "")
    return f"answered {code} with {kind} and no stream: is base_url= right, or a proxy in between?"


def _shown(sent: Any) -> str:
    text = sent.decode("utf-8", "backslashreplace") if isinstance(sent, bytes) else str(sent)
    return ascii(text if len(text) <= _MOST else f"{text[:_MOST]}...")


class StreamedAnswer:
    """Puts a response together from its chunks.

    Args:
        model: the model's name, for errors.
    """

    def __init__(self, model: str) -> None:
        self._model = model
        self._text: list[str] = []
        self._calls: list[ToolCall] = []
        self._places: dict[int | None, int] = {}
        self._usage: dict[str, int] | None = None
        self._finish: str | None = None

    def take(self, chunk: Any) -> Iterable[str]:
        """Take a chunk and return its texts.

        Raises:
            ModelError: it is no chunk of a chat completion.
        """
        try:
            texts = self._texts(chunk)
        except (AttributeError, TypeError, ValueError, LookupError) as error:
            # The SDK checks no shapes: it hands on whatever JSON has come.
            raise ModelError(
                f"the server of {self._model} sent JSON that is no chunk of a chat completion: "
                f"{_shown(chunk)}"
            ) from error
        self._text += texts
        return texts

    def _texts(self, chunk: Any) -> list[str]:
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
        if not all(isinstance(text, str) for text in texts):
            raise TypeError("a delta's content is no text")
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

    def response(self) -> ModelResponse:
        """Return the whole response.

        Raises:
            ModelError: the stream ended too early, or the service's filter stopped it.
        """
        if self._finish is None:
            raise ModelError(
                f"the answer of {self._model} was cut off: the stream ended in the middle"
            )
        if self._finish == "content_filter":
            raise ModelError(f"the service's content filter stopped the answer of {self._model}")
        calls = [
            ToolCall(call.name, parsed_arguments(call.arguments), call.id) for call in self._calls
        ]
        return ModelResponse("".join(self._text), calls, self._usage)


def _counts(usage: Any) -> dict[str, int]:
    values = usage.model_dump() if hasattr(usage, "model_dump") else dict(usage)
    return {name: value for name, value in values.items() if type(value) is int}
