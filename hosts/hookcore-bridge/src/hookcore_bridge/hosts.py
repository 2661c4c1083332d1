"""All that each client fires and heeds, made from its dialect, for ``hookctl hosts``."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from hookcore import InterceptionPoint
from hookcore.hosting import TOOL_POINTS, Host, heeds

from .dialects import CLIENTS, Dialect

__all__ = ["BRIDGE", "CLAUDE_CODE", "CODEX", "COPILOT", "GEMINI_CLI", "OPENCODE", "QWEN_CODE"]

_EVERYWHERE: Final = ("accept_event", "extension_event", "hook_dispatched")
_DISTRIBUTION: Final = "hookcore-bridge"


def _all_but(points: Iterable[str]) -> tuple[str, ...]:
    """Return the points of an agent's life that clients tell nothing of.

    The calls of models are among them: they are the business of a proxy in front of the model.
    """
    told = set(points)
    return tuple(
        str(point) for point in InterceptionPoint if point not in told and point not in _EVERYWHERE
    )


def _host_of(dialect: Dialect) -> Host:
    points = heeds(["wrap_tool_call", "tool_finished"], ["sync"])
    before, after = dialect.with_role("tool_before"), dialect.with_role("tool_after")
    for point, changes in (
        ("pre_tool_call", before is not None and before.rewrite is not None),
        ("post_tool_call", after is not None and after.replace is not None),
    ):
        points |= heeds([point], ["sync"], None if changes else ["abort"])
    if dialect.with_role("prompt") is not None:
        points |= heeds(["message_received"], ["sync"], ["abort"])
    for point, role in (
        ("message_sent", "answer"),
        ("session_start", "session_start"),
        ("session_end", "session_end"),
    ):
        if any(event.role == role for event in dialect.events.values()):
            points |= heeds([point], ["sync"])
    return Host(
        name=dialect.client,
        runtime=_DISTRIBUTION,
        points=points,
        without=_all_but(points),
    )


CLAUDE_CODE: Final = _host_of(CLIENTS["claude-code"])
CODEX: Final = _host_of(CLIENTS["codex"])
GEMINI_CLI: Final = _host_of(CLIENTS["gemini-cli"])
QWEN_CODE: Final = _host_of(CLIENTS["qwen-code"])
COPILOT: Final = _host_of(CLIENTS["copilot"])
OPENCODE: Final = _host_of(CLIENTS["opencode"])

_MESSAGES: Final = ("message_received", "message_sent", "session_start", "session_end")
BRIDGE: Final = Host(
    name="bridge",
    runtime=_DISTRIBUTION,
    points=heeds((*TOOL_POINTS, *_MESSAGES), ["sync"]),
    without=_all_but((*TOOL_POINTS, *_MESSAGES)),
)
"""All clients together, whom one manager serves: what one of them cannot take becomes a denial."""
