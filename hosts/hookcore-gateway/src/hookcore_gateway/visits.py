"""Visits: a message's stay in its session, from the door to the leaving."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from hookcore_agent import Session

if TYPE_CHECKING:
    from .sessions import Sessions

__all__ = ["Entry", "Key", "Visit"]

Key = tuple[Any, ...]


class Entry:
    """An open session.

    Args:
        key: what tells it from others.
        channel: where it takes place.
        agent: with whom.
        now: the time.
    """

    def __init__(self, key: Key, channel: str, agent: Any, now: float) -> None:
        self.key = key
        self.channel = channel
        self.agent = agent
        self.session = Session()
        self.lock = asyncio.Lock()
        self.begun = self.ended = False
        self.users = 0
        self.seen = now


class Visit:
    """A message's stay in its session, which it has for itself.

    Args:
        sessions: the sessions.
        key: what tells the session from others.
        channel: where it takes place.
        agent: with whom.
        go_on: raises when the message's work is not wanted any more.
    """

    def __init__(
        self,
        sessions: Sessions,
        key: Key,
        channel: str,
        agent: Any,
        go_on: Callable[[], None],
    ) -> None:
        self._sessions = sessions
        self._place = (key, channel, agent)
        self._go_on = go_on
        self._held: Entry | None = None
        self._session: Session | None = None
        self._task: asyncio.Task[Any] | None = None
        #: The conversation before the message.
        self.before: list[Any] = []

    @property
    def session(self) -> Session | None:
        """The session; None before the message is in it."""
        return self._session

    @property
    def session_id(self) -> str | None:
        """The session's id; None before the message is in it."""
        return None if self._session is None else self._session.id

    async def enter(self) -> Session:
        """Begin or go on with the session, when it is free.

        Raises:
            GatewayClosedError: all sessions have ended for good.
            CancelledError: the message's work is not wanted any more.
        """
        self._task = asyncio.current_task()
        while True:
            entry = await self._sessions.entry(*self._place)
            if await self._claimed(entry):
                self._session = entry.session
                self.before = list(entry.session.messages)
                return entry.session

    async def _claimed(self, entry: Entry) -> bool:
        entry.users += 1
        try:
            await entry.lock.acquire()
        except BaseException:
            entry.users -= 1
            raise
        self._held = entry
        try:
            self._go_on()
            if not entry.ended and not entry.begun:
                await self._sessions.begin(entry)
                self._go_on()
        except BaseException:
            self._leave()
            raise
        if entry.ended:
            self._leave()
        return not entry.ended

    def end(self, reason: str) -> None:
        """End the stay, and the session with it when the task that entered still goes on there.

        Args:
            reason: why the session ends, for hooks.
        """
        if self._held is not None and self._task is not None and not self._task.done():
            self._sessions.ended(self._held, reason)
        self._leave()

    def _leave(self) -> None:
        entry, self._held = self._held, None
        if entry is not None:
            self._sessions.released(entry)
