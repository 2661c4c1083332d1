"""Items of OpenAI's Responses API to chat messages."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from .message import ROLES
from .source import text_or_none

_TEXTS = ("input_text", "output_text", "text", "summary_text")
_SAID_BESIDE = frozenset(("reasoning", "compaction", "mcp_list_tools", "mcp_approval_request"))
"""Items of an answer that are neither a message nor a call."""
_SPEAKERS = ("system", "user", "assistant")
_CALL, _OUTPUT = "_call", "_output"
_OUTCOMES = ("output", "outputs", "results", "result")
_NOT_ARGUMENTS = frozenset(
    (
        *_OUTCOMES,
        *("type", "id", "call_id", "status", "error", "name", "server_label"),
        *("approval_request_id", "container_id", "created_by", "pending_safety_checks"),
    )
)


class Unread(str):
    """The reason why there is no message, in the place of one; it quotes no content."""

    __slots__ = ()


@dataclass(slots=True)
class Placed:
    """A chat message, or the reason why there is none, and the position of its first item."""

    position: int
    message: dict[str, Any] | None = None
    problem: Unread | None = None

    @property
    def said(self) -> Any:
        """The message, or why it is none."""
        return self.message or self.problem


def is_item(value: object) -> bool:
    """Tell an item from a chat message and from anything else.

    Args:
        value: any JSON value.

    Returns:
        True for an object that only the Responses API writes.
    """
    if not isinstance(value, dict) or "stop_reason" in value:
        return False
    kind = value.get("type")
    if kind == "message" and "role" in value:
        return True
    content = value.get("content")
    if kind is None and isinstance(content, list):
        kinds = [part.get("type") for part in content if isinstance(part, dict)]
        return "input_text" in kinds or "output_text" in kinds
    return isinstance(kind, str) and ("call_id" in value or _is_known(kind))


def chat_messages(items: list[Any]) -> list[Placed]:
    """Turn items into chat messages; what an answer consists of becomes one message.

    Args:
        items: the items, in order.

    Returns:
        The messages in order, with those items that are none.
    """
    found: list[Placed] = []
    answer: Placed | None = None
    for position, item in enumerate(items):
        made = _made(item)
        if isinstance(made, str):
            found.append(Placed(position, problem=Unread(made)))
        elif made["role"] != "assistant":
            answer = None
            found.append(Placed(position, made))
        elif answer is None or answer.message is None:
            answer = Placed(position, made)
            found.append(answer)
        else:
            answer.message = _joined(answer.message, made)
    for placed in found:
        if placed.message is not None:
            placed.message["content"] = _plain(placed.message["content"])
    return found


def text_message(role: str, text: object) -> list[dict[str, Any]]:
    """Make a message of what a request says beside its items.

    Args:
        role: the message's role.
        text: the text, or the items of `instructions`.

    Returns:
        One message; none where there is no text.
    """
    if isinstance(text, list):
        return [placed.message for placed in chat_messages(text) if placed.message]
    return [{"role": role, "content": text}] if isinstance(text, str) and text else []


def _is_known(kind: str) -> bool:
    return kind.endswith((_CALL, _CALL + _OUTPUT)) or kind in _SAID_BESIDE


def _made(item: Any) -> dict[str, Any] | str:
    """Return the message that an item is or is a part of, or the reason why it is none."""
    kind = item.get("type", "message") if isinstance(item, dict) else None
    made: dict[str, Any] | str = "an item is not an object with a type"
    match kind:
        case "message":
            made = _message(item)
        case "mcp_approval_response":
            made = {"role": "user", "content": [item]}
        case "item_reference":
            made = "an item only refers to another, which is not here"
        case str() if kind in _SAID_BESIDE:
            made = {"role": "assistant", "content": [item]}
        case str() if _is_known(kind):
            made = _called(kind, item)
        case str():
            made = f"an item has the unknown type {kind[:40]!r}"
    return made


def _message(item: dict[str, Any]) -> dict[str, Any] | str:
    role = item.get("role")
    if not isinstance(role, str) or ROLES.get(role) not in _SPEAKERS:
        return "an item is a message without a role that is known"
    return {"role": role, "content": _parts(item.get("content"))}


def _called(kind: str, item: dict[str, Any]) -> dict[str, Any]:
    """Return the message that brings a call or its output."""
    identity = text_or_none(item.get("call_id")) or text_or_none(item.get("id"))
    if kind.endswith(_OUTPUT):
        return {"role": "tool", "tool_call_id": identity, "content": _parts(item.get("output"))}
    if "call_id" in item:
        return {"role": "assistant", "content": [], "tool_calls": [_entry(kind, identity, item)]}
    return {"role": "assistant", "content": _hosted(kind, identity, item)}


def _entry(kind: str, identity: str | None, item: dict[str, Any]) -> dict[str, Any]:
    """Make the call of a tool that the host runs."""
    if kind == "custom_tool_call":
        custom = {"name": item.get("name"), "input": item.get("input")}
        return {"id": identity, "type": "custom", "custom": custom}
    arguments = item.get("arguments") if kind == "function_call" else _arguments(item)
    function = {"name": item.get("name") or kind.removesuffix(_CALL), "arguments": arguments}
    return {"id": identity, "type": "function", "function": function}


def _hosted(kind: str, identity: str | None, item: dict[str, Any]) -> list[dict[str, Any]]:
    """Make the call, and its result, of a tool that the provider runs within the answer."""
    name, arguments = kind.removesuffix(_CALL), item.get("arguments")
    if kind == "mcp_call":
        name = f"mcp__{item.get('server_label')}__{item.get('name')}"
    elif arguments is None:
        arguments = _arguments(item)
    call = {"type": "server_tool_use", "id": identity, "name": name, "input": arguments}
    outcome = next((item[key] for key in _OUTCOMES if item.get(key) is not None), None)
    failed = item.get("error") is not None
    if outcome is None and not failed:
        return [call]
    result = {"type": "tool_result", "tool_use_id": identity, "is_error": failed}
    return [call, {**result, "content": item["error"] if outcome is None else outcome}]


def _arguments(item: dict[str, Any]) -> dict[str, Any]:
    for key in ("action", "operation"):
        if isinstance(item.get(key), dict):
            own: dict[str, Any] = item[key]
            return own
    return {key: value for key, value in item.items() if key not in _NOT_ARGUMENTS}


def _parts(content: object) -> Any:
    """Write text parts as chat messages have them."""
    if not isinstance(content, list):
        return content
    return [
        {"type": "text", "text": part["text"]}
        if isinstance(part, dict) and part.get("type") in _TEXTS and "text" in part
        else part
        for part in content
    ]


def _joined(one: dict[str, Any], other: dict[str, Any]) -> dict[str, Any]:
    calls = [*one.get("tool_calls", ()), *other.get("tool_calls", ())]
    told = {**one, "content": [*_listed(one["content"]), *_listed(other["content"])]}
    return {**told, "tool_calls": calls} if calls else told


def _listed(content: object) -> list[Any]:
    if isinstance(content, str):
        return [{"type": "text", "text": content}] if content else []
    return content if isinstance(content, list) else []


def _plain(content: object) -> object:
    """Write a single text as that; an answer of calls alone has no content."""
    if isinstance(content, list) and len(content) == 1:
        part = content[0]
        if isinstance(part, dict) and part.get("type") == "text":
            return part.get("text")
    return None if content == [] else content
