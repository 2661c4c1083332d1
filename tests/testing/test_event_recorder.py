from __future__ import annotations

from typing import Any

import pytest

from hookcore import HookAborted, HookManager, InterceptionPoint, hookimpl
from hookcore.testing import EventRecorder, recorded


class Policy:
    @hookimpl(tools=["rm"])
    def pre_tool_call(self, ctx: Any) -> None:
        raise HookAborted("no")

    @hookimpl
    def post_tool_call(self, ctx: Any) -> str:
        return "changed"


@pytest.fixture
def manager() -> HookManager:
    manager = HookManager()
    manager.register(Policy(), name="policy")
    return manager


def use_tools(manager: HookManager) -> None:
    manager.call_tool("ls", {}, lambda given: "a.txt")
    with pytest.raises(HookAborted):
        manager.call_tool("rm", {}, lambda given: None)


def test_a_block_records_its_events_in_order(manager: HookManager) -> None:
    with recorded(manager) as events:
        use_tools(manager)
    told = [(event.interception_point, event.outcome) for event in events]
    assert told == [("post_tool_call", "modified"), ("pre_tool_call", "aborted")]


def test_events_after_the_block_are_not_recorded(manager: HookManager) -> None:
    with recorded(manager) as events:
        pass
    use_tools(manager)
    assert events == []


def test_the_recording_ends_when_the_block_raises(manager: HookManager) -> None:
    with pytest.raises(KeyError), recorded(manager) as events:
        raise KeyError
    use_tools(manager)
    assert events == []


def test_events_can_be_had_by_point(manager: HookManager) -> None:
    with recorded(manager) as events:
        use_tools(manager)
    assert [event.tool for event in events.at(InterceptionPoint.PRE_TOOL_CALL)] == ["rm"]


def test_outcomes_can_be_had_by_point(manager: HookManager) -> None:
    with recorded(manager) as events:
        use_tools(manager)
    assert events.outcomes("post_tool_call") == ["modified"]


def test_records_can_be_had_by_plugin(manager: HookManager) -> None:
    manager.register(type("Other", (), {"pre_tool_call": hookimpl(lambda self, ctx: None)})())
    with recorded(manager) as events:
        use_tools(manager)
    assert [record.verdict for record in events.records("policy")] == ["modify", "deny"]


def test_a_recorder_is_a_list_that_any_manager_may_fill(manager: HookManager) -> None:
    recorder = EventRecorder()
    manager.subscribe(recorder.append)
    use_tools(manager)
    assert recorder.outcomes() == ["modified", "aborted"]
