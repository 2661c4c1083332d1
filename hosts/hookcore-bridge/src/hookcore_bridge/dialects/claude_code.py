"""Claude Code: hooks are commands or HTTP requests, and a result keeps the shape of its tool."""

from __future__ import annotations

from types import MappingProxyType
from typing import Final

from .model import Dialect, Event, Keys, Slot, Template, events

__all__ = ["DIALECT"]


def _specific(event: str, **answer: object) -> Template:
    return {"hookSpecificOutput": {"hookEventName": event, **answer}}


# It ends the turn before the model reads anything more.
_STOP: Final[Template] = {"continue": False, "stopReason": Slot.REASON}

DIALECT: Final = Dialect(
    client="claude-code",
    title="Claude Code",
    package="@anthropic-ai/claude-code",
    tested=("2.1.332", "2.2"),
    events=events(
        Event(name="SessionStart", role="session_start"),
        Event(name="SessionEnd", role="session_end"),
        Event(
            name="UserPromptSubmit",
            role="prompt",
            deny={"decision": "block", "reason": Slot.REASON},
            context=_specific("UserPromptSubmit", additionalContext=Slot.CONTEXT),
        ),
        Event(
            name="PreToolUse",
            role="tool_before",
            deny=_specific(
                "PreToolUse", permissionDecision="deny", permissionDecisionReason=Slot.REASON
            ),
            # Without a permissionDecision the user is still asked, as for any call.
            rewrite=_specific("PreToolUse", updatedInput=Slot.INPUT),
        ),
        Event(
            name="PostToolUse",
            role="tool_after",
            deny=_STOP,
            replace=_specific("PostToolUse", updatedToolOutput=Slot.OUTPUT),
            context=_specific("PostToolUse", additionalContext=Slot.CONTEXT),
            keeps_shape=True,
            exit_denies=False,
        ),
        # The result of a failed call cannot be replaced, nor the model kept from it here: the
        # batch that ends with it is stopped.
        Event(
            name="PostToolUseFailure",
            role="tool_failed",
            context=_specific("PostToolUseFailure", additionalContext=Slot.CONTEXT),
        ),
        Event(name="PostToolBatch", role="tool_batch", deny=_STOP, exit_denies=False),
        Event(name="Stop", role="answer"),
    ),
    keys=Keys(
        error="error",
        duration="duration_ms",
        agent="agent_type",
        agent_id="agent_id",
        extra=("permission_mode", "prompt_id", "transcript_path"),
    ),
    tools=MappingProxyType(
        {
            "Bash": "shell",
            "Monitor": "shell",
            "Read": "read",
            "Write": "write",
            "Edit": "edit",
            "MultiEdit": "edit",
            "NotebookEdit": "edit",
            "Glob": "glob",
            "Grep": "grep",
            "LS": "list",
            "WebFetch": "fetch",
            "WebSearch": "search",
            "Task": "agent",
            "Agent": "agent",
        }
    ),
    text_places=MappingProxyType({"Bash": "stdout", "Read": "file.content"}),
    unseen=(
        "The text of a file that a prompt mentions with @ goes to the model without a tool call.",
        "Of a long result hooks see the beginning; the model may read the rest from a file.",
    ),
)
