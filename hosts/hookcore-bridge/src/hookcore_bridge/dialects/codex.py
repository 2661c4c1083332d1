"""Codex CLI: no key outside of its schema, and a changed call only together with "allow"."""

from __future__ import annotations

from types import MappingProxyType
from typing import Final

from .model import Dialect, Event, Keys, Slot, events

__all__ = ["DIALECT"]

_BLOCK: Final = {"decision": "block", "reason": Slot.REASON}

DIALECT: Final = Dialect(
    client="codex",
    title="Codex CLI",
    package="@openai/codex",
    tested=("0.171.0", "0.172"),
    events=events(
        Event(name="SessionStart", role="session_start"),
        Event(name="SessionEnd", role="session_end"),
        Event(
            name="UserPromptSubmit",
            role="prompt",
            deny=_BLOCK,
            context={
                "hookSpecificOutput": {
                    "hookEventName": "UserPromptSubmit",
                    "additionalContext": Slot.CONTEXT,
                }
            },
        ),
        Event(
            name="PreToolUse",
            role="tool_before",
            deny={
                "hookSpecificOutput": {
                    "hookEventName": "PreToolUse",
                    "permissionDecision": "deny",
                    "permissionDecisionReason": Slot.REASON,
                }
            },
            rewrite={
                "hookSpecificOutput": {
                    "hookEventName": "PreToolUse",
                    "permissionDecision": "allow",
                    "updatedInput": Slot.INPUT,
                }
            },
        ),
        # The reason of a block takes the result's place.
        Event(
            name="PostToolUse",
            role="tool_after",
            deny=_BLOCK,
            replace={"decision": "block", "reason": Slot.OUTPUT},
        ),
        Event(name="Stop", role="answer"),
    ),
    keys=Keys(
        agent="agent_type",
        agent_id="agent_id",
        extra=("model", "permission_mode", "transcript_path", "turn_id"),
    ),
    tools=MappingProxyType(
        {
            "Bash": "shell",
            "shell": "shell",
            "exec_command": "shell",
            "local_shell": "shell",
            "write_stdin": "shell_input",
            "apply_patch": "patch",
            "web_search": "search",
        }
    ),
    unseen=(
        "What is typed with write_stdin into a shell that runs fires no hook.",
        "A patch that is applied by a shell command has no end that a hook is told of.",
    ),
)
