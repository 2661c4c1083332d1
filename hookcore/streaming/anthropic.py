"""The events of Anthropic's messages."""

from __future__ import annotations

import json
from typing import Any

from .parts import Key, StreamCall, StreamEnd, StreamText
from .shapes import Found, Path, ShapeCodec, get, repeated

__all__ = ["ANTHROPIC", "TYPES", "AnthropicCodec"]

_TEXTS = {"text": ("text", False), "thinking": ("thinking", True), "compaction": ("content", False)}
_DELTAS = {
    "text_delta": ("text", False),
    "thinking_delta": ("thinking", True),
    "compaction_delta": ("content", False),
}
_CALLS = ("tool_use", "server_tool_use", "mcp_tool_use")
TYPES = frozenset(
    [
        "content_block_delta",
        "content_block_start",
        "content_block_stop",
        "error",
        "message_delta",
        "message_start",
        "message_stop",
        "ping",
    ]
)
"""The events that there are."""


class AnthropicCodec(ShapeCodec):
    """Reads the events as they come from the wire, beta ones too."""

    def found(self, event: Any) -> list[Found] | None:
        """Return the parts of an event; None for one that is not known."""
        kind = get(event, "type")
        if kind == "content_block_delta":
            return _delta(get(event, "delta"), (get(event, "index"),))
        if kind == "content_block_start":
            key = (get(event, "index"),)
            return _block(get(event, "content_block"), ("content_block",), key, said=False)
        if kind == "content_block_stop":
            return [Found(StreamEnd((get(event, "index"),)))]
        if kind == "message_stop":
            return [Found(StreamEnd())]
        if kind == "message_start":
            found: list[Found] = []
            for place, block in enumerate(get(get(event, "message"), "content") or ()):
                found += _block(block, ("message", "content", place), (place,), said=True)
            return found
        return [] if kind in TYPES else None


def _delta(delta: Any, key: Key) -> list[Found] | None:
    kind = get(delta, "type")
    if kind in _DELTAS:
        name, thinking = _DELTAS[kind]
        text = get(delta, name) or ""
        return [Found(StreamText(text, key, thinking=thinking), ("delta", name))]
    if kind == "input_json_delta":
        part = StreamCall(key, arguments=get(delta, "partial_json") or "")
        return [Found(part, ("delta", "partial_json"))]
    if kind == "signature_delta":
        return []
    if kind == "citations_delta":
        return repeated(get(delta, "citation"), ("delta", "citation"), (*key, "citation"))
    return None


def _block(block: Any, path: Path, key: Key, *, said: bool) -> list[Found]:
    kind = get(block, "type")
    if kind in _TEXTS:
        name, thinking = _TEXTS[kind]
        text = get(block, name) or ""
        part = StreamText(text, key, repeats=said, thinking=thinking)
        return [Found(part, (*path, name))] if text else []
    if kind in _CALLS:
        given = get(block, "input")
        text = given if isinstance(given, str) else json.dumps(given) if given else ""
        call = StreamCall(key, get(block, "id"), get(block, "name"), text, repeats=said)
        return [Found(call, (*path, "input"), parsed=True, name_path=(*path, "name"))]
    if kind == "redacted_thinking":
        return []
    return repeated(block, path, (*key, "block"))


ANTHROPIC = AnthropicCodec()
