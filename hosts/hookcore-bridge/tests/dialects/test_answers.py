"""The answers that each client was seen to heed; any other form would let pass in silence."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from hookcore_bridge.dialects import (
    CLIENTS,
    adding,
    as_text,
    denying,
    failing,
    read,
    replacing,
    rewriting,
    withholding,
)

Sample = Callable[..., dict[str, Any]]


def specific(event: str, **answer: Any) -> dict[str, Any]:
    return {"hookSpecificOutput": {"hookEventName": event, **answer}}


DENIALS = [
    (
        "claude-code",
        "PreToolUse",
        specific("PreToolUse", permissionDecision="deny", permissionDecisionReason="no"),
    ),
    ("claude-code", "UserPromptSubmit", {"decision": "block", "reason": "no"}),
    ("claude-code", "PostToolBatch", {"continue": False, "stopReason": "no"}),
    (
        "codex",
        "PreToolUse",
        specific("PreToolUse", permissionDecision="deny", permissionDecisionReason="no"),
    ),
    ("codex", "PostToolUse", {"decision": "block", "reason": "no"}),
    ("gemini-cli", "BeforeTool", {"decision": "deny", "reason": "no"}),
    ("gemini-cli", "AfterTool", {"decision": "deny", "reason": "no"}),
    (
        "qwen-code",
        "PreToolUse",
        specific("PreToolUse", permissionDecision="deny", permissionDecisionReason="no"),
    ),
    ("qwen-code", "PostToolUse", {"continue": False, "stopReason": "no"}),
    ("qwen-code", "PostToolBatch", {"decision": "block", "reason": "no"}),
    ("copilot", "preToolUse", {"permissionDecision": "deny", "permissionDecisionReason": "no"}),
    ("copilot", "userPromptSubmitted", {"decision": "block", "reason": "no"}),
    ("opencode", "tool.execute.before", {"deny": "no"}),
]


@pytest.mark.parametrize(("client", "event", "answer"), DENIALS)
def test_a_denial_is_said_in_the_clients_own_words(
    client: str, event: str, answer: dict[str, Any]
) -> None:
    assert denying(CLIENTS[client].events[event], "no") == answer


@pytest.mark.parametrize("client", CLIENTS)
def test_no_denial_is_without_a_reason(client: str) -> None:
    for event in CLIENTS[client].events.values():
        for reason in ("", " \n"):
            answer = denying(event, reason)
            assert answer is None or "(empty)" in json.dumps(answer)


def test_a_changed_call_is_allowed_only_where_that_is_what_it_takes() -> None:
    new = {"command": "ls"}
    answers = {
        client: rewriting(dialect.events[event], new)
        for client, event in (
            ("claude-code", "PreToolUse"),
            ("codex", "PreToolUse"),
            ("gemini-cli", "BeforeTool"),
            ("qwen-code", "PreToolUse"),
            ("copilot", "preToolUse"),
            ("opencode", "tool.execute.before"),
        )
        for dialect in [CLIENTS[client]]
    }
    assert answers == {
        "claude-code": specific("PreToolUse", updatedInput=new),
        "codex": specific("PreToolUse", permissionDecision="allow", updatedInput=new),
        "gemini-cli": specific("BeforeTool", tool_input=new),
        "qwen-code": None,
        "copilot": {"modifiedArgs": new},
        "opencode": {"input": new},
    }


def test_text_is_added_where_a_client_takes_it() -> None:
    event = CLIENTS["codex"].events["UserPromptSubmit"]
    assert adding(event, "more") == specific("UserPromptSubmit", additionalContext="more")
    assert adding(CLIENTS["codex"].events["PreToolUse"], "more") is None


def after(sample: Sample, client: str, event: str, **facts: Any) -> Any:
    return read(CLIENTS[client], sample(client, event, **facts), event)


def test_a_result_that_keeps_its_shape_is_replaced_as_it_is(sample: Sample) -> None:
    occurrence = after(sample, "claude-code", "PostToolUse", tool_name="Write")
    new = {**occurrence.result, "content": "x"}
    assert replacing(occurrence, new) == specific("PostToolUse", updatedToolOutput=new)


@pytest.mark.parametrize("change", [{"type": "other"}, {"content": 3}, {"more": "x"}])
def test_a_result_of_another_shape_is_not_sent_since_it_would_be_ignored(
    change: dict[str, Any], sample: Sample
) -> None:
    occurrence = after(sample, "claude-code", "PostToolUse", tool_name="Write")
    assert replacing(occurrence, {**occurrence.result, **change}) is None
    assert replacing(occurrence, "a text") is None


def test_a_text_takes_the_place_of_a_shell_commands_output_and_nothing_else_is_left(
    sample: Sample,
) -> None:
    occurrence = after(sample, "claude-code", "PostToolUse", tool_name="Bash")
    occurrence.result["stderr"] = "SECRET"
    answer = replacing(occurrence, "short")
    assert answer is not None
    new = answer["hookSpecificOutput"]["updatedToolOutput"]
    assert new == {**occurrence.result, "stdout": "short", "stderr": ""}


def test_a_file_is_withheld_in_its_own_shape_and_what_has_none_ends_the_turn(
    sample: Sample,
) -> None:
    occurrence = after(sample, "claude-code", "PostToolUse", tool_name="Read")
    answer = withholding(occurrence, "no")
    assert answer is not None
    new = answer["hookSpecificOutput"]["updatedToolOutput"]
    assert new["file"] == {**occurrence.result["file"], "content": "no"}
    assert new["type"] == "text"
    write = after(sample, "claude-code", "PostToolUse", tool_name="Write")
    assert withholding(write, "no") == {"continue": False, "stopReason": "no"}


def test_a_picture_that_was_read_ends_the_turn(sample: Sample) -> None:
    told = sample("claude-code", "PostToolUse", tool_name="Read")
    told["tool_response"] = {"type": "image", "file": {"base64": "SECRET", "type": "image/png"}}
    occurrence = read(CLIENTS["claude-code"], told)
    assert withholding(occurrence, "no") == {"continue": False, "stopReason": "no"}


def test_a_result_of_a_server_takes_a_text(sample: Sample) -> None:
    occurrence = after(sample, "claude-code", "PostToolUse", tool_name="mcp__ev__echo")
    answer = specific("PostToolUse", updatedToolOutput=[{"type": "text", "text": "no"}])
    assert withholding(occurrence, "no") == answer == replacing(occurrence, "no")


@pytest.mark.parametrize(
    ("client", "event", "answer"),
    [
        ("codex", "PostToolUse", {"decision": "block", "reason": "new"}),
        ("gemini-cli", "AfterTool", {"decision": "deny", "reason": "new"}),
        ("qwen-code", "PostToolUse", {"continue": False, "stopReason": "new"}),
        (
            "copilot",
            "postToolUse",
            {"modifiedResult": {"resultType": "success", "textResultForLlm": "new"}},
        ),
        ("opencode", "tool.execute.after", {"output": "new"}),
    ],
)
def test_elsewhere_a_result_is_replaced_by_a_text(
    client: str, event: str, answer: dict[str, Any], sample: Sample
) -> None:
    assert replacing(after(sample, client, event), "new") == answer


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("a", "a"),
        ("", "(empty)"),
        ([{"text": "a"}, {"type": "text", "text": "b"}], "a\nb"),
        ([{"type": "image", "data": "x"}], '[{"type": "image", "data": "x"}]'),
        ({"é": 1}, '{"é": 1}'),
        (None, "null"),
        ([], "[]"),
    ],
)
def test_a_result_as_a_text_is_never_empty(value: Any, text: str) -> None:
    assert as_text(value) == text


@pytest.mark.parametrize("client", CLIENTS)
def test_a_failure_denies_wherever_something_can_be_denied(client: str) -> None:
    dialect = CLIENTS[client]
    for event in dialect.events.values():
        printed = failing(dialect, event.name, "no daemon")
        assert printed.stderr == "no daemon"
        if event.deny is None:
            assert (printed.stdout, printed.code) == ("", 1)
        elif event.exit_denies:
            assert (printed.stdout, printed.code) == ("", 2)
        else:
            assert json.loads(printed.stdout) == denying(event, "no daemon")
            assert printed.code == 0


def test_a_failure_at_an_unknown_event_denies_by_its_exit_code() -> None:
    assert failing(CLIENTS["codex"], None, "x") == ("", "x", 2)
    assert failing(CLIENTS["codex"], "Other", "x") == ("", "x", 2)
