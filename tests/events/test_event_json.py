"""hookcore.events: the JSON form of hook events."""

from __future__ import annotations

import json

import pytest

from hookcore import HookDispatchedEvent, HookManager, RunContext, hookimpl
from hookcore.events import event_from_json, event_json_schema, event_to_dict, event_to_json


class Replacing:
    @hookimpl
    def input(self, ctx: RunContext) -> dict[str, object]:
        return {"secret": "value"}


@pytest.fixture
def event() -> HookDispatchedEvent:
    manager = HookManager()
    events: list[HookDispatchedEvent] = []
    manager.subscribe(events.append)
    manager.register(Replacing(), name="replacing")
    manager.dispatch("input", RunContext(payload={}, run_id="r1"))
    return events[0]


def test_an_event_survives_the_way_through_json(event: HookDispatchedEvent) -> None:
    assert event_from_json(event_to_json(event)) == event


def test_the_timestamp_is_utc_in_iso_form(event: HookDispatchedEvent) -> None:
    assert event_to_dict(event)["timestamp"].endswith("Z")


def test_json_holds_no_payload(event: HookDispatchedEvent) -> None:
    text = event_to_json(event)
    assert "secret" not in text
    assert json.loads(text)["records"][0]["plugin"] == "replacing"


def test_the_schema_names_every_field(event: HookDispatchedEvent) -> None:
    assert set(event_json_schema()["properties"]) == set(event_to_dict(event))


def test_a_text_that_is_no_event_is_refused() -> None:
    with pytest.raises(ValueError, match="interception_point"):
        event_from_json("{}")
