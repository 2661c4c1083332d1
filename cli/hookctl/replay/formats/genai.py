"""Messages as OpenTelemetry's conventions for GenAI write them, to chat messages."""

from __future__ import annotations

import json
from typing import Any

from ..jsontext import JSONTextError, parse_json
from .source import objects

_NUMBERS = {"intValue": int, "doubleValue": float}


def plain_value(value: object) -> Any:
    """Read a value of OTLP's.

    Args:
        value: an object with one key that says its kind.

    Returns:
        Text, a number, a boolean, a list or an object; None for what is none of them.
    """
    if not isinstance(value, dict):
        return None
    for kind, make in _NUMBERS.items():
        if kind in value:
            try:
                return make(value[kind])
            except (TypeError, ValueError):
                return None
    if isinstance(value.get("arrayValue"), dict):
        return [plain_value(one) for one in objects(value["arrayValue"].get("values"))]
    if isinstance(value.get("kvlistValue"), dict):
        entries = objects(value["kvlistValue"].get("values"))
        return {str(one.get("key")): plain_value(one.get("value")) for one in entries}
    return next((value[kind] for kind in ("stringValue", "boolValue") if kind in value), None)


def chat_messages(value: object) -> list[dict[str, Any]]:
    """Read the attribute `gen_ai.input.messages` or `gen_ai.output.messages`.

    Args:
        value: a list of messages with parts, or the JSON text of one.

    Returns:
        Chat messages in OpenAI's form; a message with several tool results becomes several.
    """
    return [one for message in _listed(value) for one in _messages(message)]


def instructions(value: object) -> list[dict[str, Any]]:
    """Read the attribute `gen_ai.system_instructions`.

    Args:
        value: a list of parts, or the JSON text of one.

    Returns:
        One system message, or none.
    """
    parts = [_part(part) for part in _listed(value)]
    return [{"role": "system", "content": _content(parts)}] if parts else []


def result_text(value: object) -> object:
    """Give a tool's result as a host would have it.

    Args:
        value: the attribute, or a part's response.

    Returns:
        Text as it is; None as empty text; anything else as its JSON.
    """
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value)


def _listed(value: object) -> list[dict[str, Any]]:
    if isinstance(value, str):
        try:
            value = parse_json(value)
        except JSONTextError:
            value = {"role": "user", "content": value}
    return objects([value] if isinstance(value, dict) else value)


def _messages(message: dict[str, Any]) -> list[dict[str, Any]]:
    role = message.get("role")
    if not isinstance(message.get("parts"), list):
        return [message]
    found: list[dict[str, Any]] = []
    rest: list[dict[str, Any]] = []
    calls = []
    for part in objects(message["parts"]):
        if part.get("type") == "tool_call_response":
            response = part.get("response", part.get("result"))
            content = result_text(response)
            found.append({"role": "tool", "tool_call_id": part.get("id"), "content": content})
        elif part.get("type") == "tool_call":
            function = {"name": part.get("name"), "arguments": part.get("arguments")}
            calls.append({"id": part.get("id"), "type": "function", "function": function})
        else:
            rest.append(_part(part))
    if rest or calls or not found:
        told: dict[str, Any] = {"role": role, "content": _content(rest)}
        found.append({**told, "tool_calls": calls} if calls else told)
    return found


def _part(part: dict[str, Any]) -> dict[str, Any]:
    """Write a part's text under the name that chat messages have for it."""
    if isinstance(part.get("content"), str):
        kind = part.get("type") or "text"
        return {"type": kind, "text": part["content"]}
    return part


def _content(parts: list[dict[str, Any]]) -> object:
    if len(parts) == 1 and parts[0].get("type") == "text":
        return parts[0].get("text")
    return parts or None
