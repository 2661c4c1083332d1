"""Anthropic's messages, recorded from the real API."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from hookctl.replay.formats import stands_alone

from .walking import tools

ReadRuns = Callable[..., Any]
WriteLines = Callable[..., Path]
USER = {"role": "user", "content": "delete x"}
ASKS = {
    "role": "assistant",
    "content": [{"type": "tool_use", "id": "t1", "name": "delete", "input": {"path": "x"}}],
}
TOLD = {
    "role": "user",
    "content": [{"type": "tool_result", "tool_use_id": "t1", "content": "no", "is_error": True}],
}


def test_a_loop_with_a_tool_is_one_run(read_runs: ReadRuns, data: Path) -> None:
    [run], ledger = read_runs(data / "anthropic/agent_loop.jsonl")
    assert tools(run) == [
        ("pre_tool_call", "get_weather", {"location": "San Francisco, CA"}),
        ("post_tool_call", "get_weather", "It's sunny."),
    ]
    assert (run.model, ledger.malformed) == ("claude-haiku-4-5-20251001", 0)


def test_calls_of_remote_mcp_servers_are_found_in_streams_too(
    read_runs: ReadRuns, data: Path
) -> None:
    runs, ledger = read_runs(data / "anthropic/remote_mcp.jsonl")
    assert [len(tools(run)) for run in runs] == [4, 6]
    assert {name for run in runs for _, name, _ in tools(run)} == {"mcp__deepwiki__ask_question"}
    assert ledger.malformed == 0


def test_a_streamed_loop_is_one_run(read_runs: ReadRuns, data: Path) -> None:
    [run], ledger = read_runs(data / "anthropic/agent_loop_streaming.jsonl")
    assert tools(run) == [
        ("pre_tool_call", "get_weather", {"location": "San Francisco, CA"}),
        ("post_tool_call", "get_weather", "It's sunny."),
    ]
    assert (run.turns[-1].text, ledger.malformed) == (
        [{"type": "text", "text": "The weather in San Francisco, CA is sunny."}],
        0,
    )


def test_the_system_beside_the_messages_is_the_first_of_them(
    read_runs: ReadRuns, write_lines: WriteLines
) -> None:
    [run], _ = read_runs(write_lines({"system": "be brief", "messages": [USER, ASKS, TOLD]}))
    assert [turn.role for turn in run.turns] == ["system", "user", "assistant", "user"]
    assert run.turns[0].text == "be brief"


def test_a_failed_result_is_one(read_runs: ReadRuns, write_lines: WriteLines) -> None:
    [run], _ = read_runs(write_lines([USER, ASKS, TOLD]))
    assert run.turns[2].results[0].failed


def test_one_answer_is_a_run(read_runs: ReadRuns, write_lines: WriteLines) -> None:
    answer = {**ASKS, "type": "message", "id": "msg_1", "stop_reason": "tool_use", "model": "m"}
    [run], _ = read_runs(write_lines(answer))
    assert (run.id, run.model) == ("msg_1", "m")
    assert tools(run) == [("pre_tool_call", "delete", {"path": "x"})]
    assert run.turns[0].message == ASKS


def test_a_message_that_is_none_is_named_with_its_place(
    read_runs: ReadRuns, write_lines: WriteLines
) -> None:
    path = write_lines({"system": "s", "messages": [USER, {"role": "assistant"}]})
    _, ledger = read_runs(path)
    assert ledger.malformed_lines[0]["where"] == f"{path}:1 messages[1]"


def test_lines_of_runs_may_be_read_side_by_side() -> None:
    assert stands_alone([USER, ASKS])
    assert stands_alone({"messages": [USER, ASKS]}, "anthropic")
