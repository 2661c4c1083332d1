"""LangChain's message chunks, alone or in the chunk of a generation."""

from __future__ import annotations

import json
from typing import Any

from .parts import StreamCall, StreamEnd, StreamText
from .shapes import Found, Path, ShapeCodec, beside, fields_of, get, joined, repeated

__all__ = ["LANGCHAIN", "LangChainCodec"]

_TEXTS = {
    "text": ("text", False),
    "output_text": ("text", False),
    "refusal": ("refusal", False),
    "text_delta": ("text", False),
    "thinking": ("thinking", True),
    "reasoning_content": ("text", True),
}
_CALLS = ("function_call", "input_json_delta", "tool_call", "tool_call_chunk", "tool_use")
# Calls are among the message's calls too, and go from the content when they are changed there.
_SILENT = (*_CALLS, "redacted_thinking")
_OPAQUE = ("image", "audio", "file", "video", "image_url", "input_audio")
_REASONING = ("reasoning_content", "reasoning")
_OF_METADATA = frozenset(
    [
        "created",
        "created_at",
        "done_reason",
        "finish_reason",
        "headers",
        "id",
        "logprobs",
        "model",
        "model_name",
        "model_provider",
        "object",
        "output_version",
        "safety_ratings",
        "service_tier",
        "status",
        "stop_reason",
        "stop_sequence",
        "system_fingerprint",
        "token_usage",
        "usage",
    ]
)
_OF_MESSAGE = frozenset(
    [
        "additional_kwargs",
        "chunk_position",
        "content",
        "example",
        "generation_info",
        "id",
        "invalid_tool_calls",
        "message",
        "name",
        "response_metadata",
        "role",
        "status",
        "text",
        "tool_call_chunks",
        "tool_call_id",
        "tool_calls",
        "type",
        "usage_metadata",
    ]
)
_OF_BLOCK = frozenset({"extras", "id", "index", "reasoning", "signature", "summary", "type"})
_OF_REASONING = _OF_BLOCK | {"encrypted_content", "content", "text"}
_OF_TEXTS = {kind: _OF_BLOCK | {name} for kind, (name, _) in _TEXTS.items()}
"""The fields that are read, or that tell of the service, not of the response."""


class LangChainCodec(ShapeCodec):
    """Reads chunks, and whole messages as what repeats a message."""

    def found(self, event: Any) -> list[Found] | None:
        """Return the parts of a message; None where it holds what cannot be read."""
        message, path = _message(event)
        if not path and not hasattr(event, "content"):  # a chunk of a plain generation
            return joined([Found(StreamText(event.text), ("text",))], _told(event, ()))
        said = not hasattr(message, "tool_call_chunks")
        ends = said or get(message, "chunk_position") == "last"
        found = [Found(StreamEnd())] if ends else []
        content = _content(get(message, "content"), (*path, "content"), said=said)
        if content is None:
            return None
        found += content
        found += _calls(message, path, said=said)
        told = _told(message, path), _told(event, ()) if path else []
        return joined(found, _beside(message, path, said=said), *told)

    def rest(self, event: Any) -> list[tuple[Path, Any]]:
        """Return the usage and what is told of the response."""
        message, path = (
            (event, ()) if get(event, "message") is None else (event.message, ("message",))
        )
        rest: list[tuple[Path, Any]] = []
        if get(message, "usage_metadata"):
            rest.append(((*path, "usage_metadata"), None))
        if get(message, "response_metadata"):
            rest.append(((*path, "response_metadata"), {}))
        if get(message, "chunk_position") == "last":
            rest.append(((*path, "chunk_position"), None))
        return rest

    def made(self, event: Any) -> Any:
        """Return the chunk as its class makes it, which parses the calls and copies the text."""
        message = get(event, "message")
        if message is None:
            return _made_message(event)
        values = {name: getattr(event, name) for name in event.model_fields_set}
        return type(event)(**{**values, "message": _made_message(message)})


def _told(holder: Any, path: Path) -> list[Found] | None:
    """Return the texts that a message or a chunk has in fields of other purposes."""
    found = beside(holder, _OF_MESSAGE, path)
    for name in ("response_metadata", "generation_info"):
        metadata = get(holder, name)
        if metadata:
            found = joined(found, beside(metadata, _OF_METADATA, (*path, name)))
    return found


def _message(event: Any) -> tuple[Any, Path]:
    message = get(event, "message")
    return (event, ()) if message is None else (message, ("message",))


def _made_message(message: Any) -> Any:
    if not hasattr(message, "model_fields_set"):
        return message
    derived = ("tool_calls", "invalid_tool_calls") if hasattr(message, "tool_call_chunks") else ()
    names = [name for name in message.model_fields_set if name not in derived]
    if hasattr(message, "tool_call_chunks") and "tool_call_chunks" not in names:
        names.append("tool_call_chunks")
    return type(message)(**{name: getattr(message, name) for name in names})


def _content(content: Any, path: Path, *, said: bool) -> list[Found] | None:
    if isinstance(content, str):
        return [Found(StreamText(content, ("text",), repeats=said), path)] if content else []
    found: list[Found] = []
    for place, block in enumerate(content or ()):
        items = _block(block, (*path, place), place, said=said)
        if items is None:
            return None
        found += items
    return found


def _block(block: Any, path: Path, place: int, *, said: bool) -> list[Found] | None:
    if isinstance(block, str):
        return [Found(StreamText(block, ("text",), repeats=said), path)]
    kind, index = get(block, "type"), get(block, "index", place)
    if kind in _TEXTS:
        name, thinking = _TEXTS[kind]
        if isinstance(get(block, name), str):
            group = "thinking" if thinking else "text"
            part = StreamText(get(block, name), (group, index), repeats=said, thinking=thinking)
            others = beside(block, _OF_TEXTS[kind], path, (group, index))
            return joined([Found(part, (*path, name))], others)
    if kind == "reasoning":
        others = beside(block, _OF_REASONING, path, ("thinking", index))
        return joined(_reasoning(block, path, index, said=said), others)
    if kind in _SILENT:
        return []
    return None if kind in _OPAQUE else repeated(block, path, ("block", index))


def _reasoning(block: Any, path: Path, index: Any, *, said: bool) -> list[Found]:
    found: list[Found] = []
    for name in ("reasoning", "text"):
        text = get(block, name)
        if isinstance(text, str) and text:
            part = StreamText(text, ("thinking", index, name), repeats=said, thinking=True)
            found.append(Found(part, (*path, name)))
    for at, item in enumerate(get(block, "summary") or ()):
        key = ("thinking", index, get(item, "index", at))
        part = StreamText(get(item, "text") or "", key, repeats=said, thinking=True)
        found.append(Found(part, (*path, "summary", at, "text")))
    return found


def _calls(message: Any, path: Path, *, said: bool) -> list[Found]:
    name = "tool_calls" if said else "tool_call_chunks"
    drops = _drops(message, path)
    found: list[Found] = []
    for place, call in enumerate(get(message, name) or ()):
        index = get(call, "index")
        key = ("call", place if index is None else index)
        given = get(call, "args")
        text = given if isinstance(given, str) else json.dumps(given) if given is not None else ""
        part = StreamCall(key, get(call, "id"), get(call, "name") or None, text, repeats=said)
        here = (*path, name, place)
        found.append(
            Found(
                part,
                (*here, "args"),
                parsed=said,
                name_path=(*here, "name") if part.name else (),
                item=here,
                drops=drops,
            )
        )
    if said and not found:
        for place, call in enumerate(get(message, "invalid_tool_calls") or ()):
            found += repeated(call, (*path, "invalid_tool_calls", place), ("invalid", place))
    return found


def _drops(message: Any, path: Path) -> tuple[tuple[Path, Any], ...]:
    drops: list[tuple[Path, Any]] = []
    content = get(message, "content")
    if isinstance(content, (list, tuple)):
        kept = [block for block in content if get(block, "type") not in _CALLS]
        if len(kept) < len(content):
            drops.append(((*path, "content"), kept))
    kwargs = get(message, "additional_kwargs") or {}
    drops += [
        ((*path, "additional_kwargs"), {k: v for k, v in kwargs.items() if k not in _REPEATED})
    ] * any(name in kwargs for name in _REPEATED)
    return tuple(drops)


_REPEATED = ("tool_calls", "function_call")


def _beside(message: Any, path: Path, *, said: bool) -> list[Found]:
    """Return the texts that stand beside a message's content."""
    found: list[Found] = []
    for name, value in fields_of(get(message, "additional_kwargs") or {}):
        here = (*path, "additional_kwargs", name)
        if name in _REASONING and isinstance(value, str):
            part = StreamText(value, ("beside", name), repeats=said, thinking=True)
            found.append(Found(part, here))
        elif name == "refusal" and isinstance(value, str):
            found.append(Found(StreamText(value, ("beside", name), repeats=said), here))
        elif name not in _REPEATED:
            found += repeated(value, here, ("beside", name))
    return found


LANGCHAIN = LangChainCodec()
