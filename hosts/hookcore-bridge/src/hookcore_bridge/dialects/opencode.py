"""opencode: its hooks are JavaScript in its own process; a plugin of ours asks the daemon."""

from __future__ import annotations

from types import MappingProxyType
from typing import Final

from .model import Dialect, Event, Keys, Slot, events

__all__ = ["DIALECT"]

DIALECT: Final = Dialect(
    client="opencode",
    title="opencode",
    package="opencode-ai",
    tested=("1.18.33", "1.19"),
    # The keys are the plugin's own: what it tells and heeds is written in hookcore.js.
    events=events(
        Event(
            name="tool.execute.before",
            role="tool_before",
            deny={"deny": Slot.REASON},
            rewrite={"input": Slot.INPUT},
        ),
        Event(
            name="tool.execute.after",
            role="tool_after",
            deny={"deny": Slot.REASON},
            replace={"output": Slot.OUTPUT},
        ),
    ),
    keys=Keys(
        session="session",
        event="event",
        tool="tool",
        tool_input="input",
        result="output",
        call_id="call",
        answer=None,
    ),
    tools=MappingProxyType(
        {
            "bash": "shell",
            "read": "read",
            "write": "write",
            "edit": "edit",
            "patch": "patch",
            "apply_patch": "patch",
            "glob": "glob",
            "grep": "grep",
            "list": "list",
            "webfetch": "fetch",
            "websearch": "search",
            "task": "agent",
        }
    ),
    mcp="_",
    unseen=(
        "Prompts and the model's answers are not sent to policies.",
        "opencode --pure starts without any plugin.",
    ),
)
