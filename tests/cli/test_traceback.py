"""``fire --traceback`` and ``replay --traceback``: where and why a hook failed."""

from __future__ import annotations

import json
from typing import Any

import pytest

CODE = """
from hookcore import hookimpl

class Plugin:
    @hookimpl
    def pre_tool_call(self, ctx):
        return self.judged(ctx.tool_input)

    def judged(self, given):
        try:
            return given["missing"]
        except KeyError as error:
            raise ValueError("no such key") from error

    @hookimpl
    def post_tool_call(self, ctx):
        return 1 / 0 if ctx.tool_result == "divide" else None
"""


def run(content: str) -> dict[str, Any]:
    call = {"id": "1", "function": {"name": "ls", "arguments": "{}"}}
    return {
        "messages": [
            {"role": "assistant", "content": None, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": "1", "content": content},
        ]
    }


@pytest.fixture
def failing(shell: Any) -> Any:
    """The shell with a plugin whose hooks fail, and runs that it fails on."""
    shell.install("broken", CODE)
    shell.config.write_text("[plugins.broken]\nenabled = true\n")
    lines = [json.dumps(run(content)) for content in ("divide", "divide", "fine")]
    (shell.folder / "runs.jsonl").write_text("\n".join(lines))
    return shell


def fire(shell: Any, *arguments: str) -> Any:
    return shell("fire", "pre_tool_call", "--tool", "ls", "--payload", "{}", *arguments)


def test_fire_shows_the_authors_frames_and_the_cause(failing: Any) -> None:
    told = fire(failing, "--traceback").err
    assert "broken: pre_tool_call failed:" in told
    assert "ValueError: no such key" in told
    assert "KeyError: 'missing'" in told
    assert "return self.judged(ctx.tool_input)" in told
    assert "/hookcore/dispatch/" not in told


def test_fire_says_how_to_see_it(failing: Any) -> None:
    result = fire(failing)
    assert "--traceback shows where and why" in result.err
    assert "no such key" not in result.err


def test_the_answer_of_fire_stays_the_same(failing: Any) -> None:
    def verdicts(*arguments: str) -> list[tuple[str, str]]:
        told = fire(failing, "--json", *arguments).json
        return [(record["verdict"], record["error"]) for record in told["records"]]

    assert verdicts("--traceback") == verdicts()
    assert [verdict for verdict, _ in verdicts()] == ["error"]


def test_replay_shows_each_failure_once_with_its_number(failing: Any) -> None:
    result = failing("replay", "runs.jsonl", "--traceback", "--json")
    assert "broken: pre_tool_call failed, 3 times:" in result.err
    assert "broken: post_tool_call failed, 2 times:" in result.err
    assert result.err.count("ZeroDivisionError: division by zero") == 1
    assert result.json["summary"]["errors"] == 5


def test_replay_says_how_to_see_it(failing: Any) -> None:
    assert "--traceback shows where and why" in failing("replay", "runs.jsonl").err


def test_replay_in_several_processes_refuses_it(failing: Any) -> None:
    result = failing("replay", "runs.jsonl", "--traceback", "--jobs", "2")
    assert result.code == 2
    assert "--traceback is for one process" in result.err
