"""Gemini CLI: no ids of calls; the reason of a denial takes a result's place."""

from __future__ import annotations

from types import MappingProxyType
from typing import Final

from .model import Dialect, Event, Keys, Slot, events

__all__ = ["DIALECT", "TOOLS"]

_DENY: Final = {"decision": "deny", "reason": Slot.REASON}

TOOLS: Final = MappingProxyType(
    {
        "run_shell_command": "shell",
        "read_file": "read",
        "read_many_files": "read_many",
        "write_file": "write",
        "replace": "edit",
        "edit": "edit",
        "notebook_edit": "edit",
        "glob": "glob",
        "grep_search": "grep",
        "search_file_content": "grep",
        "list_directory": "list",
        "web_fetch": "fetch",
        "google_web_search": "search",
        "web_search": "search",
        "invoke_agent": "agent",
        "agent": "agent",
        "task": "agent",
    }
)
"""The tools of Gemini CLI and of its fork Qwen Code."""

DIALECT: Final = Dialect(
    client="gemini-cli",
    title="Gemini CLI",
    package="@google/gemini-cli",
    tested=("0.61.0", "0.62"),
    events=events(
        Event(name="SessionStart", role="session_start"),
        Event(name="SessionEnd", role="session_end"),
        Event(
            name="BeforeAgent",
            role="prompt",
            deny=_DENY,
            context={
                "hookSpecificOutput": {
                    "hookEventName": "BeforeAgent",
                    "additionalContext": Slot.CONTEXT,
                }
            },
        ),
        Event(
            name="BeforeTool",
            role="tool_before",
            deny=_DENY,
            rewrite={
                "hookSpecificOutput": {"hookEventName": "BeforeTool", "tool_input": Slot.INPUT}
            },
        ),
        Event(
            name="AfterTool",
            role="tool_after",
            deny=_DENY,
            replace={"decision": "deny", "reason": Slot.OUTPUT},
        ),
        Event(name="AfterAgent", role="answer"),
    ),
    keys=Keys(
        result="tool_response.llmContent",
        call_id=None,
        answer="prompt_response",
        mcp_server="mcp_context.server_name",
        mcp_tool="mcp_context.tool_name",
        extra=("transcript_path",),
    ),
    tools=TOOLS,
    unseen=("The text of a file that a prompt mentions with @ was not tried.",),
)
