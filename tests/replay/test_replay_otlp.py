"""Trace exports: spans of GenAI operations become runs."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hookctl.replay.formats import stands_alone
from hookctl.replay.walk import walk

ReadRuns = Callable[..., Any]
WriteLines = Callable[..., Path]

TRACE = "5b8aa5a2d2c872e8321cf37308d69df2"


def value(plain: object) -> dict[str, object]:
    if isinstance(plain, str):
        return {"stringValue": plain}
    if isinstance(plain, list):
        return {"arrayValue": {"values": [value(one) for one in plain]}}
    if isinstance(plain, dict):
        entries = [{"key": key, "value": value(one)} for key, one in plain.items()]
        return {"kvlistValue": {"values": entries}}
    return {"intValue": str(plain)}


def span(
    identity: str,
    operation: str,
    start: int,
    parent: str = "",
    *,
    trace: str = TRACE,
    failed: bool = False,
    **attributes: object,
) -> dict[str, object]:
    named = {f"gen_ai.{key.replace('__', '.')}": one for key, one in attributes.items()}
    named["gen_ai.operation.name"] = operation
    return {
        "traceId": trace,
        "spanId": identity,
        "parentSpanId": parent,
        "startTimeUnixNano": str(start),
        "status": {"code": 2} if failed else {},
        "attributes": [{"key": key, "value": value(one)} for key, one in named.items()],
    }


def export(*spans: dict[str, object]) -> dict[str, object]:
    return {"resourceSpans": [{"scopeSpans": [{"spans": list(spans)}]}]}


def text(role: str, content: str) -> dict[str, object]:
    return {"role": role, "parts": [{"type": "text", "content": content}]}


CALL = {"type": "tool_call", "id": "c1", "name": "delete", "arguments": {"path": "x"}}
USER = text("user", "delete x")
ASKS = {"role": "assistant", "parts": [CALL], "finish_reason": "tool_call"}
TOLD = {"role": "tool", "parts": [{"type": "tool_call_response", "id": "c1", "response": "gone"}]}
DONE = text("assistant", "it is gone")
FIRST = span(
    "s2",
    "chat",
    20,
    "s1",
    request__model="m",
    system_instructions=json.dumps([{"type": "text", "content": "be brief"}]),
    input__messages=json.dumps([USER]),
    output__messages=json.dumps([ASKS]),
)
TOOL = span("s3", "execute_tool", 30, "s1", tool__name="delete", tool__call__id="c1")
SECOND = span(
    "s4",
    "chat",
    40,
    "s1",
    system_instructions=[{"type": "text", "content": "be brief"}],
    input__messages=[USER, ASKS, TOLD],
    output__messages=[DONE],
)
AGENT = span("s1", "invoke_agent", 10, agent__name="helper", conversation__id="talk")


def points(run: Any) -> list[tuple[str, object]]:
    return [(moment.point, moment.payload) for moment in walk(run) if "tool" in moment.point]


def roles(run: Any) -> list[str]:
    return [turn.role for turn in run.turns]


def test_spans_of_a_trace_become_a_run_whatever_lines_they_lie_in(
    read_runs: ReadRuns, write_lines: WriteLines
) -> None:
    path = write_lines(export(SECOND), export(TOOL, FIRST), export(AGENT))
    [run], ledger = read_runs(path)
    assert (run.id, run.agent, run.session_id) == (TRACE, "helper", "talk")
    assert roles(run) == ["system", "user", "assistant", "tool", "assistant"]
    assert points(run) == [("pre_tool_call", {"path": "x"}), ("post_tool_call", "gone")]
    assert ledger.malformed == 0
    assert run.where == f"{path}:2 span s2"


def test_an_indented_export_is_read(read_runs: ReadRuns, tmp_path: Path) -> None:
    path = tmp_path / "traces.json"
    path.write_text(json.dumps(export(AGENT, FIRST, SECOND), indent=2), encoding="utf-8")
    [run], _ = read_runs(path)
    assert len(run.turns) == 5


def test_messages_that_come_again_are_one_message(
    read_runs: ReadRuns, write_lines: WriteLines
) -> None:
    [run], _ = read_runs(write_lines(export(FIRST, SECOND)))
    assert [turn.restarts for turn in run.turns] == [False] * 5
    assert [moment.point for moment in walk(run)].count("pre_model_call") == 2


def test_a_history_that_was_dropped_begins_again(
    read_runs: ReadRuns, write_lines: WriteLines
) -> None:
    later = span("s9", "chat", 90, "s1", input__messages=[text("user", "summary")])
    [run], _ = read_runs(write_lines(export(FIRST, later)))
    assert [turn.restarts for turn in run.turns] == [False, False, False, True]


def test_a_tool_that_no_message_speaks_of_has_its_call_and_its_result(
    read_runs: ReadRuns, write_lines: WriteLines
) -> None:
    tool = span(
        "s3",
        "execute_tool",
        30,
        tool__name="delete",
        tool__call__arguments='{"path": "y"}',
        tool__call__result={"gone": "y"},
        failed=True,
    )
    [run], _ = read_runs(write_lines(export(tool)))
    assert points(run) == [("pre_tool_call", '{"path": "y"}'), ("post_tool_call", '{"gone": "y"}')]
    assert run.turns[1].results[0].failed


def test_an_agent_inside_of_another_is_a_run_of_its_own(
    read_runs: ReadRuns, write_lines: WriteLines
) -> None:
    inner = span("s5", "invoke_agent", 50, "s3", agent__name="critic")
    said = span("s6", "chat", 60, "s5", input__messages=[text("user", "is it?")])
    [outer, sub], _ = read_runs(write_lines(export(AGENT, FIRST, TOOL, inner, said)))
    assert (sub.id, sub.agent, sub.parent_run_id) == (f"{TRACE}/critic", "critic", outer.id)
    assert roles(sub) == ["user"]


def test_traces_are_kept_apart(read_runs: ReadRuns, write_lines: WriteLines) -> None:
    other = span("s2", "chat", 1, trace="ff", input__messages=[USER], output__messages=[DONE])
    runs, _ = read_runs(write_lines(export(FIRST, other)))
    assert [run.id for run in runs] == [TRACE, "ff"]


def test_a_model_call_without_content_is_told(read_runs: ReadRuns, write_lines: WriteLines) -> None:
    runs, ledger = read_runs(write_lines(export(span("s2", "chat", 1, request__model="m"))))
    assert [roles(run) for run in runs] == [[]]
    assert ledger.malformed_lines[0]["reason"].startswith("a model call has no messages")


def test_spans_of_other_things_are_no_runs(read_runs: ReadRuns, write_lines: WriteLines) -> None:
    runs, ledger = read_runs(write_lines(export(span("s1", "http", 1)), export(FIRST)))
    assert len(runs) == 1
    assert ledger.malformed == 0


@pytest.mark.parametrize(
    "damaged",
    [
        {"traceId": 5},
        {"traceId": TRACE, "spanId": None},
        {**FIRST, "spanId": "a", "parentSpanId": "a", "startTimeUnixNano": "x"},
        {**FIRST, "attributes": [{"key": None}, 3]},
        {**FIRST, "attributes": [{"key": "gen_ai.input.messages", "value": {"intValue": "x"}}]},
    ],
)
def test_damaged_spans_stop_nothing(
    damaged: dict[str, object], read_runs: ReadRuns, write_lines: WriteLines
) -> None:
    runs, _ = read_runs(write_lines(export(damaged), export(SECOND)))
    assert [run for run in runs if run.turns]


def test_an_export_is_never_cut() -> None:
    assert not stands_alone(export(FIRST))
    assert not stands_alone(export(FIRST), "otlp")
