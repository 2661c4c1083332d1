"""A policy that denies tool calls which repeat themselves, and stops a run that does not give up.

A repeat is a call with the name and the arguments of one that the run has made before. Tools that
are asked again on purpose, because their answer changes, are left out by ``tools``. As a plugin it
is configured like any other::

    [plugins.repeat-guard]
    enabled = true
    tools = ["search*", "send_mail"]

    [plugins.repeat-guard.settings]
    times = 1
    denials = 3
"""

from __future__ import annotations

import hashlib
import json
from threading import Lock
from typing import Any, ClassVar

from pydantic import BaseModel, ConfigDict, Field

from hookcore import (
    HookAborted,
    HookManager,
    ModelCallContext,
    RunContext,
    ToolCallContext,
    hookimpl,
)

__all__ = ["RepeatGuard", "RepeatSettings", "RepeatedCallsError"]

_TO_THE_MODEL = (
    "This run has made the same call with the same arguments before. "
    "Use what you know from it, or do something else."
)
_TO_THE_USER = "The agent went round in circles and was stopped."


class RepeatedCallsError(Exception):
    """A run is given up because it repeats its tool calls."""


class RepeatSettings(BaseModel):
    """The limits on how often a run may repeat itself."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    times: int = Field(default=1, ge=1, description="How many identical calls are let through.")
    denials: int = Field(
        default=3, ge=0, description="How many calls are denied before one more stops the run."
    )


class RepeatGuard:
    """Lets a run make a call so many times, denies it from then on, and in the end stops the run.

    It counts what the model asks for, before gates such as an approval, so that nobody is asked
    twice. It knows repeats within a run only: without a run, it lets everything through.

    Args:
        settings: the numbers; the defaults when None.
    """

    Settings: ClassVar[type[RepeatSettings]] = RepeatSettings
    on_error: ClassVar[str] = "deny"

    def __init__(self, settings: RepeatSettings | None = None) -> None:
        self._settings = settings or RepeatSettings()
        self._lock = Lock()

    # A denial ends a call and no more. What ends the run at once, with all that waits to start, is
    # an exception that reaches the host.
    @hookimpl(trylast=True, on_error="raise")
    def pre_tool_call(self, ctx: ToolCallContext) -> None:
        """Count the call, and deny it if there were too many of its kind.

        Args:
            ctx: the call.

        Raises:
            HookAborted: the call is a repeat.
            RepeatedCallsError: it is one too many; nothing more of the run takes place.
        """
        call = _fingerprint(ctx)
        with self._lock:  # some hosts make the calls of one answer on several threads
            counts: dict[str, int] = ctx.state.setdefault("calls", {})
            if counts.get(call, 0) < self._settings.times:
                counts[call] = counts.get(call, 0) + 1
                return
            denied = ctx.state["denied"] = ctx.state.get("denied", 0) + 1
        if denied > self._settings.denials:
            raise RepeatedCallsError(f"{denied} calls were repeats")
        reason = f"{ctx.tool_name} was called with these arguments before"
        raise HookAborted(reason, message=_TO_THE_MODEL)

    @hookimpl
    def pre_model_call(self, ctx: ModelCallContext) -> None:
        """Deny the next model call, where the exception has only denied the tool call.

        An operator who requires the plugin has made its failures denials.

        Args:
            ctx: the model call.

        Raises:
            HookAborted: there were too many repeats.
        """
        self._stop(ctx)

    @hookimpl
    def post_run(self, ctx: RunContext) -> None:
        """Put a text that a user may read in the place of the exception.

        Args:
            ctx: the run; ``error`` is what it failed with.

        Raises:
            HookAborted: there were too many repeats.
        """
        if isinstance(ctx.error, RepeatedCallsError):
            self._stop(ctx)

    def _stop(self, ctx: ModelCallContext | RunContext) -> None:
        denied = ctx.state.get("denied", 0)
        if denied > self._settings.denials:
            raise HookAborted(f"{denied} calls were repeats", message=_TO_THE_USER)


def _fingerprint(ctx: ToolCallContext) -> str:
    """Return a short text that two calls share when they are the same."""
    call: list[Any] = [ctx.tool_name, ctx.tool_input]
    text = json.dumps(call, sort_keys=True, default=repr)
    return hashlib.sha256(text.encode()).hexdigest()


def main() -> None:
    """Show what becomes of four calls, three of which are the same."""
    manager = HookManager()
    manager.register(RepeatGuard, settings={"denials": 1})
    with manager.run({"message": "find the invoice"}):
        for query in ("invoice", "bill", "invoice", "invoice"):
            try:
                print(f"{query}: {manager.call_tool('search', {'query': query}, _search)}")
            except HookAborted as denial:
                print(f"{query}: denied, {denial.reason}")
            except RepeatedCallsError as stop:
                print(f"{query}: the run is given up, {stop}")


def _search(_arguments: dict[str, Any]) -> str:
    return "nothing found"


if __name__ == "__main__":
    main()
