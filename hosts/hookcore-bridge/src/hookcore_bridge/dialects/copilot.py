"""Copilot CLI, with its events registered in camel case, the form that takes changed results."""

from __future__ import annotations

from types import MappingProxyType
from typing import Final

from .model import Dialect, Event, Keys, Slot, events

__all__ = ["DIALECT"]

DIALECT: Final = Dialect(
    client="copilot",
    title="Copilot CLI",
    package="@github/copilot",
    tested=("1.0.102", "1.0.103"),
    events=events(
        Event(name="sessionStart", role="session_start"),
        Event(name="sessionEnd", role="session_end"),
        # An exit code of 2 lets the prompt and the result through.
        Event(
            name="userPromptSubmitted",
            role="prompt",
            deny={"decision": "block", "reason": Slot.REASON},
            context={"additionalContext": Slot.CONTEXT},
            exit_denies=False,
        ),
        # With an exit code of 2 the model would not be told why.
        Event(
            name="preToolUse",
            role="tool_before",
            deny={"permissionDecision": "deny", "permissionDecisionReason": Slot.REASON},
            rewrite={"modifiedArgs": Slot.INPUT},
            context={"additionalContext": Slot.CONTEXT},
            exit_denies=False,
        ),
        Event(
            name="postToolUse",
            role="tool_after",
            deny={
                "modifiedResult": {"resultType": "failure", "textResultForLlm": Slot.REASON},
            },
            replace={
                "modifiedResult": {"resultType": "success", "textResultForLlm": Slot.OUTPUT},
            },
            exit_denies=False,
        ),
    ),
    keys=Keys(
        session="sessionId",
        event=None,
        tool="toolName",
        tool_input="toolArgs",
        result="toolResult.textResultForLlm",
        call_id=None,
        answer=None,
    ),
    tools=MappingProxyType(
        {
            "bash": "shell",
            "write_bash": "shell_input",
            "powershell": "shell",
            "write_powershell": "shell_input",
            "view": "read",
            "create": "write",
            "edit": "edit",
            "apply_patch": "patch",
            "glob": "glob",
            "grep": "grep",
            "rg": "grep",
            "web_fetch": "fetch",
            "web_search": "search",
            "task": "agent",
        }
    ),
    mcp="-",
)
