"""OpenAI chat messages: a list of messages, or an object that holds one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..model import RecordedRun
from .message import is_message, turn_of, why_not_message
from .source import objects, scalars, text_or_none

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..model import Turn
    from ..stream import Item
    from .source import TranscriptSource

NAME = "openai"
TITLE = "OpenAI chat messages (a list of messages, or an object with `messages`)"
_LIST_KEYS = ("messages", "traj")


def recognises(value: object) -> bool:
    """Tell whether a value is one run of this format.

    Args:
        value: any JSON value.

    Returns:
        True when a list of chat messages is in it.
    """
    messages = _message_list(value)[1]
    return messages is not None and any(map(is_message, messages))


def is_answer(value: object) -> bool:
    """Tell whether a value is what the API answers.

    Args:
        value: any JSON value.

    Returns:
        True for an object that says so.
    """
    return (
        isinstance(value, dict)
        and value.get("object") == "chat.completion"
        and isinstance(value.get("choices"), list)
    )


def is_request(value: dict[str, Any]) -> bool:
    """Tell whether an object is a request's body.

    Args:
        value: an object of which it is known that it is a body.

    Returns:
        True where it has messages.
    """
    return isinstance(value.get("messages"), list)


def shown(request: dict[str, Any]) -> list[dict[str, Any]]:
    """Read what a request shows to the model.

    Args:
        request: its body.

    Returns:
        Its messages.
    """
    messages = request.get("messages")
    return messages if isinstance(messages, list) else []


def answered(response: dict[str, Any]) -> list[dict[str, Any]]:
    """Read what a response says.

    Args:
        response: its body.

    Returns:
        The message of each choice.
    """
    return objects([choice.get("message") for choice in objects(response.get("choices"))])


def read(item: Item, source: TranscriptSource) -> RecordedRun:
    """Read one run.

    Args:
        item: a value that `recognises` accepts.
        source: the input that it comes from.

    Returns:
        The run.
    """
    record = item.value if isinstance(item.value, dict) else {}
    key, messages = _message_list(item.value)
    tools = record.get("tools")
    return RecordedRun(
        id=source.run_id(item, record),
        where=source.where(item),
        turns=turns_of(messages or [], key, item, source),
        agent=text_or_none(record.get("agent")),
        session_id=text_or_none(record.get("session_id")),
        model=text_or_none(record.get("model")),
        tools=[*objects(tools)] if isinstance(tools, list) else None,
        attributes=scalars(record),
    )


def turns_of(
    messages: list[object], key: str, item: Item, source: TranscriptSource
) -> Iterator[Turn]:
    """Read a list of messages; what is no message is reported and left out.

    Args:
        messages: the list.
        key: its name, for places.
        item: the value that it comes from.
        source: the input.

    Yields:
        A turn for each message.
    """
    for position, message in enumerate(messages):
        where = source.where(item, f"{key}[{position}]")
        if is_message(message) and isinstance(message, dict):
            yield turn_of(message, where)
        else:
            source.malformed(where, why_not_message(message))


def _message_list(value: object) -> tuple[str, list[object] | None]:
    if isinstance(value, list):
        return "", value
    if isinstance(value, dict):
        for key in _LIST_KEYS:
            if isinstance(value.get(key), list):
                return key, value[key]
    return "", None
