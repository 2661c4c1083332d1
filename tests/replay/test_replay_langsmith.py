"""Runs of LangChain: recorded from the real tracer, and as LangSmith's own tests have them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hookctl.replay.formats.lcmessages import chat_messages
from hookctl.replay.walk import walk

from .walking import tools

ReadRuns = Callable[..., Any]
WriteLines = Callable[..., Path]


def run_of(identity: str, kind: str, parent: str | None = None, **more: Any) -> dict[str, Any]:
    told = {"id": identity, "run_type": kind, "trace_id": "t", "name": "delete", **more}
    return {**told, "parent_run_id": parent, "start_time": f"2026-01-01T00:00:0{identity}"}


def test_an_agent_of_langchain_is_a_run_and_the_one_that_a_tool_asks_another(
    read_runs: ReadRuns, data: Path
) -> None:
    [main, critic], ledger = read_runs(data / "langsmith/langchain_agent.jsonl")
    assert (main.agent, critic.agent, critic.parent_run_id) == ("assistant", "critic", main.id)
    assert [(name, payload) for point, name, payload in tools(main) if "pre" in point] == [
        ("read_file", {"path": "notes.txt"}),
        ("delete_file", {"path": "notes.txt"}),
        ("ask_critic", {"question": "Is it fine?"}),
    ]
    assert [payload for point, _, payload in tools(main) if "post" in point] == [
        "The launch is on Friday.",
        "gone",
        "It is fine.",
    ]
    assert [turn.role for turn in critic.turns] == ["user", "assistant"]
    assert ledger.malformed == 0


def test_a_batch_of_langsmiths_own_tests_is_read(read_runs: ReadRuns, data: Path) -> None:
    [run], ledger = read_runs(data / "langsmith/wrap_openai.json")
    assert [(turn.role, turn.text) for turn in run.turns] == [
        ("user", "howdy"),
        ("assistant", "Howdy! How can I assist you today?"),
    ]
    assert run.turns[1].model == "gpt-4o-mini"
    assert ledger.malformed == 0


def test_a_tool_whose_model_was_not_traced_has_its_call_and_its_result(
    read_runs: ReadRuns, write_lines: WriteLines
) -> None:
    lines = [
        run_of("1", "chain", name="agent"),
        run_of("2", "tool", "1", inputs={"input": "{'path': 'x'}"}, outputs={"output": "gone"}),
        run_of("3", "tool", "1", inputs={"input": "plain"}, error="ValueError: no"),
    ]
    [run], _ = read_runs(write_lines(*lines))
    assert tools(run) == [
        ("pre_tool_call", "delete", {"path": "x"}),
        ("post_tool_call", "delete", "gone"),
        ("pre_tool_call", "delete", {"input": "plain"}),
        ("post_tool_call", "delete", "ValueError: no"),
    ]
    assert [result.failed for turn in run.turns for result in turn.results] == [False, True]


def test_values_that_an_export_wrote_as_text_are_read(
    read_runs: ReadRuns, write_lines: WriteLines
) -> None:
    inputs = json.dumps({"messages": [{"role": "user", "content": "hi"}]})
    outputs = json.dumps({"choices": [{"message": {"role": "assistant", "content": "yes"}}]})
    [run], _ = read_runs(write_lines(run_of("1", "llm", inputs=inputs, outputs=outputs)))
    assert [turn.text for turn in run.turns] == ["hi", "yes"]


def test_runs_within_runs_are_read(read_runs: ReadRuns, write_lines: WriteLines) -> None:
    child = {"id": "2", "run_type": "tool", "name": "delete", "inputs": {"path": "x"}}
    child["start_time"] = "1"
    root = run_of("1", "chain", child_runs=[child])
    [run], _ = read_runs(write_lines([root]))
    assert tools(run) == [("pre_tool_call", "delete", {"path": "x"})]


def test_a_history_of_before_is_no_call_of_this_trace(
    read_runs: ReadRuns, write_lines: WriteLines
) -> None:
    call = {"name": "delete", "args": {"path": "old"}, "id": "c0"}
    shown = [
        ["user", "delete old"],
        {"type": "ai", "content": "", "tool_calls": [call]},
        {"type": "tool", "content": "gone", "tool_call_id": "c0"},
        ["user", "thanks"],
    ]
    outputs = {"generations": [[{"text": "welcome"}]]}
    [run], _ = read_runs(
        write_lines(run_of("1", "llm", inputs={"messages": shown}, outputs=outputs))
    )
    moments = list(walk(run))
    assert tools(run) == []
    assert moments[0].payload == {"input": "thanks"}
    assert [moment.point for moment in moments].count("post_model_call") == 1


@pytest.mark.parametrize(
    ("damaged", "reason"),
    [
        ({"run_type": "llm", "trace_id": "t"}, "a run has no id"),
        ({"id": "9", "run_type": "surprise"}, "a run has no run_type that is known"),
    ],
)
def test_a_run_that_cannot_be_read_is_named_with_its_line(
    read_runs: ReadRuns, write_lines: WriteLines, damaged: dict[str, Any], reason: str
) -> None:
    path = write_lines(run_of("1", "tool", inputs={"path": "x"}), damaged)
    [run], ledger = read_runs(path)
    assert ledger.malformed_lines == [{"where": f"{path}:2", "reason": reason}]
    assert len(tools(run)) == 1


def test_a_model_call_without_content_is_told(read_runs: ReadRuns, write_lines: WriteLines) -> None:
    _, ledger = read_runs(write_lines(run_of("1", "llm", inputs={}, outputs={})))
    assert ledger.malformed_lines[0]["reason"].startswith("a model call has no messages")


def test_runs_that_go_round_in_a_circle_stop_nothing(
    read_runs: ReadRuns, write_lines: WriteLines
) -> None:
    lines = [run_of("1", "chain", "2"), run_of("2", "tool", "1", inputs={"path": "x"})]
    for line in lines:
        del line["trace_id"]
    runs, _ = read_runs(write_lines(*lines))
    assert sum(len(tools(run)) for run in runs) == 1


CALLED = {"id": "c", "type": "function", "function": {"name": "f", "arguments": {"x": 1}}}


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("hi", {"role": "user", "content": "hi"}),
        (["human", "hi"], {"role": "user", "content": "hi"}),
        ({"type": "human", "data": {"content": "hi"}}, {"role": "user", "content": "hi"}),
        ({"type": "system", "content": "hi"}, {"role": "system", "content": "hi"}),
        ({"role": "user", "content": "hi"}, {"role": "user", "content": "hi"}),
        (
            {"lc": 1, "id": ["x", "ToolMessage"], "kwargs": {"content": "r", "tool_call_id": "c"}},
            {"role": "tool", "content": "r", "tool_call_id": "c"},
        ),
        (
            {
                "lc": 1,
                "id": ["x", "AIMessageChunk"],
                "kwargs": {
                    "content": [{"type": "tool_use", "id": "c", "name": "f", "input": {}}],
                    "tool_calls": [{"name": "f", "args": {"x": 1}, "id": "c"}],
                },
            },
            {"role": "assistant", "content": None, "tool_calls": [CALLED]},
        ),
        (
            {"type": "ai", "content": "", "additional_kwargs": {"tool_calls": [CALLED]}},
            {"role": "assistant", "content": "", "tool_calls": [CALLED]},
        ),
    ],
)
def test_a_message_is_read_in_any_form(written: object, read: dict[str, Any]) -> None:
    assert chat_messages([written]) == [read]
    assert chat_messages([[written, ["ai", "so"]]])[0] == read
