"""Responses that were kept as the stream of events that they came in, put together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from hookcore import ModelResponse, ToolCall

from ..jsontext import JSONTextError, parse_json
from .source import objects

_WHOLE = ("response.completed", "response.incomplete", "response.failed")
_DONE = "[DONE]"
_GROWING = {"text_delta": "text", "thinking_delta": "thinking"}
_CUT = "a stream of events is cut off"


@dataclass(slots=True)
class Streamed:
    """The response that a stream amounts to, and what is wrong with the stream."""

    response: dict[str, Any] | None = None
    problem: str = ""


def is_stream(text: str) -> bool:
    """Tell a stream of server-sent events from any other text.

    Args:
        text: a body.

    Returns:
        True where it begins as one.
    """
    return text.lstrip().startswith(("event:", "data:"))


def put_together(text: str) -> Streamed:
    """Read a stream of any API.

    Args:
        text: the events as they came.

    Returns:
        The response, in the form of its API; of a stream that is cut off, what could be read.
    """
    lines = [line[5:].strip() for line in text.splitlines() if line.startswith("data:")]
    events: list[dict[str, Any]] = []
    problem = ""
    for line in lines:
        try:
            events += objects([parse_json(line)]) if line != _DONE else []
        except JSONTextError:
            problem = _CUT
    kinds = {str(event.get("type")) for event in events}
    whole = [event for event in events if event.get("type") in _WHOLE]
    if whole:
        return Streamed(_object(whole[-1].get("response")) or None, problem)
    if "message_start" in kinds:
        return Streamed(_message(events), problem or ("" if "message_stop" in kinds else _CUT))
    if any(event.get("object") == "chat.completion.chunk" for event in events):
        return Streamed(_completion(events), problem or ("" if _DONE in lines else _CUT))
    return Streamed(None, problem or "a stream of events has no response that is known")


def _message(events: list[dict[str, Any]]) -> dict[str, Any]:
    """Put a message of Anthropic's together, block by block."""
    begun = next(event for event in events if event.get("type") == "message_start")
    blocks: dict[str, dict[str, Any]] = {}
    inputs: dict[str, str] = {}
    for event in events:
        at, delta = str(event.get("index")), _object(event.get("delta"))
        if event.get("type") == "content_block_start":
            blocks[at] = dict(_object(event.get("content_block")))
        key = _GROWING.get(str(delta.get("type")))
        if key is not None and at in blocks:
            blocks[at][key] = f"{blocks[at].get(key) or ''}{delta.get(key) or ''}"
        elif delta.get("type") == "input_json_delta":
            inputs[at] = inputs.get(at, "") + str(delta.get("partial_json") or "")
    for at, told in inputs.items():
        if at in blocks and told:
            blocks[at]["input"] = _parsed(told)
    head = {"stop_reason": None, **_object(begun.get("message"))}
    return {**head, "type": "message", "role": "assistant", "content": [*blocks.values()]}


def _completion(events: list[dict[str, Any]]) -> dict[str, Any]:
    """Put a chat completion together."""
    # The command shows its help without all that reads streams.
    from hookcore.streaming import DEFAULT_CODEC

    made = DEFAULT_CODEC.assemble(events)
    answers = made if isinstance(made, list) else [made]
    choices = [{"message": _answer(one)} for one in answers if isinstance(one, ModelResponse)]
    model = next((event["model"] for event in events if event.get("model")), None)
    identity = next((event["id"] for event in events if event.get("id")), None)
    return {"object": "chat.completion", "id": identity, "model": model, "choices": choices}


def _answer(answer: ModelResponse) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": answer.content or None}
    calls = [_call(one) for one in answer.tool_calls]
    return {**message, "tool_calls": calls} if calls else message


def _call(call: ToolCall) -> dict[str, Any]:
    function = {"name": call.name, "arguments": call.arguments}
    return {"id": call.id, "type": "function", "function": function}


def _parsed(text: str) -> object:
    try:
        return parse_json(text)
    except JSONTextError:
        return text


def _object(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}
