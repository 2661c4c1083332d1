"""Events as clients tell them."""

from __future__ import annotations

from typing import Any

from hookcore_bridge.dialects import Dialect


def call_of(dialect: Dialect, role: str, **facts: Any) -> tuple[str, dict[str, Any]]:
    """Return an event of a tool call as a client tells it, with its name."""
    keys = dialect.keys
    event = next(event.name for event in dialect.events.values() if event.role == role)
    told: dict[str, Any] = {keys.session: "s1", keys.cwd: "/project"}
    if keys.event is not None:
        told[keys.event] = event
    known = {"tool": keys.tool, "tool_input": keys.tool_input, "result": keys.result,
             "call_id": keys.call_id, "error": keys.error}  # fmt: skip
    for fact, value in facts.items():
        path = known.get(fact, fact)
        if path is None:
            continue
        *way, last = path.split(".")
        holder = told
        for key in way:
            holder = holder.setdefault(key, {})
        holder[last] = value
    return event, told
