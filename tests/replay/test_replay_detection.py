"""Each format takes its own files, and none of another's."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hookctl.replay.formats import (
    NAMES,
    anthropic,
    claude_code,
    exchanges,
    langsmith,
    mini_swe_agent,
    openai,
    openai_agents,
    otlp,
    recorded,
    responses,
    swe_agent,
)

DATA = Path(__file__).parent / "data"
EXAMPLES = Path(__file__).parents[2] / "examples" / "transcripts"
FORMATS = [
    anthropic,
    claude_code,
    langsmith,
    mini_swe_agent,
    openai_agents,
    otlp,
    recorded,
    responses,
    swe_agent,
]
ITEM = {"type": "function_call", "call_id": "c", "name": "f", "arguments": "{}"}
BLOCK = {"type": "tool_use", "id": "c", "name": "f", "input": {}}
CALL = {"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}}
USER = {"role": "user", "content": "hi"}


def first(path: Path) -> Any:
    text = path.read_text(encoding="utf-8")
    try:
        return json.loads(text)
    except json.JSONDecodeError:
        return json.loads(text.splitlines()[0])


@pytest.mark.parametrize(
    ("file", "owner"),
    [
        ("claude_code_sessions/session_b.jsonl", claude_code),
        ("langsmith/langchain_agent.jsonl", langsmith),
        ("langsmith/wrap_openai.json", langsmith),
        ("openai_agents/handoff.jsonl", openai_agents),
        ("swe_agent/marshmallow-1867_function_calling_replace.traj.json", swe_agent),
        ("swe_agent/mini_local.traj.json", mini_swe_agent),
    ],
)
def test_a_file_is_of_one_format(file: str, owner: object) -> None:
    value = first(DATA / file)
    assert [one for one in FORMATS if one.recognises(value)] == [owner]
    assert exchanges.dialect_of(value) is None


@pytest.mark.parametrize("folder", ["responses", "anthropic"])
def test_a_file_of_calls_is_of_one_api_and_of_no_format_of_runs(folder: str) -> None:
    owner = {"responses": responses, "anthropic": anthropic}[folder]
    for path in (DATA / folder).glob("*.jsonl"):
        value = first(path)
        assert exchanges.dialect_of(value) is owner
        assert [one for one in [*FORMATS, openai] if one.recognises(value)] == []


@pytest.mark.parametrize(
    ("value", "owner"),
    [
        ([USER, ITEM], responses),
        ({"input": [USER], "model": "m"}, responses),
        ({"input": "hi", "output": [ITEM]}, responses),
        ([USER, {"role": "assistant", "content": [BLOCK]}], anthropic),
        ({"system": "be brief", "messages": [USER]}, anthropic),
    ],
)
def test_a_run_is_told_by_what_only_its_api_writes(value: object, owner: object) -> None:
    assert [one for one in FORMATS if one.recognises(value)] == [owner]


@pytest.mark.parametrize(
    "value",
    [
        [USER, {"role": "assistant", "content": None, "tool_calls": [CALL]}],
        {"messages": [USER], "model": "m", "max_tokens": 9},
        {
            "system": "x",
            "messages": [{"role": "assistant", "content": [BLOCK], "tool_calls": [CALL]}],
        },
    ],
)
def test_chat_messages_stay_what_they_are(value: object) -> None:
    assert openai.recognises(value)
    assert [one for one in FORMATS if one.recognises(value)] == []


@pytest.mark.parametrize(
    "value",
    [
        {"input": ["a text", "another"], "model": "embed"},
        {"input": "a text", "model": "embed"},
        {"request": {"url": "x"}, "response": {"status": 200}},
        {"run_type": "llm"},
        {"object": "list", "data": []},
        {"object": "trace.span"},
        {"type": "message", "content": []},
    ],
)
def test_what_only_looks_alike_is_of_none(value: object, write_lines: Callable[..., Path]) -> None:
    assert [one for one in [*FORMATS, openai] if one.recognises(value)] == []
    assert exchanges.dialect_of(value) is None


def test_the_recorded_chats_of_the_examples_stay_openai() -> None:
    value = first(EXAMPLES / "tau_airline_gpt4o_40.jsonl")
    assert openai.recognises(value)
    assert [one for one in FORMATS if one.recognises(value)] == []


def test_every_format_has_its_row_in_the_documentation() -> None:
    page = (Path(__file__).parents[2] / "docs" / "transcripts.md").read_text(encoding="utf-8")
    assert [name for name in NAMES if page.count(f"\n| `{name}` |") != 1] == []
