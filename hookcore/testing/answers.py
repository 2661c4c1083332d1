"""Answers of model providers in the formats that they have over HTTP, whole and as events."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, Final

__all__ = ["ANSWERS", "Answer"]

Answer = Any
"""A text, or a list of tool calls, each as (name, arguments as JSON text, id)."""


def _pieces(text: str) -> list[str]:
    return [f" {word}" if at else word for at, word in enumerate(text.split(" "))]


def _chat(answer: Answer, body: Any) -> tuple[Any, list[Any]]:
    """Return a completion, and the chunks that stream it."""
    base = {"id": "x", "created": 1, "model": body["model"]}
    used = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
    if isinstance(answer, str):
        said: dict[str, Any] = {"role": "assistant", "content": answer}
        reason = "stop"
        deltas: list[Any] = [{"role": "assistant", "content": ""}]
        deltas += [{"content": piece} for piece in _pieces(answer)]
    else:
        calls = [
            {"id": call_id, "type": "function", "function": {"name": name, "arguments": given}}
            for name, given, call_id in answer
        ]
        said = {"role": "assistant", "content": None, "tool_calls": calls}
        reason = "tool_calls"
        deltas = [{"tool_calls": [{"index": at, **call}]} for at, call in enumerate(calls)]
    choice = {"index": 0, "message": said, "finish_reason": reason}
    ends: list[Any] = [(delta, None) for delta in deltas] + [({}, reason)]
    chunk = {**base, "object": "chat.completion.chunk"}
    chunks = [
        {**chunk, "choices": [{"index": 0, "delta": delta, "finish_reason": end}]}
        for delta, end in ends
    ]
    return {**base, "object": "chat.completion", "choices": [choice], "usage": used}, chunks


def _responses(answer: Answer, body: Any) -> tuple[Any, list[Any]]:
    """Return a response, and the events that stream it."""
    base = {
        "id": "r",
        "object": "response",
        "created_at": 1,
        "model": body.get("model"),
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
    }
    items: list[Any] = []
    events: list[Any] = []
    if isinstance(answer, str):
        part = {"type": "output_text", "text": answer, "annotations": []}
        said = {"id": "m", "type": "message", "role": "assistant", "status": "completed"}
        items.append({**said, "content": [part]})
        here = {"item_id": "m", "output_index": 0, "content_index": 0}
        begun = {**said, "content": [], "status": "in_progress"}
        events += [
            {"type": "response.output_item.added", "output_index": 0, "item": begun},
            {"type": "response.content_part.added", **here, "part": {**part, "text": ""}},
            *(
                {"type": "response.output_text.delta", **here, "delta": piece, "logprobs": []}
                for piece in _pieces(answer)
            ),
            {"type": "response.output_text.done", **here, "text": answer, "logprobs": []},
            {"type": "response.content_part.done", **here, "part": part},
            {"type": "response.output_item.done", "output_index": 0, "item": items[0]},
        ]
    else:
        for at, (name, given, call_id) in enumerate(answer):
            item = {"type": "function_call", "id": f"f{at}", "call_id": call_id, "name": name}
            items.append({**item, "arguments": given, "status": "completed"})
            place, call = {"output_index": at}, "response.function_call_arguments"
            events += [
                {"type": "response.output_item.added", **place, "item": {**item, "arguments": ""}},
                {"type": f"{call}.delta", **place, "item_id": f"f{at}", "delta": given},
                {
                    "type": f"{call}.done",
                    **place,
                    "item_id": f"f{at}",
                    "arguments": given,
                    "name": name,
                },
                {"type": "response.output_item.done", **place, "item": items[-1]},
            ]
    whole = {**base, "status": "completed", "output": items}
    begun = {**base, "status": "in_progress", "output": []}
    events = [
        {"type": "response.created", "response": begun},
        *events,
        {"type": "response.completed", "response": whole},
    ]
    return whole, [{**event, "sequence_number": at} for at, event in enumerate(events)]


def _messages(answer: Answer, body: Any) -> tuple[Any, list[Any]]:
    """Return a message, and the events that stream it."""
    if isinstance(answer, str):
        blocks: list[Any] = [{"type": "text", "text": answer}]
        reason = "end_turn"
    else:
        blocks = [
            {"type": "tool_use", "id": call_id, "name": name, "input": json.loads(given)}
            for name, given, call_id in answer
        ]
        reason = "tool_use"
    stop = {"stop_reason": reason, "stop_sequence": None}
    used = {"input_tokens": 1, "output_tokens": 1}
    base = {"id": "m", "type": "message", "role": "assistant", "model": body["model"]}
    whole = {**base, "content": blocks, **stop, "usage": used}
    events: list[Any] = [{"type": "message_start", "message": {**whole, "content": []}}]
    for at, block in enumerate(blocks):
        text = block["type"] == "text"
        empty = {**block, "text": ""} if text else {**block, "input": {}}
        events.append({"type": "content_block_start", "index": at, "content_block": empty})
        deltas = (
            [{"type": "text_delta", "text": piece} for piece in _pieces(block["text"])]
            if text
            else [{"type": "input_json_delta", "partial_json": json.dumps(block["input"])}]
        )
        events += [{"type": "content_block_delta", "index": at, "delta": d} for d in deltas]
        events.append({"type": "content_block_stop", "index": at})
    events += [{"type": "message_delta", "delta": stop, "usage": used}, {"type": "message_stop"}]
    return whole, events


ANSWERS: Final[dict[str, Callable[[Answer, Any], tuple[Any, list[Any]]]]] = {
    "/chat/completions": _chat,
    "/responses": _responses,
    "/messages": _messages,
}
"""The ends of addresses, each with what gives an answer to a request: whole, and its events."""
