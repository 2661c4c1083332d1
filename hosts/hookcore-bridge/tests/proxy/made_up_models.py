"""Answers of models in four formats, as the providers write them."""

from __future__ import annotations

import json
from typing import Any

WIRES = ("anthropic", "chat", "responses", "gemini")
PATHS = {
    "anthropic": "/v1/messages",
    "chat": "/v1/chat/completions",
    "responses": "/v1/responses",
    "gemini": "/v1beta/models/m:generateContent",
}
STREAM_PATHS = {**PATHS, "gemini": "/v1beta/models/m:streamGenerateContent?alt=sse"}
CALL = ("look", {"q": "x"})


def request(wire: str, text: str, *, system: str | None = None, stream: bool = False) -> Any:
    """Return a request that says a text."""
    messages = [{"role": "user", "content": text}]
    if wire == "gemini":
        body: dict[str, Any] = {"contents": [{"role": "user", "parts": [{"text": text}]}]}
        if system:
            body["systemInstruction"] = {"parts": [{"text": system}]}
        return body
    body = {"model": "m", "max_tokens": 9, **({"stream": True} if stream else {})}
    if wire == "anthropic":
        return {**body, **({"system": system} if system else {}), "messages": messages}
    if wire == "responses":
        return {**body, **({"instructions": system} if system else {}), "input": messages}
    prompt = [{"role": "system", "content": system}] if system else []
    return {**body, "messages": [*prompt, *messages]}


def whole(wire: str, text: str, *, call: Any = None) -> Any:
    """Return an answer that says a text, and calls a tool."""
    if wire == "anthropic":
        content: list[Any] = [{"type": "text", "text": text}] if text else []
        if call:
            content.append({"type": "tool_use", "id": "t1", "name": call[0], "input": call[1]})
        return {
            "id": "msg_1",
            "type": "message",
            "role": "assistant",
            "model": "m",
            "content": content,
            "stop_reason": "tool_use" if call else "end_turn",
            "stop_sequence": None,
            "usage": {"input_tokens": 3, "output_tokens": 2},
        }
    if wire == "chat":
        message: dict[str, Any] = {"role": "assistant", "content": text}
        if call:
            function = {"name": call[0], "arguments": json.dumps(call[1])}
            message["tool_calls"] = [{"id": "c1", "type": "function", "function": function}]
        choice = {"index": 0, "message": message, "finish_reason": "tool_calls" if call else "stop"}
        return {
            "id": "chatcmpl-1",
            "object": "chat.completion",
            "created": 1,
            "model": "m",
            "choices": [choice],
            "usage": {"prompt_tokens": 3, "completion_tokens": 2, "total_tokens": 5},
        }
    if wire == "responses":
        return {
            "id": "resp_1",
            "object": "response",
            "created_at": 1,
            "model": "m",
            "status": "completed",
            "output": _items(text, call),
            "parallel_tool_calls": True,
            "tool_choice": "auto",
            "tools": [],
            "usage": {
                "input_tokens": 3,
                "output_tokens": 2,
                "total_tokens": 5,
                "input_tokens_details": {"cached_tokens": 0},
                "output_tokens_details": {"reasoning_tokens": 0},
            },
        }
    parts: list[Any] = [{"text": text}] if text else []
    if call:
        parts.append({"functionCall": {"name": call[0], "args": call[1]}})
    content_ = {"role": "model", "parts": parts}
    return {
        "candidates": [{"content": content_, "finishReason": "STOP", "index": 0}],
        "usageMetadata": {"promptTokenCount": 3, "candidatesTokenCount": 2, "totalTokenCount": 5},
        "modelVersion": "m",
    }


def _items(text: str, call: Any) -> list[Any]:
    items: list[Any] = []
    if text:
        part = {"type": "output_text", "text": text, "annotations": []}
        made = {"id": "msg_1", "type": "message", "role": "assistant", "status": "completed"}
        items.append({**made, "content": [part]})
    if call:
        made = {"id": "fc_1", "type": "function_call", "status": "completed", "call_id": "c1"}
        items.append({**made, "name": call[0], "arguments": json.dumps(call[1])})
    return items


def events(wire: str, text: str, *, call: Any = None) -> list[Any]:
    """Return the events of a stream that says a text in two pieces, and calls a tool."""
    answer = whole(wire, text, call=call)
    pieces = [text[: len(text) // 2], text[len(text) // 2 :]] if text else []
    if wire == "anthropic":
        return _anthropic(answer, pieces)
    if wire == "chat":
        return _chat(answer, pieces)
    if wire == "responses":
        return _responses(answer, pieces)
    (candidate,) = answer["candidates"]
    made = []
    for piece in pieces:
        content = {"role": "model", "parts": [{"text": piece}]}
        made.append({"candidates": [{"content": content, "index": 0}], "modelVersion": "m"})
    parts = [part for part in candidate["content"]["parts"] if "functionCall" in part]
    last = {**candidate, "content": {"role": "model", "parts": parts or [{"text": ""}]}}
    return [*made, {**answer, "candidates": [last]}]


def _anthropic(answer: Any, pieces: list[str]) -> list[Any]:
    message = {**answer, "content": [], "stop_reason": None}
    made: list[Any] = [{"type": "message_start", "message": message}, {"type": "ping"}]
    for index, block in enumerate(answer["content"]):
        if block["type"] == "text":
            start: Any = {"type": "text", "text": ""}
            deltas: list[Any] = [{"type": "text_delta", "text": piece} for piece in pieces]
        else:
            start = {**block, "input": {}}
            text = json.dumps(block["input"])
            deltas = [
                {"type": "input_json_delta", "partial_json": piece}
                for piece in (text[:4], text[4:])
            ]
        made.append({"type": "content_block_start", "index": index, "content_block": start})
        made += [{"type": "content_block_delta", "index": index, "delta": one} for one in deltas]
        made.append({"type": "content_block_stop", "index": index})
    stop = {"stop_reason": answer["stop_reason"], "stop_sequence": None}
    made.append({"type": "message_delta", "delta": stop, "usage": {"output_tokens": 2}})
    return [*made, {"type": "message_stop"}]


def _chat(answer: Any, pieces: list[str]) -> list[Any]:
    base = {key: answer[key] for key in ("id", "created", "model")}
    base["object"] = "chat.completion.chunk"
    (choice,) = answer["choices"]

    def chunk(delta: Any, reason: Any = None) -> Any:
        return {**base, "choices": [{"index": 0, "delta": delta, "finish_reason": reason}]}

    made = [chunk({"role": "assistant", "content": ""})]
    made += [chunk({"content": piece}) for piece in pieces]
    for index, call in enumerate(choice["message"].get("tool_calls", ())):
        function = call["function"]
        text = function["arguments"]
        first = {**call, "index": index, "function": {**function, "arguments": text[:4]}}
        made.append(chunk({"tool_calls": [first]}))
        rest = {"index": index, "function": {"arguments": text[4:]}}
        made.append(chunk({"tool_calls": [rest]}))
    made.append(chunk({}, choice["finish_reason"]))
    return [*made, {**base, "choices": [], "usage": answer["usage"]}]


def _responses(answer: Any, pieces: list[str]) -> list[Any]:
    begun = {**answer, "status": "in_progress", "output": []}
    made: list[Any] = [{"type": "response.created", "response": begun}]
    for index, item in enumerate(answer["output"]):
        here = {"output_index": index, "item_id": item["id"]}
        empty: Any = {"content": []} if item["type"] == "message" else {"arguments": ""}
        added = {**item, "status": "in_progress", **empty}
        made.append({"type": "response.output_item.added", "output_index": index, "item": added})
        if item["type"] == "message":
            (part,) = item["content"]
            at = {**here, "content_index": 0}
            blank = {**part, "text": ""}
            made.append({"type": "response.content_part.added", **at, "part": blank})
            made += [{"type": "response.output_text.delta", **at, "delta": one} for one in pieces]
            made.append({"type": "response.output_text.done", **at, "text": part["text"]})
            made.append({"type": "response.content_part.done", **at, "part": part})
        else:
            text = item["arguments"]
            kind = "response.function_call_arguments"
            made.append({"type": f"{kind}.delta", **here, "delta": text})
            made.append({"type": f"{kind}.done", **here, "name": item["name"], "arguments": text})
        made.append({"type": "response.output_item.done", "output_index": index, "item": item})
    made.append({"type": "response.completed", "response": answer})
    return [{**event, "sequence_number": place} for place, event in enumerate(made)]


def as_stream(wire: str, made: list[Any]) -> bytes:
    """Return events as the bytes of a stream."""
    named = wire in ("anthropic", "responses")
    lines = [
        (f"event: {one['type']}\n" if named else "") + f"data: {json.dumps(one)}" for one in made
    ]
    return "\n\n".join([*lines, *(["data: [DONE]"] if wire == "chat" else []), ""]).encode()


def said(wire: str, answer: Any) -> str:
    """Return the text that a whole answer says."""
    if wire == "anthropic":
        return "".join(block.get("text", "") for block in answer["content"])
    if wire == "chat":
        return str(answer["choices"][0]["message"]["content"] or "")
    if wire == "responses":
        parts = [part for item in answer["output"] for part in item.get("content", ())]
        return "".join(part["text"] for part in parts)
    return "".join(part.get("text", "") for part in answer["candidates"][0]["content"]["parts"])
