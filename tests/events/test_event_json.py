"""hookcore.events: the JSON form of hook events."""

from __future__ import annotations

import copy
import json
import pickle
from datetime import datetime, timedelta, timezone

import pytest

from hookcore import HookDispatchedEvent, HookManager, RunContext, hookimpl
from hookcore.events import event_from_json, event_json_schema, event_to_dict, event_to_json


class Replacing:
    @hookimpl
    def input(self, ctx: RunContext) -> dict[str, object]:
        return {"secret": "value"}


class Passing:
    @hookimpl
    def input(self, ctx: RunContext) -> None: ...


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


def test_the_timestamp_is_when_the_event_was_made() -> None:
    manager = HookManager()
    events: list[HookDispatchedEvent] = []
    manager.subscribe(events.append)
    manager.register(Passing())
    before = datetime.now(timezone.utc)
    manager.dispatch("input", RunContext(payload={}))
    after = datetime.now(timezone.utc)
    # Whole microseconds on one side, a float of seconds on the other.
    tolerance = timedelta(microseconds=2)
    assert before - tolerance <= events[0].timestamp <= after + tolerance
    assert events[0].timestamp.tzinfo is timezone.utc


def test_the_records_of_hooks_that_let_pass_are_as_long_as_the_dispatch() -> None:
    manager = HookManager()
    events: list[HookDispatchedEvent] = []
    manager.subscribe(events.append)
    for name in ("first", "second"):
        manager.register(Passing(), name=name)
    manager.dispatch("input", RunContext(payload={}))
    event = events[0]
    said = [(r.plugin, r.hook, r.verdict, r.effect, r.error) for r in event.records]
    assert said == [(name, "input", "allow", "applied", None) for name in ("first", "second")]
    assert all(record.duration_ms > 0 for record in event.records)
    assert sum(record.duration_ms for record in event.records) == pytest.approx(event.duration_ms)


def test_the_records_of_an_event_are_one_list() -> None:
    manager = HookManager()
    events: list[HookDispatchedEvent] = []
    manager.subscribe(events.append)
    manager.register(Passing())
    manager.dispatch("input", RunContext(payload={}))
    events[0].records.clear()
    assert events[0].records == []


def test_an_event_copied_before_its_timestamp_was_asked_for_has_the_same() -> None:
    manager = HookManager()
    events: list[HookDispatchedEvent] = []
    manager.subscribe(events.append)
    manager.register(Passing())
    manager.dispatch("input", RunContext(payload={}))
    assert pickle.loads(pickle.dumps(events[0])) == copy.deepcopy(events[0]) == events[0]


def test_an_event_has_no_other_attributes(event: HookDispatchedEvent) -> None:
    with pytest.raises(AttributeError, match="payload"):
        event.payload  # noqa: B018
