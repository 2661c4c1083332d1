"""An edit in place counts as a modification wherever mutations are tracked (design, section 6)."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

from pydantic import BaseModel

from hookcore import HookDispatchedEvent, HookManager, ToolCallContext

Add = Callable[..., str]
Call = Callable[..., ToolCallContext]
Events = list[HookDispatchedEvent]


def edit(ctx: Any) -> None:
    ctx.payload["edited"] = True


def test_an_edit_in_place_is_no_modification_where_it_is_not_tracked(
    manager: HookManager, add: Add, call: Call, events: Events
) -> None:
    add("pre_tool_call", edit)

    manager.dispatch("pre_tool_call", call())

    assert (events[0].outcome, events[0].mutations_tracked) == ("proceeded", False)


def test_an_edit_in_place_is_a_modification_where_it_is_tracked(
    manager: HookManager, add: Add, call: Call, events: Events
) -> None:
    manager.tracks_mutations = True
    add("pre_tool_call", edit)
    add("pre_tool_call", lambda ctx: None)

    manager.dispatch("pre_tool_call", call())

    (event,) = events
    assert (event.outcome, event.mutations_tracked) == ("modified", True)
    assert [item.verdict for item in event.records] == ["modify", "allow"]


@dataclasses.dataclass
class Order:
    """A payload that is a dataclass."""

    items: list[str]


def test_an_edit_in_a_dataclass_is_tracked(
    manager: HookManager, add: Add, call: Call, events: Events
) -> None:
    manager.tracks_mutations = True
    add("post_tool_call", lambda ctx: ctx.payload.items.append("x"))

    manager.dispatch("post_tool_call", call(payload=Order([])))

    assert events[0].outcome == "modified"


def test_an_edit_in_a_pydantic_model_is_tracked(
    manager: HookManager, add: Add, call: Call, events: Events
) -> None:
    class Ticket(BaseModel):
        tags: list[str] = []

    manager.tracks_mutations = True
    add("post_tool_call", lambda ctx: ctx.payload.tags.append("x"))

    manager.dispatch("post_tool_call", call(payload=Ticket()))

    assert events[0].outcome == "modified"


def test_tracking_may_be_asked_for_when_the_manager_is_made() -> None:
    assert HookManager(track_mutations=True).tracks_mutations
