"""The histories of the runs and sessions of a process."""

from __future__ import annotations

from collections import OrderedDict
from typing import Any, Final

from hookcore import HookContext

from ._digests import Digests
from ._history import History
from .settings import LoopGuardSettings

__all__ = ["Runs"]

_SESSIONS_KEPT: Final = 4096


class Runs:
    """Finds the history that a call belongs to: its run's, else its session's.

    Args:
        settings: the numbers.
        digests: makes digests of values.
    """

    def __init__(self, settings: LoopGuardSettings, digests: Digests) -> None:
        self._settings = settings
        self._digests = digests
        self._sessions: OrderedDict[str, History] = OrderedDict()
        self._messages: OrderedDict[str, int] = OrderedDict()

    def of(self, ctx: HookContext) -> History | None:
        """Return a call's history; None where nothing tells which calls belong together."""
        if ctx.run_id is None:
            return None if ctx.session_id is None else self._of_session(str(ctx.session_id))
        state = ctx.state
        messages = self._messages.get(str(ctx.session_id), 0)
        if "history" not in state or state["messages"] != messages:
            state["history"] = History(self._settings, self._digests)
            state["messages"] = messages
        history: History = state["history"]
        return history

    def stopped(self, ctx: HookContext) -> tuple[str, str]:
        """Return why the run of a call was stopped, and by what; nothing where it was not."""
        history: Any = None
        if ctx.run_id is None:
            history = self._sessions.get(str(ctx.session_id))
        elif ctx.state.get("messages") == self._messages.get(str(ctx.session_id), 0):
            history = ctx.state.get("history")
        return ("", "") if history is None else (history.stopped, history.stopped_by)

    def spoken_to(self, ctx: HookContext) -> None:
        """Begin the histories of a session anew."""
        if ctx.session_id is None:
            return
        session = str(ctx.session_id)
        self._sessions.pop(session, None)
        self._messages[session] = self._messages.pop(session, 0) + 1
        if len(self._messages) > _SESSIONS_KEPT:
            self._messages.popitem(last=False)

    def _of_session(self, session: str) -> History:
        history = self._sessions.pop(session, None) or History(self._settings, self._digests)
        self._sessions[session] = history
        if len(self._sessions) > _SESSIONS_KEPT:
            self._sessions.popitem(last=False)
        return history
