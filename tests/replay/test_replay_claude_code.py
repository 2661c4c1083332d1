from __future__ import annotations

from pathlib import Path
from typing import Any


def record(role: str, content: object, uuid: str, **more: object) -> dict[str, object]:
    message: dict[str, object] = {"role": role, "content": content}
    if "message_id" in more:
        message["id"] = more.pop("message_id")
    return {"type": role, "message": message, "uuid": uuid, "sessionId": "s", **more}


def use(identity: str, name: str = "Bash") -> dict[str, object]:
    return {"type": "tool_use", "id": identity, "name": name, "input": {"command": "ls"}}


def result(identity: str) -> dict[str, object]:
    return {"type": "tool_result", "tool_use_id": identity, "content": "ok"}


def test_a_session_is_a_run_with_its_calls_and_results(read_runs: Any, data: Path) -> None:
    runs, ledger = read_runs(data / "claude_code_sessions/representative_messages.jsonl")
    (run,) = runs
    calls = [call for turn in run.turns for call in turn.calls]
    results = [one for turn in run.turns for one in turn.results]
    assert [call.name for call in calls] == ["Edit", "Bash"]
    assert [one.call_id for one in results] == [call.id for call in calls]
    assert (run.id, run.session_id, ledger.malformed) == ("test_session", "test_session", 0)


def test_records_that_are_broken_are_named_by_line(read_runs: Any, data: Path) -> None:
    runs, ledger = read_runs(data / "claude_code_sessions/edge_cases.jsonl")
    lines = [int(entry["where"].rsplit(":", 1)[1]) for entry in ledger.malformed_lines]
    assert lines == [10, 11, 13, 14, 15, 16, 18]
    assert {run.id for run in runs} == {"edge_cases", "todowrite_session"}


def test_the_pieces_of_one_answer_are_one_turn(read_runs: Any, write_lines: Any) -> None:
    path = write_lines(
        record("user", "go", "1"),
        record("assistant", [{"type": "text", "text": "well"}], "2", message_id="m"),
        record("assistant", [use("a")], "3", message_id="m"),
        record("user", [result("a")], "4"),
        record("assistant", [use("b")], "5", message_id="m"),
        record("user", [result("b")], "6"),
    )
    (run,), _ = read_runs(path)
    answers = [turn for turn in run.turns if turn.answer is not None]
    assert len(answers) == 1
    assert [call.id for call in answers[0].calls] == ["a", "b"]


def test_a_record_written_twice_is_read_once(read_runs: Any, write_lines: Any) -> None:
    line = record("user", "go", "1")
    (run,), _ = read_runs(write_lines(line, line, record("user", "other", "1")))
    assert [turn.text for turn in run.turns] == ["go", "other"]


def test_a_sub_agent_is_a_run_of_its_own(read_runs: Any, write_lines: Any) -> None:
    side = {"isSidechain": True}
    path = write_lines(
        record("user", "go", "1"),
        record("user", "sub one", "2", parentUuid=None, **side),
        record("assistant", "done", "3", parentUuid="2", **side),
        record("user", "sub two", "4", agentId="scout", **side),
        record("assistant", "all done", "5"),
    )
    runs, _ = read_runs(path)
    assert [(run.id, run.parent_run_id, len(run.turns)) for run in runs] == [
        ("s", None, 2),
        ("s/sidechain-1", "s", 2),
        ("s/scout", "s", 1),
    ]


def test_sessions_mixed_in_one_file_are_told_apart(read_runs: Any, write_lines: Any) -> None:
    path = write_lines(
        record("user", "a1", "1"),
        record("user", "b1", "2", sessionId="t"),
        record("user", "a2", "3"),
    )
    runs, _ = read_runs(path)
    assert [(run.id, [turn.text for turn in run.turns]) for run in runs] == [
        ("t", ["b1"]),
        ("s", ["a1", "a2"]),
    ]


def test_a_compacted_session_starts_its_history_again(read_runs: Any, write_lines: Any) -> None:
    boundary = {"type": "system", "subtype": "compact_boundary", "sessionId": "s", "uuid": "b"}
    path = write_lines(
        record("user", "long ago", "1"),
        boundary,
        record("user", "summary", "2"),
        record("user", "next", "3"),
    )
    (run,), _ = read_runs(path)
    assert [turn.restarts for turn in run.turns] == [False, True, False]


def test_what_no_model_said_is_left_out(read_runs: Any, write_lines: Any) -> None:
    error = record("assistant", "API error", "2")
    error["message"] = {"role": "assistant", "content": "API error", "model": "<synthetic>"}
    (run,), ledger = read_runs(write_lines(record("user", "go", "1"), error))
    assert len(run.turns) == 1
    assert ledger.malformed == 0
