"""The tools of agents that take shell commands, and where in their arguments these stand."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping, Sequence
from functools import lru_cache
from types import MappingProxyType
from typing import Final, NamedTuple

from hookcore import sanitize_tool_name

__all__ = [
    "FOREIGN_TOOLS",
    "SHELL_TOOLS",
    "ShellCommand",
    "UnreadableCommandError",
    "command_arguments",
    "commands_of",
]

SHELL_TOOLS: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        # Claude Code, Codex, Gemini CLI, Copilot CLI, Cursor, Cline and others, OpenHands,
        # SWE-agent, LangChain, smolagents and MCP servers, by the names that models write.
        "bash": ("command", "cmd"),
        "monitor": ("command",),
        "shell": ("command", "cmd", "commands"),
        "exec_command": ("cmd", "command"),
        "local_shell": ("command",),
        "local_shell_call": ("command",),
        "unified_exec": ("cmd", "command", "input"),
        "write_stdin": ("chars",),
        "run_shell_command": ("command",),
        "shell_command": ("command",),
        "run_terminal_cmd": ("command",),
        "run_terminal_command": ("command",),
        "run_in_terminal": ("command",),
        "run_command": ("command", "cmd", "CommandLine"),
        "run_bash": ("command", "cmd"),
        "run_shell": ("command", "cmd"),
        "before_shell_execution": ("command",),
        "execute_command": ("command", "cmd"),
        "execute_bash": ("command", "cmd"),
        "execute_shell": ("command", "cmd"),
        "execute_shell_command": ("command", "cmd"),
        "exec": ("command", "cmd"),
        "terminal": ("command", "commands", "cmd"),
        "terminal_tool": ("command", "commands"),
        "bash_tool": ("command", "commands", "cmd"),
        "shell_tool": ("command", "commands", "cmd"),
        "sh": ("command", "cmd"),
        "zsh": ("command", "cmd"),
        "cmd_run": ("command",),
        "developer__shell": ("command",),
        "start_process": ("command",),
        "bash_command": ("command",),
        "system": ("command", "cmd"),
    }
)
"""Sanitised tool names, each with the arguments that may hold its command."""

FOREIGN_TOOLS: Final = frozenset({"powershell", "pwsh", "cmd", "cmd_exe", "fish", "nushell", "nu"})
"""Sanitised names of tools whose commands are another shell's: they cannot be read."""

# Names come from a model, so what is remembered about them is bounded.
_NAMES_KEPT: Final = 1024
_KEYS: Final = "".join(map(chr, (*range(32), 127)))
_FOREIGN_ARGUMENTS: Final = ("command", "cmd", "script", "code")


class UnreadableCommandError(ValueError):
    """A shell tool's arguments hold no command that can be read."""


class ShellCommand(NamedTuple):
    """A command that a call runs.

    Args:
        text: the command for bash; for a list of words that no shell splits, the words quoted.
        argument: the argument that it stands in.
        foreign: tells that another shell than bash and its kin runs it.
    """

    text: str
    argument: str
    foreign: bool = False


def command_arguments(
    tool: str, extra: Mapping[str, Sequence[str]] | None = None
) -> tuple[str, ...]:
    """Return the arguments of a tool that may hold a command; empty when it is no shell tool.

    Args:
        tool: the tool's name as the model wrote it; names of MCP tools match by their last part.
        extra: further tools, by sanitised name.
    """
    for known in _forms(tool):
        if extra and known in extra:
            return tuple(extra[known])
        if known in SHELL_TOOLS:
            return SHELL_TOOLS[known]
        if known in FOREIGN_TOOLS:
            return _FOREIGN_ARGUMENTS
    return ()


def commands_of(
    tool: str, arguments: object, extra: Mapping[str, Sequence[str]] | None = None
) -> list[ShellCommand]:
    """Return the commands that a call runs; empty when the tool is no shell tool.

    Args:
        tool: the tool's name as the model wrote it.
        arguments: the call's arguments.
        extra: further tools, by sanitised name, with the arguments that hold their commands.

    Raises:
        UnreadableCommandError: the tool runs commands, and the arguments hold none, or hold it as
            something else than a text or a list of texts.
    """
    places = command_arguments(tool, extra)
    if not places:
        return []
    raise_for = f"the arguments of {_forms(tool)[0][:64]}"
    if not isinstance(arguments, Mapping):
        raise UnreadableCommandError(f"{raise_for} are no table")
    foreign = not FOREIGN_TOOLS.isdisjoint(_forms(tool))
    found = [
        ShellCommand(_text(arguments[place], raise_for), place, foreign)
        for place in places
        if arguments.get(place) is not None
    ]
    if "write_stdin" in _forms(tool):
        # Keys such as Ctrl-C are no command; what is typed into a shell is one.
        found = [item._replace(text=item.text.strip(_KEYS)) for item in found]
        return [item for item in found if item.text]
    if not found and any(value and not isinstance(value, bool) for value in arguments.values()):
        raise UnreadableCommandError(f"{raise_for} hold no command")
    return found


@lru_cache(_NAMES_KEPT)
def _forms(tool: str) -> tuple[str, str]:
    """Return a tool's sanitised name, whole and without the name of its server."""
    return sanitize_tool_name(tool), sanitize_tool_name(re.split(r"__|[.:/]", tool)[-1])


def _text(value: object, where: str) -> str:
    """Return the command in an argument; a list of words is not split again."""
    if isinstance(value, str):
        return value
    if isinstance(value, list | tuple) and all(isinstance(word, str) for word in value):
        return shlex.join(value)
    raise UnreadableCommandError(f"{where} hold a command that is no text")
