"""Traces of the OpenAI Agents SDK, recorded from the real one."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from .walking import tools

ReadRuns = Callable[..., Any]
WriteLines = Callable[..., Path]


def span(identity: str, parent: str | None = None, **data: Any) -> dict[str, Any]:
    named = {"object": "trace.span", "id": identity, "trace_id": "t", "parent_id": parent}
    return {**named, "started_at": f"2026-01-01T00:00:0{identity}", "span_data": data}


AGENT = span("1", type="agent", name="main")
TOOL = span("2", "1", type="function", name="delete", input='{"path": "x"}', output="gone")


def test_each_agent_of_a_trace_is_a_run(read_runs: ReadRuns, data: Path) -> None:
    runs, ledger = read_runs(data / "openai_agents/handoff.jsonl")
    main, critic, cleaner = runs
    assert [run.agent for run in runs] == ["assistant", "critic", "cleaner"]
    assert {run.parent_run_id for run in (critic, cleaner)} == {main.id}
    assert {run.session_id for run in runs} == {"thread-7"}
    assert main.attributes["workflow_name"] == "Tidy"
    assert ledger.malformed == 0


def test_a_call_is_judged_once_however_often_it_is_shown(read_runs: ReadRuns, data: Path) -> None:
    runs, _ = read_runs(data / "openai_agents/handoff.jsonl")
    called = [[name for point, name, _ in tools(run) if "pre" in point] for run in runs]
    assert called == [
        ["read_file", "delete_file", "ask_critic", "transfer_to_cleaner"],
        [],
        ["delete_file"],
    ]


def test_a_tool_without_a_model_has_its_call_and_its_result(
    read_runs: ReadRuns, write_lines: WriteLines
) -> None:
    path = write_lines(AGENT, TOOL)
    [run], _ = read_runs(path)
    assert tools(run) == [
        ("pre_tool_call", "delete", '{"path": "x"}'),
        ("post_tool_call", "delete", "gone"),
    ]
    assert (run.agent, run.where) == ("main", f"{path}:2 2")


def test_a_tool_that_failed_is_told_so(read_runs: ReadRuns, write_lines: WriteLines) -> None:
    failed = {**TOOL, "error": {"message": "no", "data": None}}
    [run], _ = read_runs(write_lines(AGENT, failed))
    assert run.turns[1].results[0].failed


@pytest.mark.parametrize("batch", [{"data": [AGENT, TOOL]}, [AGENT, TOOL]])
def test_batches_are_read(read_runs: ReadRuns, write_lines: WriteLines, batch: object) -> None:
    [run], _ = read_runs(write_lines(batch))
    assert len(tools(run)) == 2


def test_a_response_without_its_content_is_told(
    read_runs: ReadRuns, write_lines: WriteLines
) -> None:
    _, ledger = read_runs(write_lines(AGENT, span("3", "1", type="response", response_id="r")))
    assert ledger.malformed_lines[0]["reason"].startswith("a model call has no messages")


@pytest.mark.parametrize(
    ("damaged", "reason"),
    [
        ({"object": "trace.span", "id": "9"}, "neither a trace nor a span"),
        ({**TOOL, "trace_id": None}, "a span has no trace_id or no id"),
    ],
)
def test_what_cannot_be_read_is_named_with_its_line(
    read_runs: ReadRuns, write_lines: WriteLines, damaged: dict[str, Any], reason: str
) -> None:
    path = write_lines(AGENT, TOOL, damaged)
    [run], ledger = read_runs(path)
    assert ledger.malformed_lines == [{"where": f"{path}:3", "reason": reason}]
    assert len(tools(run)) == 2
