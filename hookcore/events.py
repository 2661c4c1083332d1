"""Hook events at the edge: JSON in and out, and the JSON Schema; pydantic does the work."""

from __future__ import annotations

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
    plain: dict[str, Any] = _adapter().dump_python(event, mode="json")
    return plain


def event_to_json(event: HookDispatchedEvent) -> str:
    """Return an event as one line of JSON."""
    return _adapter().dump_json(event).decode()


def event_from_json(text: str | bytes) -> HookDispatchedEvent:
    """Return the event that a JSON text holds.

    Raises:
        ValueError: the text is no JSON, or no event (pydantic's ``ValidationError``).
    """
    return _adapter().validate_json(text)


def event_json_schema() -> dict[str, Any]:
    """Return the JSON Schema of an event."""
    return _adapter().json_schema()
