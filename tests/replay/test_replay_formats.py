from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hookctl.replay.formats import NAMES

USER = {"role": "user", "content": "hi"}
ANSWER = {"role": "assistant", "content": "hello"}


def calls_of(run: Any) -> list[tuple[str, object]]:
    return [(call.name, call.arguments) for turn in run.turns for call in turn.calls]


def results_of(run: Any) -> list[object]:
    return [result.value for turn in run.turns for result in turn.results]


def test_json_lines_of_openai_runs_are_read_one_by_one(read_runs: Any, write_lines: Any) -> None:
    path = write_lines({"messages": [USER]}, [USER, ANSWER], {"messages": [USER], "id": "mine"})
    runs, ledger = read_runs(path)
    assert [run.id for run in runs] == ["runs:1", "runs:2", "mine"]
    assert ledger.malformed == 0


def test_one_document_can_be_one_run_or_a_list_of_runs(read_runs: Any, tmp_path: Path) -> None:
    one, many = tmp_path / "one.json", tmp_path / "many.json"
    one.write_text(json.dumps([USER, ANSWER], indent=1), encoding="utf-8")
    many.write_text(json.dumps([[USER], {"messages": [USER]}, 42], indent=1), encoding="utf-8")
    runs, ledger = read_runs(one, many)
    assert [run.id for run in runs] == ["one", "many[0]", "many[1]"]
    assert ledger.malformed_lines == [
        {"where": f"{many}[2]", "reason": "not a run: a number"},
    ]


def test_the_names_of_runs_are_unique_across_files(read_runs: Any, write_lines: Any) -> None:
    first = write_lines({"messages": [USER], "id": "x"}, {"messages": [USER], "id": "x"})
    second = write_lines({"messages": [USER], "id": "x"}, name="more.jsonl")
    runs, _ = read_runs(first, second)
    assert [run.id for run in runs] == ["x", "x#2", "x#3"]


def test_task_and_trial_name_a_run(read_runs: Any, write_lines: Any) -> None:
    runs, _ = read_runs(write_lines({"task_id": 7, "trial": 0, "reward": 1.0, "messages": [USER]}))
    assert runs[0].id == "task_id=7,trial=0"
    assert runs[0].attributes == {"task_id": 7, "trial": 0, "reward": 1.0}


def test_a_message_that_is_none_is_named_and_left_out(read_runs: Any, write_lines: Any) -> None:
    path = write_lines({"messages": [USER, 42, {"role": "robot", "content": ""}, {"role": "user"}]})
    runs, ledger = read_runs(path)
    assert len(runs[0].turns) == 1
    assert [line["where"].rsplit(" ", 1)[1] for line in ledger.malformed_lines] == [
        "messages[1]",
        "messages[2]",
        "messages[3]",
    ]


def test_tool_calls_of_every_shape_are_found(read_runs: Any, write_lines: Any) -> None:
    shapes = {
        "role": "assistant",
        "content": [{"type": "tool_use", "id": "a", "name": "block", "input": {"x": 1}}],
        "tool_calls": [
            {"id": "b", "type": "function", "function": {"name": "fn", "arguments": '{"y": 2}'}},
            {"id": "c", "type": "custom", "custom": {"name": "free", "input": "text"}},
            "nonsense",
        ],
        "function_call": {"name": "old", "arguments": "{}"},
    }
    runs, _ = read_runs(write_lines({"messages": [USER, shapes]}))
    assert calls_of(runs[0]) == [
        ("block", {"x": 1}),
        ("fn", '{"y": 2}'),
        ("free", "text"),
        ("", None),
        ("old", "{}"),
    ]


def test_calls_that_cannot_be_read_are_calls_without_a_name(
    read_runs: Any, write_lines: Any
) -> None:
    alone = {"id": "1", "function": {"name": "f", "arguments": "{}"}}
    odd: list[dict[str, Any]] = [
        {"tool_calls": "rm -rf"},
        {"tool_calls": alone},
        {"function_call": "rm"},
    ]
    messages = [{"role": "assistant", "content": None, **calls} for calls in odd]
    (run,), _ = read_runs(write_lines({"messages": messages}))
    assert calls_of(run) == [("", None), ("f", "{}"), ("", None)]


def test_content_may_be_null_text_or_parts(read_runs: Any, write_lines: Any) -> None:
    parts = [{"type": "text", "text": "a"}, {"type": "image_url", "image_url": {"url": "u"}}]
    messages = [
        {"role": "user", "content": parts},
        {"role": "assistant", "content": None, "tool_calls": None},
        {"role": "user", "content": ""},
    ]
    runs, ledger = read_runs(write_lines({"messages": messages}))
    assert [turn.text for turn in runs[0].turns] == [parts, None, None]
    assert ledger.malformed == 0


def test_a_swe_agent_trajectory_has_its_tool_calls(read_runs: Any, data: Path) -> None:
    path = data / "swe_agent/marshmallow-1867_function_calling_replace.traj.json"
    (run,), _ = read_runs(path)
    names = [name for name, _ in calls_of(run)]
    assert names[:4] == ["create", "insert", "bash", "bash"]
    assert (len(names), len(results_of(run))) == (11, 11)
    assert (run.agent, run.attributes["exit_status"]) == ("main", "submitted")


def test_text_actions_of_an_older_trajectory_are_calls_of_the_shell(
    read_runs: Any, data: Path
) -> None:
    (run,), _ = read_runs(data / "swe_agent/test-repo-i1.traj.json")
    calls = calls_of(run)
    assert calls[0] == ("bash", {"command": 'find_file "missing_colon.py"'})
    assert (len(calls), len(results_of(run))) == (5, 4)


def test_a_demonstration_is_history_and_no_call(read_runs: Any, tmp_path: Path) -> None:
    demo = {"role": "assistant", "content": "ls", "action": "ls", "is_demo": True}
    history = [{**USER, "is_demo": True}, demo, {"role": "user", "content": "real"}]
    path = tmp_path / "x.traj"
    path.write_text(json.dumps({"trajectory": [], "history": history}), encoding="utf-8")
    (run,), _ = read_runs(path)
    assert calls_of(run) == []
    assert [turn.example for turn in run.turns] == [True, True, False]


def test_a_trajectory_without_history_is_read_from_its_steps(
    read_runs: Any, tmp_path: Path
) -> None:
    steps = [{"action": "ls\n", "observation": "a b", "response": "let me look"}, "broken"]
    path = tmp_path / "x.traj"
    path.write_text(json.dumps({"trajectory": steps}), encoding="utf-8")
    (run,), ledger = read_runs(path)
    assert calls_of(run) == [("bash", {"command": "ls"})]
    assert results_of(run) == ["a b"]
    assert ledger.malformed == 1


@pytest.mark.parametrize(("name", "count"), [("mini_local", 2), ("mini_github_issue", 10)])
def test_fenced_commands_of_mini_swe_agent_are_calls(
    read_runs: Any, data: Path, name: str, count: int
) -> None:
    (run,), _ = read_runs(data / f"swe_agent/{name}.traj.json")
    calls = calls_of(run)
    assert {tool for tool, _ in calls} == {"bash"}
    assert (len(calls), len(results_of(run))) == (count, count)


def test_an_answer_with_two_commands_runs_none(read_runs: Any, tmp_path: Path) -> None:
    block = "```mswea_bash_command\nls\n```"
    messages = [
        {"role": "user", "content": "do"},
        {"role": "assistant", "content": f"{block}\n{block}"},
        {"role": "user", "content": "one command only, please"},
    ]
    path = tmp_path / "x.json"
    path.write_text(json.dumps(messages), encoding="utf-8")
    (run,), _ = read_runs(path)
    assert (calls_of(run), results_of(run)) == ([], [])


def test_a_newer_mini_trajectory_has_tool_calls_and_a_model(read_runs: Any, tmp_path: Path) -> None:
    call = {"id": "1", "function": {"name": "bash", "arguments": '{"command": "ls"}'}}
    document = {
        "info": {"mini_version": "2.0.0", "config": {"model": {"model_name": "m"}}},
        "messages": [
            USER,
            {"role": "assistant", "content": "", "tool_calls": [call]},
            {"role": "tool", "tool_call_id": "1", "content": "a"},
            {"role": "exit", "content": "the patch"},
        ],
        "trajectory_format": "mini-swe-agent-1.1",
    }
    path = tmp_path / "x.traj.json"
    path.write_text(json.dumps(document), encoding="utf-8")
    (run,), ledger = read_runs(path)
    assert calls_of(run) == [("bash", '{"command": "ls"}')]
    assert (run.model, ledger.malformed) == ("m", 0)
    assert run.turns[-1].final


def test_an_unknown_format_is_refused_with_what_was_seen_and_what_is_known(
    read_runs: Any, write_lines: Any
) -> None:
    runs, ledger = read_runs(write_lines({"silly": 1, "keys": 2}, {"silly": 2}))
    assert runs == []
    (refused,) = ledger.unreadable
    assert "an object with the keys silly, keys" in refused["reason"]
    for name in ("OpenAI", "Claude Code", "SWE-agent", "mini-swe-agent"):
        assert name in refused["reason"]


def test_an_input_that_cannot_be_read_does_not_stop_the_others(
    read_runs: Any, write_lines: Any, tmp_path: Path
) -> None:
    runs, ledger = read_runs(tmp_path / "missing.jsonl", tmp_path, write_lines([USER]))
    assert len(runs) == 1
    assert len(ledger.unreadable) == 2


def test_an_input_of_malformed_lines_only_is_refused(read_runs: Any, write_lines: Any) -> None:
    _, ledger = read_runs(write_lines("oops", "more"))
    assert ledger.malformed == 2
    assert len(ledger.unreadable) == 1


@pytest.mark.parametrize("name", NAMES)
def test_a_forced_format_never_crashes_on_another(
    read_runs: Callable[..., Any], write_lines: Any, name: str
) -> None:
    runs, ledger = read_runs(write_lines({"type": "user"}, [USER], 42, None), forced=name)
    assert len(runs) + ledger.malformed >= 3
