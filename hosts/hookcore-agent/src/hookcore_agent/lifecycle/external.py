"""Waiting for replies from outside: a question goes out, one reply to it is taken."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Collection
from contextlib import asynccontextmanager
from dataclasses import dataclass
from threading import Lock
from typing import Any
from weakref import WeakKeyDictionary

from ..context import RequestContext
from ..events import ExtensionEvent, ExternalEvent, RunCancelledEvent
from ..session import RunConfig
from ..tools import current_tool_call_id
from .extension import Extension

__all__ = ["ExternalEventExtension"]


@dataclass(eq=False)
class _Wait:
    """A question that nobody has answered yet."""

    context: RequestContext
    correlation_id: str
    names: frozenset[str]
    loop: asyncio.AbstractEventLoop
    reply: asyncio.Future[ExternalEvent]
    claimed: bool = False

    def is_answered_by(self, config: RunConfig) -> bool:
        if config.session_id != self.context.session_id or self.claimed:
            return False
        return config.request_id in (None, self.context.run_id)

    def settle(self, event: ExternalEvent) -> None:
        if not self.reply.done():
            self.reply.set_result(event)


class ExternalEventExtension(Extension):
    """Asks something outside of a tool call and waits for the reply before the tool runs.

    A subclass overrides ``before_tool``::

        async with self._wait_for_external_event(context, question_id):
            await context.emit(AgentEvent("custom", name="question", payload=...))

    and its tool then takes the reply with ``_take_external_event(context)``. Who overrides
    ``accept``, ``on_event`` or ``on_error`` calls ``super()`` there.

    Args:
        response_event_name: the name, or the names, of the events that are replies.
        correlation_field: the key of a reply's payload that holds the question's id.
        name: as for every extension.
        priority: as for every extension.

    Raises:
        ValueError: a name or the field is empty.
    """

    def __init__(
        self,
        *,
        response_event_name: str | Collection[str],
        correlation_field: str,
        name: str | None = None,
        priority: int | None = None,
    ) -> None:
        super().__init__(name=name, priority=priority)
        self._names = _checked_names(response_event_name)
        if not isinstance(correlation_field, str) or not correlation_field.strip():
            raise ValueError("correlation_field= takes the name of a key, not an empty one")
        self._field = correlation_field
        self._claims = Lock()
        self._waits: list[_Wait] = []
        #: The replies by request and tool call, gone with the request whatever a subclass forgets.
        self._staged: WeakKeyDictionary[RequestContext, dict[str | None, ExternalEvent]] = (
            WeakKeyDictionary()
        )

    @asynccontextmanager
    async def _wait_for_external_event(
        self,
        context: RequestContext,
        correlation_id: str,
        response_event_name: str | Collection[str] | None = None,
    ) -> AsyncIterator[None]:
        """Wait at the end of the block for the reply to the question that the block asks.

        Args:
            context: the request.
            correlation_id: the question's id, which a reply has to name.
            response_event_name: the only names that a reply may have; the extension's when None.

        Raises:
            ValueError: the id is blank, or a question with this id is open in the session.
        """
        if not isinstance(correlation_id, str) or not correlation_id.strip():
            raise ValueError("a question needs an id, a text that is not blank")
        wait = self._opened(context, correlation_id, response_event_name)
        try:
            # Registered before the question leaves, so that a reply cannot come too early.
            yield
            event = await wait.reply
            self._staged.setdefault(context, {})[current_tool_call_id()] = event
        finally:
            with self._claims:
                wait.claimed = True
                self._waits.remove(wait)
            wait.reply.cancel()

    def _opened(
        self, context: RequestContext, correlation_id: str, names: str | Collection[str] | None
    ) -> _Wait:
        allowed = self._names if names is None else _checked_names(names)
        loop = asyncio.get_running_loop()
        wait = _Wait(context, correlation_id, allowed, loop, loop.create_future())
        with self._claims:
            for other in self._waits:
                same = other.context.session_id == context.session_id
                if same and other.correlation_id == correlation_id:
                    raise ValueError(f"a question with the id {correlation_id!r} is open already")
            self._waits.append(wait)
        return wait

    def _take_external_event(self, context: RequestContext) -> ExternalEvent:
        """Return the reply for the current tool call, once.

        Raises:
            RuntimeError: there is none, or it was taken already.
        """
        try:
            return self._staged[context].pop(current_tool_call_id())
        except KeyError:
            raise RuntimeError(
                "no reply is there for this tool call: it is taken once, by the call that waited"
            ) from None

    def accept(self, config: RunConfig | None, event: ExternalEvent) -> bool:
        """Take an event that replies to an open question, each question's first reply only.

        Args:
            config: which request the event is for.
            event: the event.
        """
        if config is None or not isinstance(event, ExternalEvent):
            return False
        correlation_id = self._correlation_id(event)
        if correlation_id is None:
            return False
        with self._claims:
            for wait in self._waits:
                if (
                    wait.correlation_id == correlation_id
                    and event.name in wait.names
                    and wait.is_answered_by(config)
                ):
                    break
            else:
                return False
            try:
                wait.loop.call_soon_threadsafe(wait.settle, event)
            except RuntimeError:  # the loop has been closed
                return False
            wait.claimed = True
            return True

    def _correlation_id(self, event: ExternalEvent) -> str | None:
        payload: Any = event.payload
        try:
            value = payload[self._field]
        except (KeyError, TypeError, IndexError):
            value = getattr(event, self._field, None)
        return value if isinstance(value, str) and value.strip() else None

    async def on_event(self, context: RequestContext, event: ExtensionEvent) -> None:
        """Drop what belongs to a request that was cancelled.

        Args:
            context: the request.
            event: the event.
        """
        if isinstance(event, RunCancelledEvent):
            self._drop(context, None)

    async def on_error(self, context: RequestContext, error: Exception) -> None:
        """Drop what belongs to a request that failed.

        Args:
            context: the request.
            error: what those who still wait are told.
        """
        self._drop(context, error)

    async def on_success(self, context: RequestContext, result: Any) -> None:
        """Drop replies that no tool took.

        Args:
            context: the request.
            result: the result.
        """
        del result
        self._drop(context, None)

    def _drop(self, context: RequestContext, error: Exception | None) -> None:
        self._staged.pop(context, None)
        with self._claims:
            waits = [wait for wait in self._waits if wait.context is context]
        for wait in waits:
            if wait.reply.done():
                continue
            if error is None:
                wait.reply.cancel()
            else:
                wait.reply.set_exception(error)


def _checked_names(names: str | Collection[str]) -> frozenset[str]:
    made = frozenset([names] if isinstance(names, str) else names)
    if not made or not all(isinstance(name, str) and name.strip() for name in made):
        raise ValueError("response_event_name= takes a name or several, none of them empty")
    return made
