"""The events that the clients were seen to tell, read by their dialects."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hookcore_bridge.dialects import CLIENTS, MalformedError, read

SAMPLES = Path(__file__).parent / "samples"
Sample = Callable[..., dict[str, Any]]
SHELL = {
    "claude-code": ("PreToolUse", "PostToolUse", "Bash"),
    "codex": ("PreToolUse", "PostToolUse", "Bash"),
    "gemini-cli": ("BeforeTool", "AfterTool", "run_shell_command"),
    "qwen-code": ("PreToolUse", "PostToolUse", "run_shell_command"),
    "copilot": ("preToolUse", "postToolUse", "bash"),
    "opencode": ("tool.execute.before", "tool.execute.after", "bash"),
}


@pytest.mark.parametrize("client", CLIENTS)
def test_every_recorded_event_is_read_or_is_none_that_policies_are_asked_about(client: str) -> None:
    dialect, read_roles = CLIENTS[client], set()
    for line in (SAMPLES / f"{client}.jsonl").read_text(encoding="utf-8").splitlines():
        fact = json.loads(line)
        name = fact.get("hook_event_name") or fact.get("event")
        if name in dialect.events:
            occurrence = read(dialect, fact)
            read_roles.add(occurrence.event.role)
            assert (occurrence.event.name, occurrence.cwd) == (name, "/project")
    # Copilot tells no event's name; Qwen Code was not seen to end a session.
    told = set() if client == "copilot" else {event.role for event in dialect.events.values()}
    assert read_roles == told - ({"session_end"} if client == "qwen-code" else set())


@pytest.mark.parametrize("client", CLIENTS)
def test_both_ends_of_a_shell_command_are_read(client: str, sample: Sample) -> None:
    dialect = CLIENTS[client]
    begins, ends, tool = SHELL[client]
    before = read(dialect, sample(client, begins), begins)
    after = read(dialect, sample(client, ends), ends)
    assert (before.tool, after.tool) == (tool, tool)
    assert before.tool_input["command"].startswith("echo hi")
    assert before.call_id == after.call_id
    assert {"Bash", "shell", "run_shell_command", "exec_command"} <= {tool, *before.aliases}
    assert "hi" in str(after.result)
    assert (before.event.role, after.event.role) == ("tool_before", "tool_after")


@pytest.mark.parametrize(
    ("client", "event", "tool"),
    [
        ("claude-code", "PostToolUse", "mcp__ev__echo"),
        ("qwen-code", "PostToolUse", "mcp__ev__echo"),
        ("gemini-cli", "BeforeTool", "mcp_ev_echo"),
        ("copilot", "preToolUse", "ev-echo"),
    ],
)
def test_a_tool_of_a_server_is_known_by_its_name_of_mcp(
    client: str, event: str, tool: str, sample: Sample
) -> None:
    key = CLIENTS[client].keys.tool
    occurrence = read(CLIENTS[client], sample(client, event, **{key: tool}), event)
    assert "mcp__ev__echo" in {occurrence.tool, *occurrence.aliases}


def test_a_server_whose_name_is_not_told_may_end_at_each_separator() -> None:
    told = {
        "sessionId": "s", "cwd": "/p", "toolName": "a-b-c", "toolArgs": {},
    }  # fmt: skip
    occurrence = read(CLIENTS["copilot"], told, "preToolUse")
    assert occurrence.aliases == ("mcp__a__b-c", "mcp__a-b__c")


def test_a_prompt_a_failure_and_a_batch_are_read(sample: Sample) -> None:
    dialect = CLIENTS["claude-code"]
    assert read(dialect, sample("claude-code", "UserPromptSubmit")).text == "please do it"
    failed = read(dialect, sample("claude-code", "PostToolUseFailure"))
    assert (failed.error, failed.duration_ms) == ("Exit code 3\nSECRET", 22.0)
    batch = read(dialect, sample("claude-code", "PostToolBatch")).batch
    assert [call["tool_response"] for call in batch] == ["hi\nalpha"]


def test_a_sub_agent_is_told_by_its_kind_and_id(sample: Sample) -> None:
    told = {**sample("claude-code", "PreToolUse"), "agent_id": "a1", "agent_type": "Explore"}
    occurrence = read(CLIENTS["claude-code"], told)
    assert (occurrence.agent, occurrence.agent_id) == ("Explore", "a1")


WRONG: list[tuple[Any, str]] = [
    ([], "not a JSON object"),
    ({"hook_event_name": "PreToolUse"}, "session_id"),
    ({"session_id": "s", "cwd": "project"}, "absolute path"),
    ({"session_id": "s", "cwd": "/p", "tool_name": ""}, "tool_name"),
    ({"session_id": "s", "cwd": "/p", "tool_name": 3}, "tool_name"),
    ({"session_id": "s", "cwd": "/p", "tool_name": "x" * 300}, "256"),
    ({"session_id": "s", "cwd": "/p", "tool_name": "x", "tool_input": [1]}, "tool_input"),
    ({"hook_event_name": "PostToolUse", "session_id": "s", "cwd": "/p"}, "another event"),
]


@pytest.mark.parametrize(("told", "problem"), WRONG)
def test_what_the_dialect_does_not_know_is_refused_with_the_key(told: Any, problem: str) -> None:
    with pytest.raises(MalformedError, match=problem):
        read(CLIENTS["claude-code"], told, "PreToolUse")


def test_an_unknown_event_is_refused_and_a_missing_one_is_asked_for(sample: Sample) -> None:
    with pytest.raises(MalformedError, match="no event 'PreCompact'"):
        read(CLIENTS["claude-code"], {"hook_event_name": "PreCompact"})
    with pytest.raises(MalformedError, match="give it behind the client"):
        read(CLIENTS["copilot"], sample("copilot", "preToolUse"))


def test_a_result_of_another_form_than_most_is_seen_whole(sample: Sample) -> None:
    told = {**sample("gemini-cli", "AfterTool"), "tool_response": {"error": "gone"}}
    assert read(CLIENTS["gemini-cli"], told).result == {"error": "gone"}
    told.pop("tool_response")
    with pytest.raises(MalformedError, match="tool_response"):
        read(CLIENTS["gemini-cli"], told)
