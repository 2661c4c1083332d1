"""Decisions, each way that they can be told."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from hookcore import HookAborted, ToolCallContext, hookimpl
from hookcore_otel.testing import Collector, attributes

from .told import Told

MakeTold = Callable[..., Told]


class Fails:
    """A hook that fails, whatever the operator wants of it."""

    def __init__(self, on_error: str) -> None:
        self.on_error = on_error

    @hookimpl
    def pre_tool_call(self, ctx: ToolCallContext) -> None:
        raise KeyError("hunter2")


class Changes:
    @hookimpl
    def pre_tool_call(self, ctx: ToolCallContext) -> dict[str, Any]:
        return {"changed": True}


def the_log(told: Told, collector: Collector) -> Any:
    told.plugin.close()
    (record,) = collector.logs()
    return record


def test_a_denial_is_a_log_record_of_the_calls_span(told: Told, collector: Collector) -> None:
    told.call("rm", call_id="c1", session_id="s1", run_id="r1", agent="clerk")
    record = the_log(told, collector)
    span = collector.spans()["execute_tool rm"]
    assert (record.trace_id, record.span_id) == (span.trace_id, span.span_id)
    assert (record.event_name, record.severity_text) == ("hookcore.decision", "WARN")
    assert not record.body.WhichOneof("value")
    assert attributes(record) == {
        "hookcore.hook.point": "pre_tool_call",
        "hookcore.hook.name": "pre_tool_call",
        "hookcore.outcome": "aborted",
        "hookcore.effect": "applied",
        "hookcore.run.id": "r1",
        "gen_ai.guardrail.component.name": "rules",
        "gen_ai.guardrail.verdict.type": "deny",
        "gen_ai.guardrail.action.type": "block",
        "gen_ai.guardrail.target.type": "input",
        "gen_ai.guardrail.target.subtype": "tool_call",
        "gen_ai.guardrail.target.id": "c1",
        "gen_ai.tool.name": "rm",
        "gen_ai.agent.name": "clerk",
        "gen_ai.conversation.id": "e8bc163c82eee18733288c7d4ac636db",
    }


def test_what_is_let_pass_is_never_told(told: Told, collector: Collector) -> None:
    told.call("read")
    told.plugin.close()
    assert collector.logs() == []
    assert collector.points("hookcore.decisions") == []


def test_a_change_is_told(told: Told, collector: Collector) -> None:
    told.manager.register(Changes(), name="changes")
    told.call("read")
    record = the_log(told, collector)
    found = attributes(record)
    assert record.severity_text == "INFO"
    assert found["gen_ai.guardrail.verdict.type"] == "modify"
    assert found["gen_ai.guardrail.action.type"] == "modify"


def test_a_denial_that_is_only_watched_is_an_audit(told: Told, collector: Collector) -> None:
    from hookcore.testing import register_configured

    class Strict:
        @hookimpl
        def pre_tool_call(self, ctx: ToolCallContext) -> None:
            raise HookAborted("no")

    register_configured(told.manager, Strict(), "strict", mode="monitor")
    assert told.call("read") == "done"
    found = attributes(the_log(told, collector))
    assert found["gen_ai.guardrail.verdict.type"] == "deny"
    assert found["gen_ai.guardrail.action.type"] == "audit"


@pytest.mark.parametrize(
    ("on_error", "verdict", "action"), [("deny", "deny", "block"), ("allow", "allow", "allow")]
)
def test_a_failure_is_told_by_its_class(
    on_error: str, verdict: str, action: str, told: Told, collector: Collector
) -> None:
    told.manager.register(Fails(on_error), name="fails")
    told.call("read")
    found = attributes(the_log(told, collector))
    assert found["error.type"] == "KeyError"
    assert found["gen_ai.guardrail.verdict.type"] == verdict
    assert found["gen_ai.guardrail.action.type"] == action
    ((where, point),) = collector.points("hookcore.hook.errors")
    assert point.as_int == 1
    assert where == {
        "hookcore.hook.point": "pre_tool_call",
        "gen_ai.guardrail.component.name": "fails",
        "error.type": "KeyError",
    }


def test_a_decision_can_be_an_event_of_the_span(collector: Collector, make_told: MakeTold) -> None:
    told = make_told(decisions="event")
    told.call("rm")
    told.plugin.close()
    (event,) = collector.spans()["execute_tool rm"].events
    assert event.name == "hookcore.decision"
    assert attributes(event)["gen_ai.guardrail.verdict.type"] == "deny"
    assert collector.logs() == []


def test_a_decision_can_be_a_span_of_its_own(collector: Collector, make_told: MakeTold) -> None:
    told = make_told(decisions="span")
    told.manager.register(Fails("allow"), name="fails")
    told.call("rm")
    told.plugin.close()
    spans = collector.spans()
    denied, failed = spans["run_guardrail rules"], spans["run_guardrail fails"]
    assert denied.parent_span_id == spans["execute_tool rm"].span_id
    assert attributes(denied)["gen_ai.operation.name"] == "run_guardrail"
    assert (denied.status.code, failed.status.code) == (0, 2)


def test_decisions_can_be_left_to_the_metrics(collector: Collector, make_told: MakeTold) -> None:
    told = make_told(decisions="off")
    told.call("rm")
    told.plugin.close()
    assert collector.logs() == []
    ((where, point),) = collector.points("hookcore.decisions")
    assert point.as_int == 1
    assert where["gen_ai.guardrail.component.name"] == "rules"


def test_a_decision_outside_of_any_call_is_told(told: Told, collector: Collector) -> None:
    from hookcore import ChannelMessage

    class Silence:
        @hookimpl
        def message_sending(self, ctx: Any) -> None:
            raise HookAborted("not now")

    told.manager.register(Silence(), name="silence")
    message = ChannelMessage(channel="mail", sender="me", recipient="you", content="hunter2")
    with pytest.raises(HookAborted):
        told.manager.send_message(message, lambda _: None)
    found = attributes(the_log(told, collector))
    assert found["gen_ai.guardrail.target.type"] == "output"
    assert found["gen_ai.guardrail.target.subtype"] == "message"
