"""Sessions: a conversation between requests, and the inbox of the request in progress."""

from __future__ import annotations

import uuid
from collections import deque
from collections.abc import Iterable, Mapping
from threading import Lock
from typing import Any

from .errors import AgentIterationLimitError
from .messages import Message, as_message

__all__ = ["Inbox", "RunConfig", "Session"]


class RunConfig:
    """Says which request an event from outside is for.

    Args:
        session_id: the session.
        request_id: the run; None for whichever is in progress.
    """

    __slots__ = ("request_id", "session_id")

    def __init__(self, session_id: str, request_id: str | None = None) -> None:
        self.session_id = session_id
        self.request_id = request_id

    def __repr__(self) -> str:
        return f"RunConfig({self.session_id!r}, {self.request_id!r})"


class Session:
    """A conversation that goes on from request to request.

    Args:
        session_id: its id; made when None.
        messages: what was said before.
        data: what else belongs to it; plain data can be saved as JSON.
    """

    def __init__(
        self,
        session_id: str | None = None,
        messages: Iterable[Mapping[str, Any]] = (),
        data: Mapping[str, Any] | None = None,
    ) -> None:
        self.id = session_id or uuid.uuid4().hex
        self.data: dict[str, Any] = dict(data or {})
        self.data["messages"] = [as_message(message) for message in messages]

    @property
    def messages(self) -> list[Message]:
        """The conversation."""
        messages: list[Message] = self.data.setdefault("messages", [])
        return messages

    def __repr__(self) -> str:
        return f"<Session {self.id} with {len(self.messages)} messages>"


class Inbox:
    """Messages that came in while a request is in progress; any thread may put something in."""

    def __init__(self, most_internal: int) -> None:
        self._lock = Lock()
        self._closed = False
        self._steering: deque[Any] = deque()
        self._queued: deque[Any] = deque()
        self._internal: deque[Any] = deque()
        self._internal_left = most_internal

    def put(self, content: Any, *, steering: bool) -> bool:
        """Put in an input; return whether the request will still come to it."""
        with self._lock:
            if not self._closed:
                (self._steering if steering else self._queued).append(content)
            return not self._closed

    def put_internal(self, content: Any) -> None:
        """Put in an input of an extension.

        Raises:
            AgentIterationLimitError: extensions have put in as many as a request takes.
        """
        with self._lock:
            if self._internal_left == 0:
                raise AgentIterationLimitError("extensions asked for too many follow-ups")
            self._internal_left -= 1
            self._internal.append(content)

    @property
    def is_steered(self) -> bool:
        """True when there is input that does not wait for the end of the answer."""
        return bool(self._steering)

    def steering(self) -> list[Any]:
        """Take all input that does not wait."""
        with self._lock:
            taken = list(self._steering)
            self._steering.clear()
            return taken

    def next_or_close(self) -> tuple[Any] | None:
        """Take the next input of any kind; when there is none, take no more and return None."""
        with self._lock:
            for waiting in (self._steering, self._internal, self._queued):
                if waiting:
                    return (waiting.popleft(),)
            self._closed = True
            return None

    def close(self) -> None:
        """Take no more."""
        with self._lock:
            self._closed = True
            for waiting in (self._steering, self._internal, self._queued):
                waiting.clear()
