"""Requests to models' APIs with their responses: conversations become runs."""

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
USER = {"role": "user", "content": "delete x"}
CALL = {"id": "c1", "type": "function", "function": {"name": "delete", "arguments": "{}"}}
ASKS = {"role": "assistant", "content": None, "tool_calls": [CALL]}
TOLD = {"role": "tool", "tool_call_id": "c1", "content": "gone"}
DONE = {"role": "assistant", "content": "it is gone"}


def chat(request: list[Any], answer: Any) -> dict[str, Any]:
    response = {"object": "chat.completion", "model": "m", "choices": [{"message": answer}]}
    return {"request": {"messages": request}, "response": response}


def points(run: Any) -> list[tuple[str, str]]:
    moments = (moment for moment in walk(run) if moment.point.endswith(("model_call", "tool_call")))
    return [(one.point, one.operation.call.name if one.operation.call else "") for one in moments]


LOOP = [
    ("pre_model_call", ""),
    ("post_model_call", ""),
    ("pre_tool_call", "delete"),
    ("post_tool_call", "delete"),
    ("pre_model_call", ""),
    ("post_model_call", ""),
]


def test_a_conversation_of_two_calls_is_one_run(
    read_runs: ReadRuns, write_lines: WriteLines
) -> None:
    path = write_lines(chat([USER], ASKS), chat([USER, ASKS, TOLD], DONE))
    [run], ledger = read_runs(path)
    assert (points(run), run.model, ledger.malformed) == (LOOP, "m", 0)


def test_conversations_may_be_mixed(read_runs: ReadRuns, write_lines: WriteLines) -> None:
    other = {"role": "user", "content": "other"}
    path = write_lines(chat([USER], ASKS), chat([other], DONE), chat([USER, ASKS, TOLD], DONE))
    runs, _ = read_runs(path)
    assert [(run.id, len(run.turns)) for run in runs] == [("runs:1", 4), ("runs:2", 2)]


def test_the_same_question_asked_anew_is_a_run_of_its_own(
    read_runs: ReadRuns, write_lines: WriteLines
) -> None:
    runs, _ = read_runs(write_lines(chat([USER], DONE), chat([USER], DONE)))
    assert len(runs) == 2


def test_an_empty_answer_that_a_host_put_into_its_history_changes_nothing(
    read_runs: ReadRuns, write_lines: WriteLines
) -> None:
    empty = {"role": "assistant", "content": ""}
    path = write_lines(chat([USER], ASKS), chat([USER, empty, ASKS, TOLD], DONE))
    [run], _ = read_runs(path)
    assert points(run) == LOOP


def test_bodies_may_be_json_text_and_have_headers_beside_them(
    read_runs: ReadRuns, write_lines: WriteLines
) -> None:
    plain = chat([USER], DONE)
    line = {
        "id": "r7",
        "request": {"method": "POST", "body": json.dumps(plain["request"])},
        "response": {"status": 200, "body": json.dumps(plain["response"])},
    }
    [run], _ = read_runs(write_lines(line))
    assert (run.id, [turn.role for turn in run.turns]) == ("r7", ["user", "assistant"])


def test_an_error_instead_of_an_answer_is_told(
    read_runs: ReadRuns, write_lines: WriteLines
) -> None:
    line = {"request": {"messages": [USER]}, "response": {"error": {"message": "overloaded"}}}
    [run], ledger = read_runs(write_lines(line))
    assert [turn.role for turn in run.turns] == ["user"]
    assert ledger.malformed_lines[0]["reason"] == (
        "a response has no answer: it is an object with the keys error"
    )


def test_batches_of_both_providers_are_read(read_runs: ReadRuns, write_lines: WriteLines) -> None:
    message = {"type": "message", "role": "assistant", "content": [], "stop_reason": "end_turn"}
    lines = [
        {"custom_id": "a", "method": "POST", "url": "/v1/x", "body": {"messages": [USER]}},
        {"custom_id": "b", "response": {"body": chat([], DONE)["response"]}},
        {"custom_id": "c", "result": {"type": "succeeded", "message": message}},
        {"custom_id": "d", "params": {"system": "be brief", "messages": [USER]}},
    ]
    runs, ledger = read_runs(write_lines(*lines))
    assert [(run.id, len(run.turns)) for run in runs] == [("a", 1), ("b", 1), ("c", 1), ("d", 2)]
    assert ledger.malformed == 0


def test_a_line_that_is_cut_off_is_told_with_its_place(
    read_runs: ReadRuns, write_lines: WriteLines
) -> None:
    path = write_lines(chat([USER], ASKS), json.dumps(chat([USER], DONE))[:-9], {"x": 1})
    _, ledger = read_runs(path)
    assert [line["where"] for line in ledger.malformed_lines] == [f"{path}:2", f"{path}:3"]
    assert ledger.malformed_lines[1]["reason"] == (
        "not a request with its response: an object with the keys x"
    )


def chunks(*deltas: dict[str, Any], done: bool = True) -> str:
    events = [
        {"object": "chat.completion.chunk", "model": "m", "choices": [{"index": 0, "delta": delta}]}
        for delta in deltas
    ]
    lines = [f"data: {json.dumps(event)}\n\n" for event in events]
    return "".join([*lines, *(["data: [DONE]\n"] if done else [])])


PIECES = (
    {"role": "assistant", "content": "I will "},
    {"content": "look."},
    {"tool_calls": [{"index": 0, "id": "c1", "function": {"name": "delete", "arguments": ""}}]},
    {"tool_calls": [{"index": 0, "function": {"arguments": '{"path": "x"}'}}]},
)


def test_a_streamed_completion_is_put_together(
    read_runs: ReadRuns, write_lines: WriteLines
) -> None:
    line = {"request": {"messages": [USER]}, "response": chunks(*PIECES)}
    [run], ledger = read_runs(write_lines(line))
    assert (run.turns[1].text, run.model) == ("I will look.", "m")
    [call] = run.turns[1].calls
    assert (call.id, call.name, call.arguments) == ("c1", "delete", '{"path": "x"}')
    assert ledger.malformed == 0


def test_a_stream_that_is_cut_off_is_told_and_read(
    read_runs: ReadRuns, write_lines: WriteLines
) -> None:
    line = {"request": {"messages": [USER]}, "response": chunks(*PIECES[:2], done=False)}
    [run], ledger = read_runs(write_lines(line))
    assert run.turns[1].text == "I will look."
    assert ledger.malformed_lines[0]["reason"] == "a stream of events is cut off"


def test_a_stream_without_a_response_is_told(read_runs: ReadRuns, write_lines: WriteLines) -> None:
    line = {"request": {"messages": [USER]}, "response": "event: ping\ndata: {}\n"}
    _, ledger = read_runs(write_lines(line))
    assert ledger.malformed_lines[0]["reason"].startswith("a stream of events has no response")


def test_many_conversations_are_not_all_kept(read_runs: ReadRuns, write_lines: WriteLines) -> None:
    asked = [[{"role": "user", "content": f"question {at}"}] for at in range(80)]
    runs, _ = read_runs(write_lines(*(chat(one, DONE) for one in asked)))
    assert [run.id for run in runs] == [f"runs:{at}" for at in range(1, 81)]


@pytest.mark.parametrize("forced", [None, "openai"])
def test_calls_of_a_conversation_are_never_torn_apart(forced: str | None) -> None:
    assert not stands_alone(chat([USER], DONE), forced)
