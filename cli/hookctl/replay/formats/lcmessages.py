"""Messages as LangChain writes them, in any of its forms, to chat messages."""

from __future__ import annotations

from typing import Any

from .items import chat_messages as of_items
from .items import is_item
from .message import ROLES
from .source import objects, text_or_none

_KINDS = {
    "human": "user",
    "ai": "assistant",
    "system": "system",
    "tool": "tool",
    "function": "tool",
    "developer": "system",
}
_CALLS = ("tool_use", "tool_call", "function_call", "invalid_tool_call")


def chat_messages(value: object) -> list[dict[str, Any]]:
    """Read messages.

    Args:
        value: one message or a list; serialized, as the dicts of `message_to_dict` or
            `model_dump`, as pairs of role and text, or as messages of a provider.

    Returns:
        Chat messages in OpenAI's form; what is none of these stays as it is.
    """
    if not isinstance(value, list):
        value = [value] if value is not None else []
    if len(value) == 1 and isinstance(value[0], list) and not _is_pair(value[0]):
        value = value[0]
    if any(map(is_item, value)):
        return [one.said for one in of_items(value)]
    return [_message(one) for one in value]


def _is_pair(value: object) -> bool:
    match value:
        case [str(), str()]:
            return True
    return False


def _message(value: Any) -> dict[str, Any]:
    if isinstance(value, str):
        return {"role": "user", "content": value}
    if _is_pair(value):
        return {"role": _KINDS.get(value[0], value[0]), "content": value[1]}
    if not isinstance(value, dict):
        return {}
    if value.get("lc") == 1 and isinstance(value.get("kwargs"), dict):
        names = value.get("id")
        name = str(names[-1]) if isinstance(names, list) and names else ""
        kind = name.removesuffix("Chunk").removesuffix("Message").lower()
        return _of(kind, value["kwargs"])
    if isinstance(value.get("data"), dict) and isinstance(value.get("type"), str):
        return _of(value["type"], value["data"])
    kind = str(value.get("type", "")).removesuffix("MessageChunk").lower()
    return value if "role" in value or kind not in {*_KINDS, "chat"} else _of(kind, value)


def _of(kind: str, told: dict[str, Any]) -> dict[str, Any]:
    role = _KINDS.get(kind) or ROLES.get(str(told.get("role")), str(told.get("role")))
    message: dict[str, Any] = {"role": role, "content": told.get("content")}
    if role == "tool":
        message["tool_call_id"] = told.get("tool_call_id")
    elif role == "assistant":
        entries = [*objects(told.get("tool_calls")), *objects(told.get("invalid_tool_calls"))]
        calls = [_call(entry) for entry in entries]
        more = told.get("additional_kwargs")
        if not calls and isinstance(more, dict):
            calls = objects(more.get("tool_calls"))
            if more.get("function_call"):
                message["function_call"] = more["function_call"]
        if calls:
            message["tool_calls"] = calls
            message["content"] = _without(told.get("content"))
    if text_or_none(told.get("name")):
        message["name"] = told["name"]
    return message


def _call(call: dict[str, Any]) -> dict[str, Any]:
    function = {"name": call.get("name"), "arguments": call.get("args")}
    return {"id": call.get("id"), "type": "function", "function": function}


def _without(content: object) -> object:
    """Leave out blocks that say the same as the message's calls."""
    if not isinstance(content, list):
        return content
    kept = [part for part in content if not (isinstance(part, dict) and part.get("type") in _CALLS)]
    return kept or None
