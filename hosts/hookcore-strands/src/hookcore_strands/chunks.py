"""The chunks of a response: as policies read and rewrite them, and as Strands takes them."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, Iterator
from typing import Any

from hookcore import ModelResponse, TextChunk, ToolCall, ToolCallChunk
from hookcore.hosting import DefaultCodec, PartsCodec, StreamCall, StreamEnd, StreamText
from hookcore.streaming import Parts

__all__ = ["Chunk", "Codec", "Writer", "numbered"]

_OWN = DefaultCodec()
"""Reads what a wrap may yield of hookcore's own."""

_SILENT = ("messageStart", "messageStop", "metadata", "redactContent")


class Chunk(dict[str, Any]):
    """A chunk that knows the number of its content block.

    Args:
        chunk: the chunk as the provider gave it.
        block: the block's number.
        at: its own number.
        arguments: arguments that come with the beginning of a tool call.
    """

    def __init__(self, chunk: Any, block: int, at: int, arguments: str = "") -> None:
        super().__init__(chunk)
        self.block, self.at, self.arguments = block, at, arguments


async def numbered(chunks: Any) -> AsyncGenerator[Chunk, None]:
    """Yield a provider's chunks with the numbers that most providers leave out.

    Args:
        chunks: the chunks.
    """
    block, is_open, at = -1, False, 0
    async for chunk in chunks:
        begins = "contentBlockStart" in chunk or ("contentBlockDelta" in chunk and not is_open)
        block, is_open, at = block + begins, is_open or begins, at + 1
        yield Chunk(chunk, block, at)
        is_open = is_open and "contentBlockStop" not in chunk


class Codec(PartsCodec):
    """Reads texts, thoughts, citations and tool calls."""

    def parts(self, event: Any) -> Parts | None:
        """Return the parts of a chunk, None for one that is not known."""
        if not isinstance(event, Chunk):
            return _OWN.parts(event)
        if "contentBlockStart" in event:
            call = event["contentBlockStart"].get("start", {}).get("toolUse")
            return () if call is None else (_call(event, call, event.arguments),)
        if "contentBlockDelta" in event:
            return _of_delta(event, event["contentBlockDelta"]["delta"])
        if "contentBlockStop" in event:
            return (StreamEnd((event.block,)),)
        return () if any(name in event for name in _SILENT) else None

    def with_parts(self, event: Any, parts: Parts) -> Any:
        """Return a chunk like ``event`` with other parts."""
        if not isinstance(event, Chunk):
            return _OWN.with_parts(event, parts)
        told = [part for part in parts if not isinstance(part, StreamEnd)]
        if not told:
            return event
        kind, arguments = "contentBlockDelta", event.arguments
        part = told[0]
        if "contentBlockStart" in event and isinstance(part, StreamCall):
            kind, arguments = "contentBlockStart", part.arguments
            start = event[kind]["start"]
            use = {**start["toolUse"], "name": part.name, "toolUseId": part.id}
            changed: Any = {**event[kind], "start": {**start, "toolUse": use}}
        else:
            delta = event[kind]["delta"]
            changed = {**event[kind], "delta": _put(delta, told)}
        return Chunk({**event, kind: changed}, event.block, event.at, arguments)


def _call(event: Chunk, told: Any, arguments: str) -> StreamCall:
    return StreamCall((event.block,), told.get("toolUseId"), told.get("name"), arguments)


def _of_delta(event: Chunk, delta: Any) -> Parts | None:
    if "text" in delta:
        return (StreamText(delta["text"], (event.block, "text")),)
    if "toolUse" in delta:
        return (_call(event, delta["toolUse"], delta["toolUse"].get("input", "")),)
    if "reasoningContent" in delta:
        text = delta["reasoningContent"].get("text")
        return () if text is None else (StreamText(text, (event.block, "thought"), thinking=True),)
    if "citation" in delta:
        texts = [source.get("text", "") for source in delta["citation"].get("sourceContent", ())]
        return [StreamText(text, (event.block, event.at, at)) for at, text in enumerate(texts)]
    return None


def _put(delta: Any, parts: list[Any]) -> Any:
    part = parts[0]
    if "text" in delta:
        return {**delta, "text": part.text}
    if "toolUse" in delta:
        given = {"toolUseId": part.id, "name": part.name}
        told = {name: value for name, value in given.items() if name in delta["toolUse"]}
        return {**delta, "toolUse": {**delta["toolUse"], **told, "input": part.arguments}}
    if "reasoningContent" in delta:
        return {**delta, "reasoningContent": {**delta["reasoningContent"], "text": part.text}}
    sources = delta["citation"]["sourceContent"]
    cited = [{**old, "text": new.text} for old, new in zip(sources, parts, strict=True)]
    return {**delta, "citation": {**delta["citation"], "sourceContent": cited}}


class Writer:
    """Makes of the events that left the chunks that Strands takes."""

    def __init__(self) -> None:
        self._is_open = self._has_calls = False
        #: The pieces of calls of hookcore's own, which are written when they are whole.
        self._pieces: list[ToolCallChunk] = []

    def written(self, event: Any) -> Iterator[Any]:
        """Yield the chunks that an event amounts to."""
        if isinstance(event, Chunk):
            yield from self._closed() if "contentBlockStart" in event else ()
            self._is_open = "contentBlockStop" not in event and (self._is_open or _opens(event))
            self._has_calls = self._has_calls or "toolUse" in _inside(event)
            yield dict(event)
            if event.arguments:
                yield _delta({"toolUse": {"input": event.arguments}})
        elif isinstance(event, (str, TextChunk)):
            self._is_open = True
            yield _delta({"text": event if isinstance(event, str) else event.text})
        elif isinstance(event, ToolCallChunk):
            self._pieces.append(event)
        elif isinstance(event, ModelResponse):
            if event.content:
                yield from self.written(event.content)
            for call in event.tool_calls:
                yield from self._called(call)
        else:
            raise TypeError(
                f"a hook gave {type(event).__name__} for a model's response: give a text, "
                "hookcore.ModelResponse or chunks of Strands'"
            )

    def ended(self, tail: list[Any]) -> Iterator[Any]:
        """Yield the chunks of the end.

        Args:
            tail: those that the provider has ended with, empty where it was not asked.
        """
        if self._pieces:
            yield from self.written(_OWN.assemble(self._pieces))
        yield from self._closed()
        reason = "tool_use" if self._has_calls else "end_turn"
        if not tail:
            yield {"messageStop": {"stopReason": reason}}
        for chunk in tail:
            told = chunk.get("messageStop")
            is_other = told is not None and told["stopReason"] in {"tool_use", "end_turn"}
            yield {"messageStop": {**told, "stopReason": reason}} if is_other else chunk

    def _called(self, call: ToolCall) -> Iterator[Any]:
        yield from self._closed()
        self._is_open = self._has_calls = True
        text = call.arguments if isinstance(call.arguments, str) else json.dumps(call.arguments)
        told = {"name": call.name, "toolUseId": call.id or f"call_{id(call)}"}
        yield {"contentBlockStart": {"start": {"toolUse": told}}}
        yield _delta({"toolUse": {"input": text}})
        yield from self._closed()

    def _closed(self) -> Iterator[Any]:
        if self._is_open:
            self._is_open = False
            yield {"contentBlockStop": {}}


def _opens(event: Chunk) -> bool:
    return "contentBlockStart" in event or "contentBlockDelta" in event


def _inside(event: Chunk) -> Any:
    return event.get("contentBlockStart", {}).get("start", {}) or event.get(
        "contentBlockDelta", {}
    ).get("delta", {})


def _delta(delta: Any) -> dict[str, Any]:
    return {"contentBlockDelta": {"delta": delta}}
