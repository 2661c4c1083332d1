"""Gemini's generateContent."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from hookcore_specs import ModelResponse

from .wire import Event, MalformedError, Wire, arguments_object, is_system

__all__ = ["GEMINI"]

_INNER: Final = "generateContentRequest"
"""The request whose tokens are counted, where it is not the body itself."""
_STATUS_NAMES: Final = {403: "PERMISSION_DENIED", 502: "UNAVAILABLE"}


class _Gemini(Wire):
    name = "gemini"
    provider = "google"
    messages_at = "contents"
    prompt_at = ("systemInstruction", "system_instruction")

    def messages(self, body: dict[str, Any]) -> list[Any]:
        if body.get("cachedContent") is not None or body.get("cached_content") is not None:
            raise MalformedError("content that is kept by the provider cannot be judged")
        inner = body.get(_INNER)
        if isinstance(inner, dict):
            if "contents" in body:
                raise MalformedError(f"contents and {_INNER} are two requests in one")
            return self.messages(inner)
        if isinstance(body.get("contents"), dict):
            body = {**body, "contents": [body["contents"]]}
        return super().messages(body)

    def _prompts(self, body: dict[str, Any]) -> list[Any]:
        prompts = [body[field] for field in self.prompt_at if body.get(field) is not None]
        return [
            {"parts": [{"text": prompt}], "role": "system"}
            if isinstance(prompt, str)
            else {**prompt, "role": "system"}
            for prompt in prompts
        ]

    def with_messages(self, body: dict[str, Any], messages: list[Any]) -> dict[str, Any]:
        if isinstance(body.get(_INNER), dict):
            return {**body, _INNER: self.with_messages(body[_INNER], messages)}
        prompts = [message for message in messages if is_system(message)]
        there = [field for field in self.prompt_at if body.get(field) is not None]
        changed = {key: value for key, value in body.items() if key not in there}
        changed["contents"] = [message for message in messages if not is_system(message)]
        if prompts:
            parts = [part for prompt in prompts for part in prompt.get("parts") or ()]
            changed[there[0] if there else self.prompt_at[0]] = {"parts": parts}
        return changed

    def known(self, event: Any) -> Event | None:
        event = super().known(event)
        if event is None or "candidates" in event:
            return event
        beside = {"error", "promptFeedback", "usageMetadata", "modelVersion", "responseId"}
        return None if event.keys() <= beside | {"createTime", "modelStatus"} else event

    def piece(self, event: Event) -> Event:
        candidates = [
            {key: value for key, value in candidate.items() if value is not None}
            for candidate in event["candidates"]
        ]
        kept = {key: value for key, value in event.items() if value is not None}
        return {**kept, "candidates": candidates}

    def as_event(self, answer: Event) -> Event:
        return answer

    def as_answer(self, event: Event) -> Event:
        return event

    def stream_of(self, responses: Sequence[ModelResponse], original: Sequence[Event]) -> list[Any]:
        return [self.answer_of(responses, original[-1] if original else None)]

    def answer_of(self, responses: Sequence[ModelResponse], original: Event | None) -> Event:
        candidates = [
            {
                "content": {"role": "model", "parts": _parts(response)},
                "finishReason": "STOP",
                "index": index,
            }
            for index, response in enumerate(responses)
        ]
        return {**(original or {"modelVersion": "policy"}), "candidates": candidates}

    def refusal(self, text: str, status: int) -> Event:
        name = _STATUS_NAMES.get(status, "INVALID_ARGUMENT")
        return {"error": {"code": status, "message": text, "status": name}}


def _parts(response: ModelResponse) -> list[Event]:
    parts: list[Event] = []
    if response.content or not response.tool_calls:
        parts.append({"text": response.content})
    for call in response.tool_calls:
        made: Event = {"name": call.name, "args": arguments_object(call)}
        parts.append({"functionCall": {**made, "id": call.id} if call.id else made})
    return parts


GEMINI: Final = _Gemini()
