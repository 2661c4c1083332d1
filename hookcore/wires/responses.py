"""OpenAI's responses."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from typing import Any, Final
from uuid import uuid4

from hookcore_specs import ModelResponse

from .chat import openai_refusal
from .wire import Event, MalformedError, Wire, arguments_text

__all__ = ["RESPONSES"]

_LAST: Final = ("response.completed", "response.incomplete", "response.failed")


class _Responses(Wire):
    name = "openai-responses"
    provider = "openai"
    messages_at = "input"
    prompt_at = ("instructions",)
    numbers_events = True
    _names_events = True

    def messages(self, body: dict[str, Any]) -> list[Any]:
        if body.get("prompt") is not None:
            raise MalformedError("a prompt that is kept by the provider cannot be judged")
        if body.get("background"):
            raise MalformedError("answers in the background cannot be judged: ask without that")
        given = body.get("input")
        if given is None:
            return self._prompts(body)
        if isinstance(given, str):
            return [*self._prompts(body), {"role": "user", "content": given}]
        return super().messages(body)

    def with_messages(self, body: dict[str, Any], messages: list[Any]) -> dict[str, Any]:
        changed = super().with_messages(body, messages)
        given, left = body.get("input"), changed["input"]
        plain = (
            len(left) == 1 and isinstance(left[0], dict) and left[0].keys() == {"role", "content"}
        )
        if isinstance(given, str) and plain and isinstance(left[0]["content"], str):
            changed["input"] = left[0]["content"]
        elif given is None and not left:
            del changed["input"]
        return changed

    def known(self, event: Any) -> Event | None:
        event = super().known(event)
        return None if event is not None and event.keys() == {"error"} else event

    def as_event(self, answer: Event) -> Event:
        return {"type": "response.completed", "response": answer}

    def as_answer(self, event: Event) -> Event:
        answer: Event = event["response"]
        return answer

    def stream_of(self, responses: Sequence[ModelResponse], original: Sequence[Event]) -> list[Any]:
        last = next((e["response"] for e in original if e.get("type") in _LAST), None)
        response = self.answer_of(responses, last)
        begun = {**response, "status": "in_progress", "output": []}
        begun.pop("usage", None)
        events: list[Any] = [
            {"type": "response.created", "response": begun},
            {"type": "response.in_progress", "response": begun},
        ]
        for index, item in enumerate(response["output"]):
            events += [{**event, "output_index": index} for event in _events(item)]
        events.append({"type": "response.completed", "response": response})
        return events

    def answer_of(self, responses: Sequence[ModelResponse], original: Event | None) -> Event:
        made = {"id": f"resp_{uuid4().hex}", "object": "response", "created_at": int(time.time())}
        base = {**made, "model": "policy"} if original is None else original
        return {**base, "status": "completed", "output": list(_items(responses[0]))}

    def refusal(self, text: str, status: int) -> Event:
        return openai_refusal(text, status)

    def broken(self, text: str) -> Event:
        # Of all codes of a failed response, this one keeps Codex from asking again.
        error = {"code": "invalid_prompt", "message": text}
        made = {"id": f"resp_{uuid4().hex}", "object": "response", "status": "failed"}
        return {"type": "response.failed", "response": {**made, "error": error, "output": []}}


def _is_plain(message: Any) -> bool:
    plain = isinstance(message, dict) and message.keys() == {"role", "content"}
    return plain and isinstance(message["content"], str)


def _items(response: ModelResponse) -> Iterator[Event]:
    if response.content or not response.tool_calls:
        part = {"type": "output_text", "text": response.content, "annotations": []}
        made = {"id": f"msg_{uuid4().hex}", "type": "message", "status": "completed"}
        yield {**made, "role": "assistant", "content": [part]}
    for call in response.tool_calls:
        yield {
            "id": f"fc_{uuid4().hex}",
            "type": "function_call",
            "status": "completed",
            "call_id": call.id or f"call_{uuid4().hex}",
            "name": call.name,
            "arguments": arguments_text(call) or "{}",
        }


def _events(item: Event) -> Iterator[Event]:
    empty: Event = {"content": []} if item["type"] == "message" else {"arguments": ""}
    begun = {**item, "status": "in_progress", **empty}
    yield {"type": "response.output_item.added", "item": begun}
    here = {"item_id": item["id"]}
    if item["type"] == "message":
        (part,) = item["content"]
        text, place = part["text"], {**here, "content_index": 0}
        yield {"type": "response.content_part.added", **place, "part": {**part, "text": ""}}
        yield {"type": "response.output_text.delta", **place, "delta": text}
        yield {"type": "response.output_text.done", **place, "text": text}
        yield {"type": "response.content_part.done", **place, "part": part}
    else:
        arguments = item["arguments"]
        yield {"type": "response.function_call_arguments.delta", **here, "delta": arguments}
        yield {"type": "response.function_call_arguments.done", **here, "arguments": arguments}
    yield {"type": "response.output_item.done", "item": item}


RESPONSES: Final = _Responses()
