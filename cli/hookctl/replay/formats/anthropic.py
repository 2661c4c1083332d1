"""Anthropic's messages: a list with content blocks, a request, or one answer."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ..model import RecordedRun
from . import openai
from .message import is_message, turn_of
from .source import objects, scalars, text_or_none

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..model import Turn
    from ..stream import Item
    from .source import TranscriptSource

NAME = "anthropic"
TITLE = "Anthropic messages (a list with content blocks, an object with `messages`, an answer)"
_BLOCKS = frozenset(("tool_use", "server_tool_use", "mcp_tool_use", "thinking"))
_RESULT = "tool_result"
_FOREIGN = frozenset(("tool_calls", "function_call", "tool_call_id"))
_SENT = ("role", "content")


def recognises(value: object) -> bool:
    """Tell whether a value is one run of this format.

    Args:
        value: any JSON value.

    Returns:
        True for messages with the API's own blocks, for a request with its `system` beside the
        messages, and for an answer.
    """
    if is_answer(value):
        return True
    messages = value.get("messages") if isinstance(value, dict) else value
    if not isinstance(messages, list) or not any(map(is_message, messages)):
        return False
    said = objects(messages)
    if any(not _FOREIGN.isdisjoint(message) for message in said):
        return False
    if isinstance(value, dict) and isinstance(value.get("system"), (str, list)):
        return all(message.get("role") in ("user", "assistant") for message in said)
    return any(_is_block(part) for message in said for part in objects(message.get("content")))


def is_answer(value: object) -> bool:
    """Tell whether a value is what the API answers.

    Args:
        value: any JSON value.

    Returns:
        True for an object that says so.
    """
    return (
        isinstance(value, dict)
        and (value.get("type"), value.get("role")) == ("message", "assistant")
        and "stop_reason" in value
        and isinstance(value.get("content"), list)
    )


def is_request(value: dict[str, Any]) -> bool:
    """Tell whether an object is a request's body.

    Args:
        value: an object of which it is known that it is a body.

    Returns:
        True where its messages can only be of this API.
    """
    return isinstance(value.get("messages"), list) and recognises(value)


def read(item: Item, source: TranscriptSource) -> RecordedRun:
    """Read one run.

    Args:
        item: a value that `recognises` accepts.
        source: the input that it comes from.

    Returns:
        The run.
    """
    record = item.value if isinstance(item.value, dict) else {}
    tools = record.get("tools")
    return RecordedRun(
        id=source.run_id(item, record),
        where=source.where(item),
        turns=_turns(item, record, source),
        agent=text_or_none(record.get("agent")),
        session_id=text_or_none(record.get("session_id")),
        model=text_or_none(record.get("model")),
        tools=[*objects(tools)] if isinstance(tools, list) else None,
        attributes=scalars(record),
    )


def shown(request: dict[str, Any]) -> list[dict[str, Any]]:
    """Read what a request shows to the model.

    Args:
        request: its body.

    Returns:
        Its messages, the system's first.
    """
    messages = request.get("messages")
    return [*_system(request), *(messages if isinstance(messages, list) else [])]


def answered(response: dict[str, Any]) -> list[dict[str, Any]]:
    """Read what a response says.

    Args:
        response: its body.

    Returns:
        One message.
    """
    return [{key: response[key] for key in _SENT}]


def _system(record: dict[str, Any]) -> list[dict[str, Any]]:
    system = record.get("system")
    return [{"role": "system", "content": system}] if isinstance(system, (str, list)) else []


def _turns(item: Item, record: dict[str, Any], source: TranscriptSource) -> Iterator[Turn]:
    if is_answer(record):
        yield from (turn_of(one, source.where(item)) for one in answered(record))
        return
    for message in _system(record):
        yield turn_of(message, source.where(item, "system"))
    key, messages = ("messages", record.get("messages")) if record else ("", item.value)
    said = messages if isinstance(messages, list) else []
    for turn in openai.turns_of(said, key, item, source):
        sent = {name: turn.message[name] for name in _SENT if name in turn.message}
        yield replace(turn, message=sent, answer=sent if turn.answer else None)


def _is_block(part: dict[str, object]) -> bool:
    kind = part.get("type")
    return isinstance(kind, str) and (kind in _BLOCKS or kind.endswith(_RESULT))
