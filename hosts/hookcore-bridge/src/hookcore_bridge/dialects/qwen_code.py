"""Qwen Code: Claude Code's events with Gemini CLI's tools; it takes no changed arguments."""

from __future__ import annotations

from typing import Final

from .gemini_cli import TOOLS
from .model import Dialect, Event, Keys, Slot, events

__all__ = ["DIALECT"]

# The reason takes the result's place; a block or an exit code of 2 lets the result through.
_STOP: Final = {"continue": False, "stopReason": Slot.REASON}
_REPLACE: Final = {"continue": False, "stopReason": Slot.OUTPUT}

DIALECT: Final = Dialect(
    client="qwen-code",
    title="Qwen Code",
    package="@qwen-code/qwen-code",
    tested=("0.24.4", "0.25"),
    events=events(
        Event(name="SessionStart", role="session_start"),
        Event(name="SessionEnd", role="session_end"),
        Event(
            name="UserPromptSubmit",
            role="prompt",
            deny={"decision": "block", "reason": Slot.REASON},
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
        ),
        Event(
            name="PostToolUse",
            role="tool_after",
            deny=_STOP,
            replace=_REPLACE,
            exit_denies=False,
        ),
        # The result of a failed call is kept from the model by the batch that it ends.
        Event(
            name="PostToolUseFailure",
            role="tool_failed",
            context={
                "hookSpecificOutput": {
                    "hookEventName": "PostToolUseFailure",
                    "additionalContext": Slot.CONTEXT,
                }
            },
        ),
        Event(
            name="PostToolBatch",
            role="tool_batch",
            deny={"decision": "block", "reason": Slot.REASON},
            exit_denies=False,
        ),
        Event(name="Stop", role="answer"),
    ),
    keys=Keys(
        result="tool_response.llmContent",
        call_id="tool_call_id",
        error="error",
        duration="duration_ms",
        agent="agent_type",
        agent_id="agent_id",
        extra=("permission_mode", "prompt_id", "transcript_path"),
    ),
    tools=TOOLS,
)
