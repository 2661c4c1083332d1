"""Serving: sessions, one request at a time in each, and the stream of a request's events."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from threading import Lock
from typing import TYPE_CHECKING, Any, cast

from .channel import END
from .context import RequestContext
from .declaring import declare
from .errors import AgentProtocolError, SessionBusyError
from .events import AgentEvent
from .requests import serve
from .session import Session

if TYPE_CHECKING:
    from hookcore import HookManager

    from .parts import AgentParts

__all__ = ["Serving"]


_claims = Lock()
_served: dict[int, RequestContext] = {}
"""The requests in progress by the identity of their session, which several agents may share."""


class Serving:
    """The sessions of an agent and the requests in progress."""

    name: str

    def __init__(self) -> None:
        self._lock = Lock()
        self._sessions: dict[str, Session] = {}
        self._active: dict[str, RequestContext] = {}

    async def _stream(
        self, text: Any, session: Session | str | None, manager: HookManager
    ) -> AsyncGenerator[AgentEvent, None]:
        declare(manager)
        context = self._claim(text, session, manager)
        task: asyncio.Task[BaseException | None] | None = None
        try:
            task = asyncio.ensure_future(serve(context))
            task.add_done_callback(lambda _: context._channel.close())
            while (event := await context._channel.get()) is not END:
                yield event
            done, task = task, None
            if (failure := done.result()) is not None:
                try:
                    raise failure
                finally:
                    del failure, done  # or the exception and this frame keep each other alive
            if not context._channel.finished:
                raise AgentProtocolError("the request ended without its last event")
        finally:
            try:
                if task is not None:
                    await _ended(task, context)
            finally:
                self._release(context)

    def _claim(
        self, text: Any, session: Session | str | None, manager: HookManager
    ) -> RequestContext:
        if isinstance(session, str):
            session = self.session(session)
        context = RequestContext(cast("AgentParts", self), manager, session or Session(), text)
        with self._lock, _claims:
            active = self._active.get(context.session_id) or _served.get(id(context.session))
            if active is not None:
                raise SessionBusyError(
                    f"session {context.session_id} of agent {active.agent.name} has a request in "
                    f"progress (it is {active.phase}): wait for it, or use steer() or enqueue()"
                )
            self._active[context.session_id] = _served[id(context.session)] = context
        return context

    def _release(self, context: RequestContext) -> None:
        with self._lock, _claims:
            self._active.pop(context.session_id, None)
            _served.pop(id(context.session), None)
        context._inbox.close()

    def session(self, session_id: str) -> Session:
        """Return the session that the agent keeps under an id, a new one at first."""
        with self._lock:
            return self._sessions.setdefault(session_id, Session(session_id))

    def forget(self, session_id: str) -> None:
        """Drop a session that the agent keeps.

        Raises:
            SessionBusyError: it has a request in progress.
        """
        with self._lock:
            if session_id in self._active:
                raise SessionBusyError(f"session {session_id} has a request in progress")
            self._sessions.pop(session_id, None)

    @property
    def active_sessions(self) -> tuple[str, ...]:
        """The sessions with a request in progress."""
        return tuple(self._active)

    def steer(self, text: Any, session: Session | str) -> bool:
        """Give the request in progress an input that it takes up as soon as it can.

        Tool calls that have not begun are skipped. Any thread may call this.

        Returns:
            Whether the request still comes to it; if not, start another one.
        """
        return self._put(text, session, steering=True)

    def enqueue(self, text: Any, session: Session | str) -> bool:
        """Give the request in progress an input that it takes up after its answer.

        Returns:
            As :meth:`steer`.
        """
        return self._put(text, session, steering=False)

    def _put(self, text: Any, session: Session | str, *, steering: bool) -> bool:
        session_id = session if isinstance(session, str) else session.id
        context = self._active.get(session_id)
        return context is not None and context._inbox.put(text, steering=steering)


async def _ended(task: asyncio.Task[BaseException | None], context: RequestContext) -> None:
    """Wait for a request whose reader left; cancel it unless it is at its very end."""
    context._channel.leave()
    if not context._channel.finished:
        task.cancel()
    again: asyncio.CancelledError | None = None
    while not task.done():
        try:
            await asyncio.wait({task})
        except asyncio.CancelledError as error:
            again = error
    if not task.cancelled():
        task.exception()
    if again is not None:
        raise again
