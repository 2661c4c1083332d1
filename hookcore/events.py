"""Hook events at the edge: JSON in and out, and the JSON Schema; pydantic does the work."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from hookcore_specs import HookDispatchedEvent, HookRecord

if TYPE_CHECKING:
    from pydantic import TypeAdapter

__all__ = [
    "HookDispatchedEvent",
    "HookRecord",
    "event_from_json",
    "event_json_schema",
    "event_to_dict",
    "event_to_json",
]


@lru_cache(maxsize=1)
def _adapter() -> TypeAdapter[HookDispatchedEvent]:
    # Made at first use: importing hookcore must not import pydantic.
    from pydantic import TypeAdapter

    from .enduring import let_pydantic_look

    let_pydantic_look()
    return TypeAdapter(HookDispatchedEvent)


def event_to_dict(event: HookDispatchedEvent) -> dict[str, Any]:
    """Return an event as a dict of JSON's types; the timestamp in ISO 8601, UTC."""
    plain: dict[str, Any] = _adapter().dump_python(_of_texts(event), mode="json")
    return plain


def event_to_json(event: HookDispatchedEvent) -> str:
    r"""Return an event as one line of JSON.

    Names come from models and hosts: what UTF-8 cannot write, a lone surrogate, is spelt out
    (``\ud800``), and what is no text is written as one.
    """
    return _adapter().dump_json(_of_texts(event)).decode()


_TEXTS = (
    "abort_reason",
    "abort_source",
    "run_id",
    "parent_run_id",
    "session_id",
    "call_id",
    "agent",
    "tool",
)


def _of_texts(event: HookDispatchedEvent) -> HookDispatchedEvent:
    """Return an event with texts in all places of texts; the given one, where they are."""
    changed = {
        name: text for name in _TEXTS if (text := _text(value := getattr(event, name))) is not value
    }
    records = event.records
    for index, record in enumerate(records):
        names = {name: _text(getattr(record, name)) for name in ("plugin", "hook", "rule")}
        if any(text is not getattr(record, name) for name, text in names.items()):
            records = [*records[:index], replace(record, **names), *records[index + 1 :]]
    if not changed and records is event.records:
        return event
    return replace(event, timestamp=event.timestamp, records=records, **changed)


def _text(value: Any) -> Any:
    if value is None:
        return None
    text = value
    if type(value) is not str:
        try:
            text = str(value)
        except Exception:  # noqa: BLE001 - an id is whatever the host makes it
            text = f"<{type(value).__name__}>"
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-8", "backslashreplace").decode()
    return text


def event_from_json(text: str | bytes) -> HookDispatchedEvent:
    """Return the event that a JSON text holds.

    Raises:
        ValueError: the text is no JSON, or no event (pydantic's ``ValidationError``).
    """
    return _adapter().validate_json(text)


def event_json_schema() -> dict[str, Any]:
    """Return the JSON Schema of an event."""
    return _adapter().json_schema()
