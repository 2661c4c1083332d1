"""The JSON that a receiver gets: one tool call, version 1."""

from __future__ import annotations

import hashlib
import itertools
import os
import secrets
import time
from datetime import datetime, timezone
from typing import Any, Final

from hookcore import ToolCallContext

from ._fit import fit
from ._message import Message
from ._plain import TooLargeError, clean, compact, plain
from ._scrub import Scrubber

__all__ = ["Events"]

_VERSION: Final = 1
_LONGEST: Final = 256
"""Characters of a name or an id; a tool's name comes from a model."""


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

    def message(self, ctx: ToolCallContext) -> Message:
        """Return the message about a call.

        Args:
            ctx: the call, as ``tool_finished`` gives it.
        """
        if self._process != os.getpid():
            self._begin()
        now = time.time_ns()
        ident = f"msg_{secrets.token_hex(16)}"
        event = {
            "version": _VERSION,
            "id": ident,
            "event": "tool_call",
            "timestamp": datetime.fromtimestamp(now / 1e9, timezone.utc).isoformat(),
            "stream": self._stream,
            "sequence": next(self._numbers),
            **_told(ctx),
            **self._arguments(ctx),
        }
        return Message(ident, now, compact(event).encode())

    def _arguments(self, ctx: ToolCallContext) -> dict[str, Any]:
        told: dict[str, Any] = {
            "args": None,
            "args_omitted": None,
            "args_truncated": False,
            "args_bytes": None,
            "args_digest": None,
        }
        if self._scrubber is None:
            return told | {"args_omitted": "not asked for"}
        try:
            args = self._scrubber.scrub(plain(ctx.tool_input))
            whole = compact(args).encode()
        except TooLargeError:
            return told | {"args_omitted": "too large to read"}
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
