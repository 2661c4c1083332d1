"""The events of Anthropic's messages."""

from __future__ import annotations

import json
from typing import Any

from .parts import Key, StreamCall, StreamEnd, StreamText
from .shapes import Found, Path, ShapeCodec, beside, get, is_record, joined, repeated

__all__ = ["ANTHROPIC", "TYPES", "AnthropicCodec"]

_TEXTS = {"text": ("text", False), "thinking": ("thinking", True), "compaction": ("content", False)}
_DELTAS = {
    "text_delta": ("text", False),
    "thinking_delta": ("thinking", True),
    "compaction_delta": ("content", False),
}
_CALLS = ("tool_use", "server_tool_use", "mcp_tool_use")
_OF_EVENT = {
    "content_block_delta": frozenset({"type", "index", "delta"}),
    "content_block_start": frozenset({"type", "index", "content_block"}),
    "content_block_stop": frozenset({"type", "index"}),
    "error": frozenset({"type", "request_id"}),
    "message_delta": frozenset({"type", "context_management", "delta", "usage"}),
    "message_start": frozenset({"type", "message"}),
    "message_stop": frozenset({"type", "amazon-bedrock-invocationMetrics"}),
    "ping": frozenset({"type"}),
}
"""For each event the fields that are read, or that tell of the service, not of the response."""
TYPES = frozenset(_OF_EVENT)
"""The events that there are."""
_OF_MESSAGE = frozenset(
    [
        "container",
        "content",
        "context_management",
        "id",
        "model",
        "role",
        "stop_reason",
        "stop_sequence",
        "type",
        "usage",
    ]
)
_OF_BLOCK = frozenset(
    {"caller", "encrypted_content", "id", "input", "name", "server_name", "signature", "type"}
)
_OF_BLOCKS = {kind: _OF_BLOCK | {name} for kind, (name, _) in _TEXTS.items()}
_OF_DELTA = frozenset({"encrypted_content", "partial_json", "type"})
_OF_DELTAS = {kind: _OF_DELTA | {name} for kind, (name, _) in _DELTAS.items()}
_OF_SIGNATURE = frozenset({"signature", "type"})
_OF_END = frozenset({"container", "stop_reason", "stop_sequence"})


class AnthropicCodec(ShapeCodec):
    """Reads the events as they come from the wire, beta ones too."""

    def found(self, event: Any) -> list[Found] | None:
        """Return the parts of an event; None for one that is not known."""
        known = _OF_EVENT.get(get(event, "type"))
        if known is None:
            return None
        return joined(_event(event), beside(event, known))


def _event(event: Any) -> list[Found] | None:
    kind = get(event, "type")
    if kind == "content_block_delta":
        delta = get(event, "delta")
        return _delta(delta, (get(event, "index"),)) if is_record(delta) else None
    if kind == "content_block_start":
        return _block(get(event, "content_block"), ("content_block",), (get(event, "index"),))
    if kind == "message_start":
        return _message(get(event, "message"))
    if kind == "message_delta":
        delta = get(event, "delta")
        return beside(delta, _OF_END, ("delta",)) if is_record(delta) else None
    ended = {"content_block_stop": (get(event, "index"),), "message_stop": ()}
    return [Found(StreamEnd(ended[kind]))] if kind in ended else []


def _message(message: Any) -> list[Found] | None:
    if not is_record(message):
        return None
    blocks = [
        _block(block, ("message", "content", place), (place,), said=True)
        for place, block in enumerate(get(message, "content") or ())
    ]
    return joined(*blocks, beside(message, _OF_MESSAGE, ("message",)))


def _delta(delta: Any, key: Key) -> list[Found] | None:
    kind = get(delta, "type")
    if kind in _DELTAS:
        name, thinking = _DELTAS[kind]
        text = get(delta, name) or ""
        found = [Found(StreamText(text, key, thinking=thinking), ("delta", name))]
        return joined(found, beside(delta, _OF_DELTAS[kind], ("delta",), key))
    if kind == "input_json_delta":
        part = StreamCall(key, arguments=get(delta, "partial_json") or "")
        found = [Found(part, ("delta", "partial_json"))]
        return joined(found, beside(delta, _OF_DELTA, ("delta",), key))
    if kind == "signature_delta":
        return beside(delta, _OF_SIGNATURE, ("delta",), key)
    if kind == "citations_delta":
        return repeated(get(delta, "citation"), ("delta", "citation"), (*key, "citation"))
    return None


def _block(block: Any, path: Path, key: Key, *, said: bool = False) -> list[Found] | None:
    if not is_record(block):
        return None
    kind = get(block, "type")
    if kind in _TEXTS:
        name, thinking = _TEXTS[kind]
        text = get(block, name) or ""
        part = StreamText(text, key, repeats=said, thinking=thinking)
        found = [Found(part, (*path, name))] if text else []
        return joined(found, beside(block, _OF_BLOCKS[kind], path, key))
    if kind in _CALLS:
        given = get(block, "input")
        text = given if isinstance(given, str) else json.dumps(given) if given else ""
        call = StreamCall(key, get(block, "id"), get(block, "name"), text, repeats=said)
        found = [Found(call, (*path, "input"), parsed=True, name_path=(*path, "name"))]
        return joined(found, beside(block, _OF_BLOCK, path, key))
    if kind == "redacted_thinking":
        return []
    return repeated(block, path, (*key, "block"))


ANTHROPIC = AnthropicCodec()
