"""OpenAI's chat completions, and those who speak like it."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any, Final
from uuid import uuid4

from hookcore_specs import ModelResponse

from .wire import Event, MalformedError, Wire, arguments_text

__all__ = ["CHAT", "openai_refusal"]


class _Chat(Wire):
    name = "openai-chat"
    provider = "openai"
    messages_at = "messages"
    prompt_at = ()
    ends_with = b"[DONE]"

    def messages(self, body: dict[str, Any]) -> list[Any]:
        # What is expected of the answer may quote anything, and is sent too.
        if body.get("prediction") is not None:
            raise MalformedError("a prediction cannot be judged: leave it out")
        return super().messages(body)

    def with_messages(self, body: dict[str, Any], messages: list[Any]) -> dict[str, Any]:
        return {**body, "messages": messages}

    def known(self, event: Any) -> Event | None:
        event = super().known(event)
        if event is None or isinstance(event.get("choices"), list):
            whole = event is not None and any("message" in _dict(c) for c in event["choices"])
            kind = "chat.completion" if whole else "chat.completion.chunk"
            return event if event is None else {**event, "object": kind}
        return None if "error" in event else event

    def as_event(self, answer: Event) -> Event:
        return answer

    def as_answer(self, event: Event) -> Event:
        return event

    def stream_of(self, responses: Sequence[ModelResponse], original: Sequence[Event]) -> list[Any]:
        first = next((e for e in original if e.get("id")), None)
        base = {**_base(first), "object": "chat.completion.chunk"}
        base.pop("usage", None)
        events: list[Any] = []

        def chunk(index: int, delta: Event, reason: str | None = None) -> None:
            choice = {"index": index, "delta": delta, "finish_reason": reason}
            events.append({**base, "choices": [choice]})

        for index, response in enumerate(responses):
            chunk(index, {"role": "assistant", "content": response.content})
            for place, call in enumerate(_calls(response)):
                chunk(index, {"tool_calls": [{"index": place, **call}]})
            chunk(index, {}, _reason(response))
        usage = [e for e in original if e.get("usage") and not e.get("choices")]
        return events + usage[-1:]

    def answer_of(self, responses: Sequence[ModelResponse], original: Event | None) -> Event:
        choices = []
        for index, response in enumerate(responses):
            message: Event = {"role": "assistant", "content": response.content}
            if response.tool_calls:
                message["tool_calls"] = _calls(response)
            choices.append({"index": index, "message": message, "finish_reason": _reason(response)})
        return {**_base(original), "object": "chat.completion", "choices": choices}

    def refusal(self, text: str, status: int) -> Event:
        return openai_refusal(text, status)


def openai_refusal(text: str, status: int) -> Event:
    """Return the body of an answer that refuses a request, as OpenAI's interfaces write it."""
    kind = "server_error" if status >= 500 else "invalid_request_error"  # noqa: PLR2004
    return {"error": {"message": text, "type": kind, "param": None, "code": "policy"}}


def _dict(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _base(original: Event | None) -> Event:
    if original is not None:
        return original
    return {"id": f"chatcmpl-{uuid4().hex}", "created": int(time.time()), "model": "policy"}


def _reason(response: ModelResponse) -> str:
    return "tool_calls" if response.tool_calls else "stop"


def _calls(response: ModelResponse) -> list[Event]:
    return [
        {
            "id": call.id or f"call_{uuid4().hex}",
            "type": "function",
            "function": {"name": call.name, "arguments": arguments_text(call) or "{}"},
        }
        for call in response.tool_calls
    ]


CHAT: Final = _Chat()
