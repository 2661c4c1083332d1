from __future__ import annotations

from typing import Any

import pytest

from hookcore_shell_guard.tools import (
    SHELL_TOOLS,
    UnreadableCommandError,
    command_arguments,
    commands_of,
)


@pytest.mark.parametrize(
    "tool",
    ["Bash", "bash", "run_shell_command", "exec_command", "shell", "execute_command", "terminal",
     "mcp__server__run_command", "Run Shell Command", "Monitor", "run_in_terminal"],
)  # fmt: skip
def test_a_shell_tool_is_known_however_its_name_is_written(tool: str) -> None:
    assert command_arguments(tool)


@pytest.mark.parametrize("tool", ["Read", "write_file", "bash_history_viewer", "grep", ""])
def test_another_tool_is_none(tool: str) -> None:
    assert commands_of(tool, {"command": "rm -rf /"}) == []


def test_every_argument_that_may_hold_a_command_is_taken() -> None:
    found = commands_of("exec_command", {"cmd": "ls", "command": "pwd"})
    assert [(item.text, item.argument) for item in found] == [("ls", "cmd"), ("pwd", "command")]


def test_a_list_of_words_is_not_split_again() -> None:
    assert commands_of("shell", {"command": ["echo", "a; rm -rf /"]})[0].text == (
        "echo 'a; rm -rf /'"
    )


def test_the_operator_s_tools_are_known_too() -> None:
    assert commands_of("do_it", {"script": "ls"}, {"do_it": ("script",)})[0].text == "ls"


@pytest.mark.parametrize(
    "arguments", ["ls", None, ["ls"], {"command": 1}, {"command": [1]}, {"text": "ls"}]
)
def test_a_call_without_a_readable_command_is_an_error(arguments: Any) -> None:
    with pytest.raises(UnreadableCommandError):
        commands_of("Bash", arguments)


def test_a_call_that_gives_nothing_runs_nothing() -> None:
    assert commands_of("Bash", {}) == []
    assert commands_of("bash", {"restart": True}) == []


def test_what_is_typed_into_a_shell_is_a_command_and_a_key_is_none() -> None:
    assert commands_of("write_stdin", {"chars": "\x03"}) == []
    assert commands_of("write_stdin", {"chars": "rm -rf /\n"})[0].text == "rm -rf /"


def test_another_shell_s_command_is_marked() -> None:
    assert commands_of("powershell", {"command": "ls"})[0].foreign


def test_the_table_cannot_be_changed() -> None:
    with pytest.raises(TypeError):
        SHELL_TOOLS["x"] = ("y",)  # type: ignore[index]
