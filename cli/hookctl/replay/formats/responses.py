"""Conversations of OpenAI's Responses API: lists of items, requests and responses."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..model import RecordedRun
from .items import chat_messages, is_item, text_message
from .message import is_message, turn_of, why_not_message
from .source import objects, scalars, text_or_none

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..model import Turn
    from ..stream import Item
    from .source import TranscriptSource

NAME = "openai-responses"
TITLE = "items of OpenAI's Responses API (a list, an object with `input`, a response)"


def recognises(value: object) -> bool:
    """Tell whether a value is one run of this format.

    Args:
        value: any JSON value.

    Returns:
        True for a list with items, for a request that has them, and for a response.
    """
    if isinstance(value, list):
        return any(map(is_item, value))
    if not isinstance(value, dict):
        return False
    if is_answer(value):
        return True
    said = value.get("input")
    if isinstance(said, list) and ("model" in value or isinstance(value.get("output"), list)):
        return any(is_item(one) or is_message(one) for one in said)
    return any(map(is_item, _list(said))) or (
        isinstance(said, str) and any(map(is_item, _list(value.get("output"))))
    )


def is_answer(value: object) -> bool:
    """Tell whether a value is what the API answers.

    Args:
        value: any JSON value.

    Returns:
        True for an object that says so and has an output.
    """
    return (
        isinstance(value, dict)
        and value.get("object") == "response"
        and isinstance(value.get("output"), list)
    )


def is_request(value: dict[str, Any]) -> bool:
    """Tell whether an object is a request's body.

    Args:
        value: an object of which it is known that it is a body.

    Returns:
        True where it has an input.
    """
    return isinstance(value.get("input"), (list, str))


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
        Chat messages, the instructions first, and the reasons why items are none.
    """
    said = request.get("input")
    told = text_message("system", request.get("instructions"))
    if not isinstance(said, list):
        return told + text_message("user", said)
    return told + [one.said for one in chat_messages(said)]


def answered(response: dict[str, Any]) -> list[dict[str, Any]]:
    """Read what a response says.

    Args:
        response: its body.

    Returns:
        One chat message, or none, and the reasons why items are none.
    """
    return [one.said for one in chat_messages(_list(response.get("output")))]


def _turns(item: Item, record: dict[str, Any], source: TranscriptSource) -> Iterator[Turn]:
    if isinstance(item.value, list):
        yield from _placed(item.value, "", item, source)
        return
    for message in text_message("system", record.get("instructions")):
        yield turn_of(message, source.where(item, "instructions"))
    if isinstance(record.get("input"), list):
        yield from _placed(record["input"], "input", item, source)
    else:
        for message in text_message("user", record.get("input")):
            yield turn_of(message, source.where(item, "input"))
    yield from _placed(_list(record.get("output")), "output", item, source)


def _placed(items: list[Any], key: str, item: Item, source: TranscriptSource) -> Iterator[Turn]:
    for one in chat_messages(items):
        where = source.where(item, f"{key}[{one.position}]")
        if one.message is None:
            source.malformed(where, str(one.problem))
        elif is_message(one.message):
            yield turn_of(one.message, where)
        else:
            source.malformed(where, why_not_message(one.message))


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []
