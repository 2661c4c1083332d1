"""The JSON that a receiver gets: one tool call, version 1."""

from __future__ import annotations

import hashlib
import itertools
import os
import secrets
import time
from dataclasses import dataclass, field
from datetime import datetime, timezone
from typing import Any, Final

from hookcore import ToolCallContext

from ._fit import fit
from ._message import Message
from ._plain import TooLargeError, clean, compact, plain
from ._scrub import Scrubber

__all__ = ["Draft", "Events"]

_VERSION: Final = 1
_LONGEST: Final = 256
"""Characters of a name or an id; a tool's name comes from a model."""


@dataclass(frozen=True, slots=True)
class Draft:
    """The facts about a call that is over; this shares nothing that the host may change."""

    at: int
    """The time when the call was over, in nanoseconds since the epoch."""
    stream: str
    sequence: int
    told: dict[str, Any]
    args: Any
    omitted: str | None
    events: Events = field(repr=False)

    def message(self) -> Message:
        """Return the message about the call."""
        return self.events.finished(self)


class Events:
    """Makes the message about a finished tool call.

    Args:
        scrubber: takes out of arguments what must not leave; None to leave them out altogether.
        max_args_bytes: how long the arguments' JSON may be.
    """

    def __init__(self, scrubber: Scrubber | None, max_args_bytes: int) -> None:
        self._scrubber = scrubber
        self._max_args_bytes = max_args_bytes
        self._begin()

    def _begin(self) -> None:
        """Begin a stream: at first, and in a child that a fork has left with the parent's."""
        self._process = os.getpid()
        self._stream = secrets.token_hex(8)
        self._numbers = itertools.count(1)

    def draft(self, ctx: ToolCallContext) -> Draft:
        """Return what is to become the message about a call, which takes longer.

        Args:
            ctx: the call, as ``tool_finished`` gives it.
        """
        if self._process != os.getpid():
            self._begin()
        args: Any = None
        omitted: str | None = "not asked for"
        if self._scrubber is not None:
            try:
                args, omitted = plain(ctx.tool_input), None
            except TooLargeError:
                omitted = "too large to read"
            except Exception as error:  # noqa: BLE001 - the call is audited all the same
                omitted = f"cannot be redacted: {type(error).__name__}"
        return Draft(
            time.time_ns(), self._stream, next(self._numbers), _told(ctx), args, omitted, self
        )

    def message(self, ctx: ToolCallContext) -> Message:
        """Return the message about a call.

        Args:
            ctx: the call, as ``tool_finished`` gives it.
        """
        return self.finished(self.draft(ctx))

    def finished(self, draft: Draft) -> Message:
        """Return the message that a draft becomes."""
        ident = f"msg_{secrets.token_hex(16)}"
        event = {
            "version": _VERSION,
            "id": ident,
            "event": "tool_call",
            "timestamp": datetime.fromtimestamp(draft.at / 1e9, timezone.utc).isoformat(),
            "stream": draft.stream,
            "sequence": draft.sequence,
            **draft.told,
            **self._arguments(draft),
        }
        return Message(ident, draft.at, compact(event).encode())

    def _arguments(self, draft: Draft) -> dict[str, Any]:
        told: dict[str, Any] = {
            "args": None,
            "args_omitted": None,
            "args_truncated": False,
            "args_bytes": None,
            "args_digest": None,
        }
        if self._scrubber is None or draft.omitted is not None:
            return told | {"args_omitted": draft.omitted}
        try:
            args = self._scrubber.scrub(draft.args)
            whole = compact(args).encode()
        except Exception as error:  # noqa: BLE001 - the call is audited all the same
            return told | {"args_omitted": f"cannot be redacted: {type(error).__name__}"}
        if len(whole) <= self._max_args_bytes:
            return told | {"args": args, "args_bytes": len(whole)}
        return told | {
            "args": fit(args, self._max_args_bytes),
            "args_truncated": True,
            "args_bytes": len(whole),
            "args_digest": f"sha256:{hashlib.sha256(whole).hexdigest()}",
        }


def _told(ctx: ToolCallContext) -> dict[str, Any]:
    return {
        "tool": _short(ctx.tool_name) or "",
        "status": _short(ctx.status),
        "success": ctx.status == "ok",
        "entered": bool(ctx.entered),
        "duration_ms": None if ctx.duration_ms is None else round(ctx.duration_ms, 3),
        # Its text may hold what nobody has redacted.
        "error": None if ctx.error is None else _short(type(ctx.error).__qualname__),
        "agent": _agent(ctx.agent),
        "session_id": _short(ctx.session_id),
        "run_id": _short(ctx.run_id),
        "parent_run_id": _short(ctx.parent_run_id),
        "call_id": _short(ctx.call_id),
    }


def _agent(agent: Any) -> str | None:
    if agent is None or isinstance(agent, str):
        return _short(agent)
    name = getattr(agent, "role", None) or getattr(agent, "name", None)
    return _short(name) if isinstance(name, str) else type(agent).__qualname__


def _short(value: object) -> str | None:
    if value is None:
        return None
    text = clean(str(value))
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"
