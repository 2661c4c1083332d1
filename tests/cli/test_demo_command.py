"""``hookctl demo``."""

from __future__ import annotations

from typing import Any

import pytest

GUARD = """
    from hookcore import HookAborted, hookimpl

    class Plugin:
        @hookimpl(tools=["delete_*"], gate=True)
        def pre_tool_call(self, ctx):
            raise HookAborted("deletes are off", message="Deleting is switched off.")

        @hookimpl
        def setup_message(self, ctx):
            if "forbidden" in ctx.payload:
                raise HookAborted("a word", message="Not that word.")
"""


@pytest.fixture
def demo(shell: Any) -> Any:
    shell.install("guard", GUARD)
    shell.config.write_text("[plugins.guard]\nenabled = true\n")
    return shell


def test_a_denied_call_is_shown_with_the_decision_and_the_answer(demo: Any) -> None:
    result = demo("demo", "--message", "delete notes.txt")
    assert result.code == 0
    assert "> delete notes.txt" in result.out
    assert "[pre_tool_call delete_file] aborted: guard deny (deletes are off)" in result.out
    assert "denied by guard.pre_tool_call: Deleting is switched off." in result.out


def test_an_allowed_call_is_shown_with_its_result(demo: Any) -> None:
    result = demo("demo", "--message", "list")
    assert "tool list_files {}" in result.out
    assert 'That came of it: ["keys.txt", "notes.txt"]' in result.out


def test_a_refused_input_is_told_by_its_message(demo: Any) -> None:
    result = demo("demo", "--message", "the forbidden one")
    assert (result.code, "refused: Not that word." in result.out) == (0, True)


def test_it_talks_line_by_line_until_the_input_ends(demo: Any) -> None:
    result = demo("demo", stdin="read notes.txt\nhello\n")
    assert result.code == 0
    assert "Call Ana" in result.out
    assert "I am a script" in result.out


def test_an_interrupt_ends_it_as_shells_know_it(demo: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object, **__: object) -> str:
        raise KeyboardInterrupt

    monkeypatch.setattr("hookcore_agent.demo._asked", interrupted)
    assert demo("demo").code == 130


def test_without_plugins_it_says_that_everything_is_allowed(shell: Any) -> None:
    result = shell("demo", "--message", "hello")
    assert result.code == 0
    assert "No plugin is enabled" in result.err


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--model", "gpt"], "'scripted' or 'openai:NAME'"),
        (["--model", "openai:"], "'scripted' or 'openai:NAME'"),
        (["--base-url", "http://localhost:1"], "goes with --model openai:NAME"),
    ],
)
def test_a_wrong_choice_is_a_usage_error(shell: Any, arguments: list[str], told: str) -> None:
    result = shell("demo", *arguments)
    assert (result.code, told in result.err) == (2, True)


def test_a_server_that_cannot_be_reached_is_told_without_a_traceback(shell: Any) -> None:
    arguments = ["--model", "openai:x", "--base-url", "http://127.0.0.1:9/v1", "--message", "hi"]
    result = shell("demo", *arguments)
    assert result.code == 2
    assert "error: " in result.err
    assert "Traceback" not in result.err


def test_what_changes_nothing_is_shown_only_when_it_is_asked_for(demo: Any) -> None:
    short, whole = (demo("demo", "--message", "list", *more).out for more in ([], ["--all"]))
    assert "[setup_message] proceeded: guard allow" in whole
    assert "setup_message" not in short
