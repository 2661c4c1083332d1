"""The plugin: a gate before the calls of tools that remembers them and their results."""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import ClassVar, Final, Literal

from hookcore import (
    HookAborted,
    MessageContext,
    ModelCallContext,
    NamePatterns,
    ToolCallContext,
    hookimpl,
    tool_aliases,
)

from ._digests import Digests
from ._history import Entry
from ._runs import Runs
from .settings import LoopGuardSettings

__all__ = ["LoopGuard"]

_NAME: Final = "loop-guard"
_NAMES_KEPT: Final = 4096
_LONGEST_KEPT: Final = 256
_TO_THE_MODEL: Final = "You are repeating yourself; do something else."
_TO_THE_USER: Final = "The agent went round in circles and was stopped."
_log = logging.getLogger("hookcore_loop_guard")


class LoopGuard:
    """Warns of a run that repeats its tool calls, denies them, and in the end stops it.

    It needs a run, or a session, to know which calls belong together; without either it lets
    everything through.

    Args:
        settings: what is a repetition, and what is done about it.
    """

    Settings: ClassVar[type[LoopGuardSettings]] = LoopGuardSettings
    on_error: ClassVar[Literal["deny"]] = "deny"
    # Before other gates: a call that they deny again and again is a repetition, too, and nobody
    # is to be asked about it twice.
    priority: ClassVar[int] = 20

    def __init__(self, settings: LoopGuardSettings) -> None:
        self._settings = settings
        self._steps = settings.steps
        self._digests = Digests(settings.ignore)
        self._runs = Runs(settings, self._digests)
        self._polls = NamePatterns(settings.poll) if settings.poll else None
        # Names come from a model, so what is remembered about them is bounded.
        self._remembered: Callable[[str], bool] = lru_cache(_NAMES_KEPT)(self._is_poll)
        self._lock = threading.Lock()
        self._process = os.getpid()

    @property
    def rule_names(self) -> list[str]:
        """The settings that tell repetitions, which the operator may have monitored one by one."""
        numbers = {
            "same": self._settings.same,
            "cycle": self._settings.cycle,
            "grow": self._settings.grow,
            "poll_limit": self._settings.poll_limit,
        }
        return [name for name, number in numbers.items() if number]

    @hookimpl(gate=True)
    def pre_tool_call(self, ctx: ToolCallContext) -> None:
        """Remember the call; warn of it, or deny it, when it is a repetition.

        Args:
            ctx: the call.

        Raises:
            HookAborted: it is a repetition, or the run was stopped.
        """
        tool = str(ctx.tool_name or "")
        arguments = ctx.tool_input
        key = self._digests.of((tool, arguments))
        with self._alone():  # some hosts make the calls of one answer on several threads
            history = self._runs.of(ctx)
            if history is None:
                return
            _refuse(history.stopped, _TO_THE_USER, history.stopped_by)
            history.take_back(ctx.call_id)
            polls = any(map(self._polled, (tool, *tool_aliases(ctx))))
            given = arguments if isinstance(arguments, Mapping) else {}
            seen = history.repetition(key, tool, given, polls=polls)
            entry = Entry(key, ctx.call_id, struck=seen is not None)
            history.add(entry)
            if seen is None:
                return
            history.strikes += 1
            step = self._steps[min(history.strikes, len(self._steps)) - 1]
            told = f"loop-guard: {seen.what} (strike {history.strikes})"
            message = _TO_THE_MODEL if step == "deny" else _TO_THE_USER
            if step != "warn" and not ctx.enforces(_denial(told, message, seen.rule)):
                return  # only monitored: the next one is told, too
            if step != "warn":
                # Else the denied call would end the row of those that it repeats.
                entry.result = 0 if seen.like is None else seen.like.outcome
            if step == "stop":
                history.stopped, history.stopped_by = told, seen.rule
        if step == "warn":
            _log.warning("%s: in run %s, tool %a", told, ctx.run_id, tool[:_LONGEST_KEPT])
            return
        _refuse(told, message, seen.rule)

    # The first of its kind: what others make of a result is not always the same.
    @hookimpl(tryfirst=True)
    def post_tool_call(self, ctx: ToolCallContext) -> None:
        """Remember the result of the call.

        Args:
            ctx: the call; its error counts as a result.
        """
        with self._alone():
            history = self._runs.of(ctx)
        if history is not None:
            result = self._digests.of(ctx.tool_result if ctx.error is None else ctx.error)
            with self._alone():
                history.ended(ctx.call_id, result)

    @hookimpl
    def pre_model_call(self, ctx: ModelCallContext) -> None:
        """End a run that was stopped.

        Args:
            ctx: the model call.

        Raises:
            HookAborted: the run was stopped.
        """
        with self._alone():
            stopped, rule = self._runs.stopped(ctx)
        _refuse(stopped, _TO_THE_USER, rule)

    @hookimpl
    def message_received(self, ctx: MessageContext) -> None:
        """Begin anew, since a person has spoken.

        Args:
            ctx: the message; its session is what begins anew.
        """
        with self._alone():
            self._runs.spoken_to(ctx)

    def _alone(self) -> threading.Lock:
        if self._process != os.getpid():
            # The thread that had the lock when this process was forked off is not here to let go.
            self._lock, self._process = threading.Lock(), os.getpid()
        return self._lock

    def _polled(self, tool: str) -> bool:
        return self._remembered(tool) if len(tool) <= _LONGEST_KEPT else self._is_poll(tool)

    def _is_poll(self, tool: str) -> bool:
        return self._polls is not None and self._polls.matches(tool)


def _refuse(reason: str, message: str, rule: str) -> None:
    if reason:
        raise _denial(reason, message, rule)


def _denial(reason: str, message: str, rule: str) -> HookAborted:
    return HookAborted(reason, source=_NAME, message=message, rule=rule)
