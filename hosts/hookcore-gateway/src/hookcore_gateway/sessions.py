"""Sessions: each begins once and ends once, and has one message at a time."""

from __future__ import annotations

import asyncio
import logging
import time
from collections import OrderedDict
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from hookcore_agent import Session
from hookcore_specs import SessionContext

from .errors import GatewayClosedError
from .keeping import Keeper, Place
from .shown import log_failure, shown
from .sizes import bytes_in
from .tasks import done_within
from .visits import Entry, Key, Origin

if TYPE_CHECKING:
    from hookcore import HookManager

    from .limits import Limits

__all__ = ["Sessions"]

logger = logging.getLogger("hookcore")


class Sessions:
    """The open sessions of a gateway.

    Args:
        manager: the hooks.
        limits: the bounds.
        keeper: keeps what is to outlive the process.
        clock: tells the time in seconds.
    """

    def __init__(
        self,
        manager: HookManager,
        limits: Limits,
        keeper: Keeper,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._manager = manager
        self._limits = limits
        self._keeper = keeper
        self._clock = clock
        #: The longest idle one first.
        self._open: OrderedDict[Key, Entry] = OrderedDict()
        self._bytes = 0
        self._endings: set[asyncio.Task[None]] = set()
        self._closed = False

    @property
    def ids(self) -> tuple[str, ...]:
        """The ids of the sessions that have begun."""
        return tuple(entry.session.id for entry in self._open.values() if entry.begun)

    async def entry(self, key: Key, channel: str, agent: Any) -> Entry:
        """Return the open session with a key, or one that has yet to begin.

        Args:
            key: what tells the session from others.
            channel: where it takes place.
            agent: with whom.

        Raises:
            GatewayClosedError: all sessions have ended for good.
        """
        found = self._open.get(key)
        if found is None:
            await self._make_room()
            session = await self._kept(key)
            if self._closed:
                raise GatewayClosedError("the gateway has ended its sessions")
            made = Entry(key, channel, agent, self._clock(), session)
            found = self._open.setdefault(key, made)
        return found

    async def _kept(self, key: Key) -> Session | None:
        place = _place(key)
        kept = None if place is None else await self._keeper.load(place)
        if kept is None:
            return None
        try:
            return Session(kept.id, kept.data.get("messages", ()), kept.data)
        except (TypeError, ValueError) as error:
            log_failure(logger, error, "session %s was not kept as a conversation", shown(kept.id))
            return None

    @property
    def are_kept(self) -> bool:
        """True when conversations outlive the process."""
        return self._keeper.lasts

    async def keep(self, entry: Entry) -> None:
        """Keep a session's conversation as it is now.

        Args:
            entry: the session, in which a message is.
        """
        place = _place(entry.key)
        if place is not None and not entry.ended:
            await self._keeper.save(place, entry.session.id, entry.session.data)

    async def begin(self, entry: Entry) -> None:
        """Tell the hooks that a session begins, once."""
        entry.begun = True
        await self._manager.adispatch("session_start", _context(entry))

    def released(self, entry: Entry) -> None:
        """Take note that a message has left a session."""
        entry.users -= 1
        entry.seen = self._clock()
        entry.lock.release()
        if entry.ended:
            return
        self._open.move_to_end(entry.key)
        size = bytes_in(entry.session.data)
        self._bytes += size - entry.size
        entry.size = size
        while self._bytes > self._limits.session_bytes and (oldest := self._longest_idle()):
            self._ending(oldest, "evicted")

    def _longest_idle(self) -> Entry | None:
        return next((entry for entry in self._open.values() if entry.users == 0), None)

    def ended(self, entry: Entry, reason: str) -> None:
        """End a session at once; the hooks are told meanwhile.

        Args:
            entry: the session.
            reason: why, for hooks.
        """
        self._ending(entry, reason)

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

    async def _end(self, entry: Entry, reason: str) -> bool:
        telling = self._ending(entry, reason)
        if telling is not None:
            await asyncio.shield(telling)  # who asked for it may be cancelled
        return telling is not None

    def _ending(self, entry: Entry, reason: str) -> asyncio.Task[None] | None:
        """Take a session out, once, and return the task that tells the hooks, if they knew it."""
        begun = entry.begun and not entry.ended
        entry.ended = True
        if self._open.get(entry.key) is entry:
            del self._open[entry.key]
            self._bytes -= entry.size
        place = _place(entry.key)
        if place is not None and reason != "shutdown":
            self._keeper.forget(place)
        if not begun:
            return None
        telling = asyncio.ensure_future(self._tell_end(entry, reason))
        self._endings.add(telling)
        telling.add_done_callback(self._endings.discard)
        return telling

    async def _tell_end(self, entry: Entry, reason: str) -> None:
        telling = asyncio.ensure_future(
            self._manager.adispatch("session_end", _context(entry, reason))
        )
        # One hook that hangs is no reason for another session, or for the stop, to wait for ever.
        in_time = await done_within(telling, self._limits.session_end, self._limits.grace)
        name = entry.session.id
        if not in_time or telling.cancelled():
            logger.error("session %s ended before its session_end hooks had", shown(name))
        elif (error := telling.exception()) is not None:
            log_failure(logger, error, "a hook failed as session %s ended", shown(name))

    async def end_of(self, origin: Origin, reason: str) -> None:
        """End the sessions of a sender with all agents, and those that are kept and not open.

        Args:
            origin: whose they are.
            reason: why, for hooks.
        """
        await self.end([key for key in self._open if key[:4] == origin], reason)
        place = _place((*origin, ""))
        if place is not None:
            self._keeper.forget_all(place[0])

    def key_of(self, session_id: str) -> list[Key]:
        """Return the key of the session with an id, in a list; an empty one without it."""
        return [key for key, entry in self._open.items() if entry.session.id == session_id]

    def end_idle(self) -> None:
        """End the sessions that had no message for as long as ``Limits.idle``."""
        self._keeper.prune(self._limits.idle, self._limits.sessions)
        if self._limits.idle is None:
            return
        latest = self._clock() - self._limits.idle
        # All at once, and nobody waits here: none of them is to hold up the others.
        for entry in [e for e in self._open.values() if e.users == 0 and e.seen <= latest]:
            self._ending(entry, "idle")

    async def _make_room(self) -> None:
        if len(self._open) >= self._limits.sessions and (oldest := self._longest_idle()):
            await self._end(oldest, "evicted")

    async def end_all(self, reason: str) -> None:
        """End all sessions for good, within ``Limits.session_end`` seconds.

        Args:
            reason: why, for hooks.
        """
        self._closed = True
        for entry in [*self._open.values()]:
            self._ending(entry, reason)
        while self._endings:
            await asyncio.wait(set(self._endings))


def _context(entry: Entry, reason: str | None = None) -> SessionContext:
    return SessionContext(
        channel=entry.channel,
        reason=reason,
        session_id=entry.session.id,
        agent=entry.agent,
        attributes={"resumed": True} if entry.is_resumed and reason is None else {},
    )


def _place(key: Key) -> Place | None:
    """Return where a session is kept; None for one of the heartbeat's prompts."""
    prompt, *who, agent = key
    channel, sender, thread = who
    is_text = all(isinstance(item, str) for item in (channel, sender, thread or ""))
    return ((channel, sender, thread), agent) if prompt is None and is_text else None
