"""One chat message to a turn: OpenAI tool calls, and content blocks of the Anthropic shape."""

from __future__ import annotations

from ..model import RecordedCall, RecordedResult, Turn
from .source import objects, text_or_none

ROLES = {
    "system": "system",
    "developer": "system",
    "user": "user",
    "assistant": "assistant",
    "tool": "tool",
    "function": "tool",
}
_BODIES = frozenset({"content", "tool_calls", "function_call", "refusal"})
_CALL_BLOCKS = ("tool_use", "server_tool_use", "mcp_tool_use")


def is_message(value: object) -> bool:
    """Tell a chat message from anything else.

    Args:
        value: any JSON value.

    Returns:
        True for an object with a known role and with content or calls.
    """
    if not isinstance(value, dict) or not isinstance(value.get("role"), str):
        return False
    return value["role"] in ROLES and not _BODIES.isdisjoint(value)


def why_not_message(value: object) -> str:
    """Say what is wrong with something that should have been a message.

    Args:
        value: a value that `is_message` refuses.

    Returns:
        The reason; it quotes no content.
    """
    if not isinstance(value, dict):
        return "a message is not an object"
    role = value.get("role")
    if not isinstance(role, str):
        return "a message has no role"
    if role not in ROLES:
        return f"a message has the unknown role {role[:40]!r}"
    return "a message has neither content nor tool calls"


def turn_of(message: dict[str, object], where: str) -> Turn:
    """Read a message that `is_message` accepts.

    Args:
        message: the message.
        where: its place, for people.

    Returns:
        The turn, with the calls and results found in it.
    """
    role = ROLES[str(message["role"])]
    content = message.get("content")
    assistant = role == "assistant"
    return Turn(
        message=message,
        where=where,
        role=role,
        text=None if role == "tool" else own_text(content),
        answer=message if assistant else None,
        calls=calls_of(message) if assistant else (),
        results=results_of(message, role),
        model=text_or_none(message.get("model")),
    )


def own_text(content: object) -> object:
    """Take a message's content without the tool calls and results in it.

    Args:
        content: text, a list of parts, or null.

    Returns:
        The text, the remaining parts, or None when nothing is left.
    """
    if not isinstance(content, list):
        return content or None
    parts = [part for part in content if not _is_tool_part(part)]
    return parts or None


def plain_text(content: object) -> str:
    """Join the text parts of a message's content.

    Args:
        content: text, a list of parts, or null.

    Returns:
        The text; empty when there is none.
    """
    if isinstance(content, str):
        return content
    texts = (part.get("text") for part in objects(content))
    return "\n".join(text for text in texts if isinstance(text, str))


def calls_of(message: dict[str, object]) -> tuple[RecordedCall, ...]:
    """Find the tool calls that a message of an assistant asks for.

    Args:
        message: the message.

    Returns:
        The calls in order: the content's blocks, then `tool_calls`, then `function_call`.
    """
    content = message.get("content")
    parts = objects(content) if isinstance(content, list) else ()
    calls = [_block_call(part) for part in parts if _is_call_part(part)]
    # What is there and cannot be read is a call without a name: a finding, where silence is none.
    entries = message.get("tool_calls") or []
    calls += map(_entry_call, entries if isinstance(entries, list) else [entries])
    if message.get("function_call"):
        calls.append(_entry_call({"function": message["function_call"]}))
    return tuple(calls)


def results_of(message: dict[str, object], role: str) -> tuple[RecordedResult, ...]:
    """Find the tool results that a message brings.

    Args:
        message: the message.
        role: its role, one of this module's.

    Returns:
        The results in order.
    """
    if role == "tool":
        ids = message.get("tool_call_ids")
        first = ids[0] if isinstance(ids, list) and ids else message.get("tool_call_id")
        name = text_or_none(message.get("name"))
        return (RecordedResult(message.get("content"), text_or_none(first), name),)
    content = message.get("content")
    if not isinstance(content, list):
        return ()
    return tuple(
        RecordedResult(
            value=part.get("content"),
            call_id=text_or_none(part.get("tool_use_id")),
            failed=part.get("is_error") is True,
        )
        for part in objects(content)
        if _is_result_part(part)
    )


def _block_call(part: dict[str, object]) -> RecordedCall:
    name, identity = text_or_none(part.get("name")) or "", text_or_none(part.get("id"))
    server = text_or_none(part.get("server_name"))
    if server and name:
        name = f"mcp__{server}__{name}"
    return RecordedCall(name, part.get("input"), identity)


def _entry_call(entry: object) -> RecordedCall:
    if not isinstance(entry, dict):
        return RecordedCall("", None)
    identity = text_or_none(entry.get("id"))
    function, custom = entry.get("function"), entry.get("custom")
    if isinstance(function, dict):
        return RecordedCall(
            text_or_none(function.get("name")) or "", function.get("arguments"), identity
        )
    if isinstance(custom, dict):
        name = text_or_none(custom.get("name")) or ""
        return RecordedCall(name, custom.get("input"), identity, free_text=True)
    return RecordedCall(text_or_none(entry.get("name")) or "", entry.get("arguments"), identity)


def _is_call_part(part: object) -> bool:
    return isinstance(part, dict) and part.get("type") in _CALL_BLOCKS


def _is_result_part(part: object) -> bool:
    kind = part.get("type") if isinstance(part, dict) else None
    return isinstance(kind, str) and kind.endswith("tool_result")


def _is_tool_part(part: object) -> bool:
    return _is_call_part(part) or _is_result_part(part)
