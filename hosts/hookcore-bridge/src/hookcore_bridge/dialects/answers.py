"""The answers of a dialect, filled in; None where the client does not take such an answer."""

from __future__ import annotations

import copy
import json
from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from .model import Dialect, Event, filled
from .reading import Occurrence

__all__ = [
    "PASSED",
    "Printed",
    "adding",
    "as_text",
    "denying",
    "failing",
    "replacing",
    "rewriting",
    "withholding",
]

PASSED: Final[Mapping[str, Any]] = {}
"""The answer that lets pass, and says nothing of permissions, which stay the client's business."""

_EMPTY: Final = "(empty)"
# What tells the kind of a result, or where it comes from, and is not its text.
_KEPT: Final = frozenset({"filePath", "type"})


class Printed(NamedTuple):
    """The output and the exit code of a hook's process."""

    stdout: str
    stderr: str
    code: int


def denying(event: Event, reason: str) -> dict[str, Any] | None:
    """Return the answer that stops what an event tells of.

    Args:
        event: the event.
        reason: what the model is told; clients take a denial without one for none.
    """
    if event.deny is None:
        return None
    answer: dict[str, Any] = filled(event.deny, reason=reason.strip() or _EMPTY)
    return answer


def rewriting(event: Event, tool_input: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the answer that gives a tool other arguments."""
    if event.rewrite is None:
        return None
    answer: dict[str, Any] = filled(event.rewrite, input=dict(tool_input))
    return answer


def adding(event: Event, text: str) -> dict[str, Any] | None:
    """Return the answer that shows a text to the model besides."""
    if event.context is None:
        return None
    answer: dict[str, Any] = filled(event.context, context=text)
    return answer


def replacing(occurrence: Occurrence, result: Any) -> dict[str, Any] | None:
    """Return the answer that shows the model another result.

    Args:
        occurrence: the end of the call, with the result that the tool gave.
        result: the result to show.
    """
    event = occurrence.event
    if event.replace is None:
        return None
    output = result
    if not event.keeps_shape:
        output = as_text(result)
    else:
        output = _fitted(occurrence, result)
        if output is None:
            return None
    answer: dict[str, Any] = filled(event.replace, output=output)
    return answer


def withholding(occurrence: Occurrence, reason: str) -> dict[str, Any] | None:
    """Return the answer that keeps the model from a result, and tells it why.

    Args:
        occurrence: the end of the call.
        reason: what the model is told.
    """
    if occurrence.event.keeps_shape:
        answer = replacing(occurrence, reason.strip() or _EMPTY)
        if answer is not None:
            return answer
    return denying(occurrence.event, reason)


def failing(dialect: Dialect, event: str | None, reason: str) -> Printed:
    """Return what a hook leaves behind when nobody could judge what it was told.

    Args:
        dialect: the client's dialect.
        event: the name of the event; None, or one that the dialect does not have, for any.
        reason: what went wrong, for the model and for people.
    """
    known = dialect.events.get(event or "")
    if known is None:
        return Printed("", reason, 2)
    if known.deny is None:
        return Printed("", reason, 1)  # nothing to stop; 2 would make some clients go on for ever
    if known.exit_denies:
        return Printed("", reason, 2)
    return Printed(json.dumps(denying(known, reason)), reason, 0)


def as_text(value: Any) -> str:
    """Return a result as the text that a model reads, which is never empty."""
    text = value if isinstance(value, str) else _text_of_parts(value)
    if text is None:
        text = json.dumps(value, ensure_ascii=False, default=str)
    return text if text.strip() else _EMPTY


def _text_of_parts(value: Any) -> str | None:
    """Return the text of a list of text parts, as MCP and Gemini have them."""
    if not isinstance(value, list) or not value:
        return None
    texts = [
        part["text"]
        for part in value
        if isinstance(part, Mapping)
        and isinstance(part.get("text"), str)
        and set(part) <= {"text", "type"}
    ]
    return "\n".join(texts) if len(texts) == len(value) else None


def _fitted(occurrence: Occurrence, result: Any) -> Any:
    """Return a result in the shape that the tool's own has; None where there is no way."""
    original = occurrence.result
    if isinstance(original, list) and isinstance(result, str):
        return [{"type": "text", "text": result or _EMPTY}]
    if isinstance(result, str) and isinstance(original, Mapping):
        place = occurrence.dialect.text_places.get(occurrence.tool or "")
        return None if place is None else _with_text(original, place, result)
    return result if _is_alike(original, result) else None


def _with_text(original: Mapping[str, Any], place: str, text: str) -> Any:
    """Return a copy with one text at a place, and all others empty."""
    blank = _blank(original)
    holder: Any = blank
    *way, last = place.split(".")
    for key in way:
        holder = holder.get(key) if isinstance(holder, dict) else None
    if not isinstance(holder, dict) or not isinstance(holder.get(last), str):
        return None
    holder[last] = text
    return blank


def _blank(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {
            key: copy.deepcopy(child) if key in _KEPT else _blank(child)
            for key, child in value.items()
        }
    if isinstance(value, list):
        return []
    return "" if isinstance(value, str) else value


def _is_alike(one: Any, other: Any, key: str = "") -> bool:
    """Tell whether two JSON values have the same shape: a client ignores any other."""
    if type(one) is not type(other):
        return False
    if isinstance(one, Mapping):
        return one.keys() == other.keys() and all(
            _is_alike(value, other[name], name) for name, value in one.items()
        )
    if isinstance(one, list):
        return len(one) == len(other) and all(map(_is_alike, one, other))
    return key != "type" or bool(one == other)
