"""OpenAI's Responses API: items, requests and responses, recorded from the real one."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hookctl.replay.formats import stands_alone
from hookctl.replay.walk import walk

from .walking import tools

ReadRuns = Callable[..., Any]
WriteLines = Callable[..., Path]
USER = {"role": "user", "content": "delete x"}
CALL = {"type": "function_call", "call_id": "c1", "name": "delete", "arguments": '{"path": "x"}'}
TOLD = {"type": "function_call_output", "call_id": "c1", "output": "gone"}
THOUGHT = {"type": "reasoning", "id": "rs", "summary": []}
SAID = {
    "type": "message",
    "role": "assistant",
    "content": [{"type": "output_text", "text": "done", "annotations": []}],
}


@pytest.mark.parametrize(
    ("file", "called"),
    [
        ("agent_loop", [("get_weather", '{"location":"San Francisco, CA"}')]),
        ("agent_loop_streaming", [("get_weather", '{"location":"San Francisco, CA"}')]),
        ("custom_tool", [("execute_code", "print(3**3)")]),
    ],
)
def test_a_loop_with_a_tool_is_one_run(
    read_runs: ReadRuns, data: Path, file: str, called: list[Any]
) -> None:
    runs, ledger = read_runs(data / f"responses/{file}.jsonl")
    made = tools(runs[0])
    assert [(name, payload) for point, name, payload in made if point == "pre_tool_call"] == called
    assert [point for point, _, _ in made] == ["pre_tool_call", "post_tool_call"]
    assert ledger.malformed == 0


def test_a_tool_of_the_api_is_a_call_with_the_operation_as_its_arguments(
    read_runs: ReadRuns, data: Path
) -> None:
    runs, _ = read_runs(data / "responses/apply_patch.jsonl")
    assert [run.id for run in runs] == ["apply_patch:1", "apply_patch:2"]
    [(_, name, payload), (_, _, result)] = tools(runs[0])
    assert name == "apply_patch"
    assert payload == {"diff": "+hello world\n", "path": "hello.txt", "type": "create_file"}
    assert result == "Created hello.txt"


def test_a_stream_is_read_from_the_response_at_its_end(read_runs: ReadRuns, data: Path) -> None:
    runs, _ = read_runs(data / "responses/apply_patch.jsonl")
    assert [point for point, _, _ in tools(runs[1])] == ["pre_tool_call"]


def test_a_call_of_a_hosted_mcp_server_has_the_servers_name_and_its_result(
    read_runs: ReadRuns, data: Path
) -> None:
    [run], ledger = read_runs(data / "responses/mcp_builtin.jsonl")
    [(_, name, payload), (point, _, result)] = tools(run)
    assert (name, point) == ("mcp__deepwiki__ask_question", "post_tool_call")
    assert '"repoName":"microsoft/mcp"' in str(payload)
    assert str(result).startswith("The 2025-03-26 version")
    assert ledger.malformed == 0


def test_what_the_provider_runs_is_a_part_of_its_one_answer(
    read_runs: ReadRuns, data: Path
) -> None:
    runs, _ = read_runs(data / "responses/code_interpreter.jsonl")
    points = [moment.point for moment in walk(runs[0])]
    assert points.count("post_model_call") == 1
    [(_, name, payload)] = tools(runs[0])
    assert name == "code_interpreter"
    assert payload == {"code": '# Calculate 3^3\nresult = 3 ** 3\nprint("3^3 =", result)'}


@pytest.mark.parametrize(
    "value",
    [
        [USER, THOUGHT, CALL, TOLD, SAID],
        {"model": "m", "input": [USER, THOUGHT, CALL, TOLD, SAID]},
        {"input": [USER], "output": [THOUGHT, CALL, TOLD, SAID]},
        {"input": "delete x", "output": [CALL, TOLD, SAID]},
    ],
)
def test_items_are_a_run(read_runs: ReadRuns, write_lines: WriteLines, value: Any) -> None:
    [run], ledger = read_runs(write_lines(value))
    assert [turn.role for turn in run.turns] == ["user", "assistant", "tool", "assistant"]
    assert tools(run) == [
        ("pre_tool_call", "delete", '{"path": "x"}'),
        ("post_tool_call", "delete", "gone"),
    ]
    assert ledger.malformed == 0


def test_instructions_come_first(read_runs: ReadRuns, write_lines: WriteLines) -> None:
    response = {"object": "response", "id": "r1", "instructions": "be brief", "output": [SAID]}
    [run], _ = read_runs(
        write_lines({"request": {"input": "hi", **response}, "response": response})
    )
    assert [turn.role for turn in run.turns] == ["system", "user", "assistant"]


def test_responses_that_name_the_one_before_are_one_run(
    read_runs: ReadRuns, write_lines: WriteLines
) -> None:
    first = {"object": "response", "id": "r1", "output": [CALL]}
    then = {"object": "response", "id": "r2", "previous_response_id": "r1", "output": [SAID]}
    asked = {"input": [TOLD], "previous_response_id": "r1"}
    path = write_lines(
        {"request": {"input": [USER]}, "response": first}, {"request": asked, "response": then}
    )
    [run], ledger = read_runs(path)
    assert [turn.role for turn in run.turns] == ["user", "assistant", "tool", "assistant"]
    assert ledger.malformed == 0


def test_a_response_whose_beginning_is_missing_is_told(
    read_runs: ReadRuns, write_lines: WriteLines
) -> None:
    late = {"object": "response", "id": "r2", "previous_response_id": "r1", "output": [SAID]}
    path = write_lines(late)
    _, ledger = read_runs(path)
    assert ledger.malformed_lines == [
        {"where": f"{path}:1", "reason": "it goes on with a response that is not here"}
    ]


@pytest.mark.parametrize(
    ("item", "reason"),
    [
        (7, "an item is not an object with a type"),
        ({"type": "surprise"}, "an item has the unknown type 'surprise'"),
        ({"type": "item_reference", "id": "x"}, "an item only refers to another"),
        ({"type": "message", "role": "robot"}, "an item is a message without a role"),
    ],
)
def test_an_item_that_cannot_be_read_is_named_with_its_place(
    read_runs: ReadRuns, write_lines: WriteLines, item: Any, reason: str
) -> None:
    path = write_lines({"model": "m", "input": [USER, item, CALL]})
    [run], ledger = read_runs(path)
    [told] = ledger.malformed_lines
    assert told["where"] == f"{path}:1 input[1]"
    assert told["reason"].startswith(reason)
    assert len(tools(run)) == 1


def test_lines_of_items_may_be_read_side_by_side() -> None:
    assert stands_alone([USER, CALL])
    assert stands_alone([USER, CALL], "openai-responses")


def test_a_cut_document_is_told(read_runs: ReadRuns, tmp_path: Path) -> None:
    path = tmp_path / "items.json"
    path.write_text(json.dumps([USER, CALL], indent=1)[:-5], encoding="utf-8")
    runs, ledger = read_runs(path)
    assert runs == []
    assert ledger.unreadable or ledger.malformed
