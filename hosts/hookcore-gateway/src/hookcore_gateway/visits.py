"""Visits: a message's stay in its session, from the door to the leaving."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, Protocol

from hookcore_agent import Session

__all__ = ["Book", "Entry", "Key", "Origin", "Visit"]

Key = tuple[Any, ...]
Origin = tuple["int | None", str, str, "str | None"]
"""The origin of a message: the number of the heartbeat's prompt, channel, sender, thread."""


class Entry:
    """An open session.

    Args:
        key: what tells it from others.
        channel: where it takes place.
        agent: with whom.
        now: the time.
        session: the conversation, when it has been kept; a new one when None.
    """

    def __init__(
        self, key: Key, channel: str, agent: Any, now: float, session: Session | None = None
    ) -> None:
        self.key = key
        self.channel = channel
        self.agent = agent
        self.session = session or Session()
        #: Whether another process began it.
        self.is_resumed = session is not None
        #: How many bytes its conversation had when it was looked at last.
        self.size = 0
        self.lock = asyncio.Lock()
        self.begun = self.ended = False
        self.users = 0
        self.seen = now


class Book(Protocol):
    """The book in which the sessions are written down."""

    async def entry(self, key: Key, channel: str, agent: Any) -> Entry:
        """Return the open session with a key, or one that has yet to begin."""
        ...

    async def begin(self, entry: Entry) -> None:
        """Tell the hooks that a session begins."""
        ...

    async def keep(self, entry: Entry) -> None:
        """Keep a session's conversation as it is now."""
        ...

    def released(self, entry: Entry) -> None:
        """Take note that a message has left a session."""
        ...

    def ended(self, entry: Entry, reason: str) -> None:
        """End a session at once."""
        ...


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
        sessions: Book,
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

    async def keep(self) -> None:
        """Keep the conversation as it is now, while the message is in it."""
        if self._held is not None:
            await self._sessions.keep(self._held)

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
