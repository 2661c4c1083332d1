"""Sessions: each begins once and ends once, and has one message at a time."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from hookcore.hosts.agent import Session
from hookcore_specs import SessionContext

if TYPE_CHECKING:
    from hookcore.manager import HookManager

    from .limits import Limits

__all__ = ["Sessions", "Visit"]

logger = logging.getLogger("hookcore")

Key = tuple[Any, ...]


class _Entry:
    """An open session."""

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
        entry: the session's entry.
    """

    def __init__(self, entry: _Entry) -> None:
        self._entry = entry
        self.session = entry.session
        #: The conversation before the message.
        self.before = list(entry.session.messages)

    @property
    def session_id(self) -> str:
        """The session's id."""
        return self.session.id


class Sessions:
    """The open sessions of a gateway.

    Args:
        manager: the hooks.
        limits: the bounds.
        clock: tells the time in seconds.
    """

    def __init__(
        self, manager: HookManager, limits: Limits, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._manager = manager
        self._limits = limits
        self._clock = clock
        self._open: dict[Key, _Entry] = {}
        self._endings: set[asyncio.Task[None]] = set()

    @property
    def ids(self) -> tuple[str, ...]:
        """The ids of the sessions that have begun."""
        return tuple(entry.session.id for entry in self._open.values() if entry.begun)

    def id_of(self, key: Key) -> str | None:
        """Return the id of the open session with a key."""
        entry = self._open.get(key)
        return entry.session.id if entry is not None and entry.begun else None

    async def enter(self, key: Key, channel: str, agent: Any) -> Visit:
        """Begin or go on with a session, when it is free.

        Args:
            key: what tells the session from others.
            channel: where it takes place.
            agent: with whom.
        """
        while True:
            entry = self._open.get(key)
            if entry is None:
                await self._make_room()
                new = _Entry(key, channel, agent, self._clock())
                entry = self._open.setdefault(key, new)
            if await self._claimed(entry):
                return Visit(entry)

    async def _claimed(self, entry: _Entry) -> bool:
        entry.users += 1
        try:
            await entry.lock.acquire()
        except BaseException:
            entry.users -= 1
            raise
        try:
            if not entry.ended and not entry.begun:
                entry.begun = True
                await self._manager.adispatch("session_start", _context(entry))
        except BaseException:
            self._release(entry)
            raise
        if entry.ended:
            self._release(entry)
        return not entry.ended

    def leave(self, visit: Visit) -> None:
        """End a message's stay."""
        self._release(visit._entry)

    def _release(self, entry: _Entry) -> None:
        entry.users -= 1
        entry.seen = self._clock()
        entry.lock.release()

    async def end(self, keys: Iterable[Key], reason: str) -> int:
        """End sessions, each when its message in progress is done.

        Args:
            keys: which ones.
            reason: why, for hooks.

        Returns:
            How many ended.
        """
        ended = 0
        for key in keys:
            entry = self._open.get(key)
            if entry is not None:
                async with entry.lock:
                    ended += await self._end(entry, reason)
        return ended

    async def _end(self, entry: _Entry, reason: str) -> bool:
        telling = self._ending(entry, reason)
        if telling is not None:
            await asyncio.shield(telling)  # who asked for it may be cancelled
        return telling is not None

    def _ending(self, entry: _Entry, reason: str) -> asyncio.Task[None] | None:
        """Take a session out, once, and return the task that tells the hooks, if they knew it."""
        begun = entry.begun and not entry.ended
        entry.ended = True
        if self._open.get(entry.key) is entry:
            del self._open[entry.key]
        if not begun:
            return None
        telling = asyncio.ensure_future(self._tell_end(entry, reason))
        self._endings.add(telling)
        telling.add_done_callback(self._endings.discard)
        return telling

    async def _tell_end(self, entry: _Entry, reason: str) -> None:
        try:
            await self._manager.adispatch("session_end", _context(entry, reason))
        except Exception:
            logger.exception("a hook failed as session %s ended", entry.session.id)

    def matching(self, wanted: Callable[[Key], bool]) -> list[Key]:
        """Return the keys of the open sessions that ``wanted`` picks."""
        return [key for key in self._open if wanted(key)]

    def key_of(self, session_id: str) -> list[Key]:
        """Return the key of the session with an id, in a list; an empty one without it."""
        return [key for key, entry in self._open.items() if entry.session.id == session_id]

    async def end_idle(self) -> None:
        """End the sessions that had no message for as long as ``Limits.idle``."""
        if self._limits.idle is None:
            return
        latest = self._clock() - self._limits.idle
        for entry in [e for e in self._open.values() if e.users == 0 and e.seen <= latest]:
            # While the others ended, a message may have come.
            if entry.users == 0:
                await self._end(entry, "idle")

    async def _make_room(self) -> None:
        idle = [entry for entry in self._open.values() if entry.users == 0]
        if len(self._open) >= self._limits.sessions and idle:
            await self._end(min(idle, key=lambda entry: entry.seen), "evicted")

    async def end_all(self, reason: str) -> None:
        """End all sessions, within ``Limits.session_end`` seconds.

        Args:
            reason: why, for hooks.
        """
        for entry in [*self._open.values()]:
            self._ending(entry, reason)
        tasks = set(self._endings)
        if not tasks:
            return
        _, late = await asyncio.wait(tasks, timeout=self._limits.session_end)
        for task in late:
            task.cancel()
        if late:
            logger.error("%d sessions ended before their session_end hooks had", len(late))
            await asyncio.wait(late, timeout=self._limits.grace)


def _context(entry: _Entry, reason: str | None = None) -> SessionContext:
    return SessionContext(
        channel=entry.channel, reason=reason, session_id=entry.session.id, agent=entry.agent
    )
