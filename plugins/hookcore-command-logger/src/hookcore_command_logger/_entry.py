"""The entry of one tool call; never its arguments or its result."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass
from datetime import datetime, timezone
from functools import lru_cache
from typing import Any, Final

from hookcore import ToolCallContext

__all__ = ["Entry", "entry_of"]

_LONGEST: Final = 256
"""Characters of a name or an id; a tool's name comes from a model."""
_encode: Final = json.JSONEncoder().encode
_TOLD_AS_TEXT: Final = ("status", "session_id", "agent", "run_id", "call_id", "error")


@dataclass(frozen=True, slots=True)
class Entry:
    """One tool call that is over."""

    time: str
    tool: str
    status: str | None
    success: bool
    duration_ms: float | None
    session_id: str | None
    agent: str | None
    run_id: str | None
    call_id: str | None
    error: str | None

    def json_line(self) -> str:
        """Return the entry as one line of JSON, in ASCII."""
        return _encode({name: getattr(self, name) for name in self.__slots__})

    def text(self) -> str:
        """Return the entry as one line for people."""
        took = "not run" if self.duration_ms is None else f"{self.duration_ms:.0f}ms"
        words = [f"{_one_line(self.tool)} ({took})", f"success={str(self.success).lower()}"]
        words += [
            f"{name.removesuffix('_id')}={_one_line(value)}"
            for name in _TOLD_AS_TEXT
            if (value := getattr(self, name)) is not None
        ]
        return " ".join(words)


def entry_of(ctx: ToolCallContext) -> Entry:
    """Return what is told of a finished call.

    Args:
        ctx: the call, as ``tool_finished`` gives it.
    """
    return Entry(
        time=_now(),
        tool=_short(ctx.tool_name) or "",
        status=_short(ctx.status),
        success=ctx.status == "ok",
        duration_ms=None if ctx.duration_ms is None else round(ctx.duration_ms, 3),
        session_id=_short(ctx.session_id),
        agent=_agent(ctx.agent),
        run_id=_short(ctx.run_id),
        call_id=_short(ctx.call_id),
        error=None if ctx.error is None else _short(type(ctx.error).__qualname__),
    )


def _now() -> str:
    seconds, milliseconds = divmod(time.time_ns() // 1_000_000, 1000)
    return f"{_second(seconds)}.{milliseconds:03d}+00:00"


@lru_cache(4)
def _second(seconds: int) -> str:
    return datetime.fromtimestamp(seconds, timezone.utc).isoformat(timespec="seconds")[:19]


def _agent(agent: Any) -> str | None:
    if agent is None or isinstance(agent, str):
        return _short(agent)
    name = getattr(agent, "role", None) or getattr(agent, "name", None)
    # Any other object's text could be anything, so that its class must do.
    return _short(name) if isinstance(name, str) else agent.__class__.__qualname__


def _short(value: object) -> str | None:
    if value is None:
        return None
    text = str(value)
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"


def _one_line(text: str) -> str:
    """Return a text as it is, or quoted where it could be taken for more than one word."""
    plain = text.isprintable() and not set(text) & set(" \"'=")
    return text if plain and text else json.dumps(text)
