"""Anthropic's messages."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final
from uuid import uuid4

from hookcore_specs import ModelResponse

from .wire import Event, Wire, arguments_object, arguments_text

__all__ = ["ANTHROPIC"]

_STATUS_NAMES: Final = {403: "permission_error", 413: "request_too_large", 502: "api_error"}


class _Anthropic(Wire):
    name = "anthropic-messages"
    provider = "anthropic"
    messages_at = "messages"
    prompt_at = ("system",)
    refusing_status = 403
    _names_events = True

    def _joined(self, contents: list[Any]) -> Any:
        if len(contents) == 1 or all(isinstance(content, str) for content in contents):
            return super()._joined(contents)
        blocks: list[Any] = []
        for content in contents:
            blocks += content if isinstance(content, list) else [{"type": "text", "text": content}]
        return blocks

    def as_event(self, answer: Event) -> Event:
        return {"type": "message_start", "message": answer}

    def as_answer(self, event: Event) -> Event:
        answer: Event = event["message"]
        return answer

    def stream_of(self, responses: Sequence[ModelResponse], original: Sequence[Event]) -> list[Any]:
        start = next((e["message"] for e in original if e.get("type") == "message_start"), None)
        delta = next((e for e in original if e.get("type") == "message_delta"), {})
        message = {**_message(start), "content": [], "stop_reason": None, "stop_sequence": None}
        events: list[Any] = [{"type": "message_start", "message": message}]
        for index, (block, piece) in enumerate(_blocks(responses[0])):
            events += [
                {"type": "content_block_start", "index": index, "content_block": block},
                {"type": "content_block_delta", "index": index, "delta": piece},
                {"type": "content_block_stop", "index": index},
            ]
        stop = {"stop_reason": _reason(responses[0]), "stop_sequence": None}
        usage = delta.get("usage") or {"output_tokens": 0}
        events.append({"type": "message_delta", "delta": stop, "usage": usage})
        return [*events, {"type": "message_stop"}]

    def answer_of(self, responses: Sequence[ModelResponse], original: Event | None) -> Event:
        content = [
            {**block, "text": piece["text"]} if block["type"] == "text" else block
            for block, piece in _blocks(responses[0], whole=True)
        ]
        stop = {"stop_reason": _reason(responses[0]), "stop_sequence": None}
        return {**_message(original), "content": content, **stop}

    def refusal(self, text: str, status: int) -> Event:
        kind = _STATUS_NAMES.get(status, "invalid_request_error")
        return {"type": "error", "error": {"type": kind, "message": text}}


def _message(original: Event | None) -> Event:
    if original is not None:
        return original
    usage = {"input_tokens": 0, "output_tokens": 0}
    made = {"id": f"msg_{uuid4().hex}", "type": "message", "role": "assistant", "model": "policy"}
    return {**made, "usage": usage}


def _reason(response: ModelResponse) -> str:
    return "tool_use" if response.tool_calls else "end_turn"


def _blocks(response: ModelResponse, *, whole: bool = False) -> Iterator[tuple[Event, Event]]:
    """Yield each block of a message as it begins, or whole, and the piece that follows."""
    if response.content or not response.tool_calls:
        text = response.content
        yield {"type": "text", "text": ""}, {"type": "text_delta", "text": text}
    for call in response.tool_calls:
        given = arguments_object(call)
        made = {"type": "tool_use", "id": call.id or f"toolu_{uuid4().hex}", "name": call.name}
        piece = {"type": "input_json_delta", "partial_json": arguments_text(call) or "{}"}
        yield {**made, "input": given if whole else {}}, piece


ANTHROPIC: Final = _Anthropic()
