"""The answer to one request: from the bytes that a client sent to the answer in its own form."""

from __future__ import annotations

import json
import logging
import os
import threading
import time
from collections import OrderedDict
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Final

from ..dialects import CLIENTS, PASSED, Dialect, MalformedError, Occurrence, denying, read
from ..judging.facts import Deadline
from ..judging.judge import refusal
from ..judging.threads import CrowdedError, TooLateError
from .policies import Policies, UnloadableError

__all__ = ["DEADLINE", "Answering", "BadRequestError"]

_log = logging.getLogger(__name__)
DEADLINE: Final = 7.0
"""The seconds that policies have: less than the thin client waits, and clients wait longer."""
_SESSIONS_KEPT: Final = 4096
_PAUSE: Final = 0.005
_LONGEST_WAIT: Final = 6 * 3600.0


class BadRequestError(Exception):
    """A request that no client's hook makes; the text says why."""


class Answering:
    """Answers the events of all clients.

    Args:
        policies: the policies, by folder.
        seconds: how long they may take.
    """

    def __init__(self, policies: Policies, seconds: float = DEADLINE) -> None:
        self._policies, self._seconds = policies, seconds
        self._lock = threading.Lock()
        self._folders = _Folders()
        self._answered = self._active = 0
        self._last = self._started = time.monotonic()

    def answer(self, client: str, event: str | None, body: bytes) -> Mapping[str, Any]:
        """Return the answer to an event, in the client's own form.

        Args:
            client: the client's name.
            event: the event that the hook is registered for; None where the client tells it.
            body: what the client told, JSON.

        Raises:
            BadRequestError: there is no such client, or nothing that could be denied.
        """
        dialect = CLIENTS.get(client)
        if dialect is None:
            raise BadRequestError(
                f"there is no client {client[:64]!a}: one of {', '.join(CLIENTS)}"
            )
        self._answered += 1
        return self._answer(dialect, event, body)

    @contextmanager
    def busy(self) -> Iterator[None]:
        """Count a request as long as it is answered."""
        with self._lock:
            self._active += 1
        try:
            yield
        finally:
            with self._lock:
                self._active -= 1
                self._last = time.monotonic()

    def wait(self) -> None:
        """Wait until all requests are answered, as long as one may take."""
        deadline = Deadline(self._seconds)
        while self._active and deadline.left:
            time.sleep(_PAUSE)

    def status(self) -> dict[str, Any]:
        """Return what there is to know of the daemon."""
        return {
            "pid": os.getpid(),
            "answered": self._answered,
            "active": self._active,
            "open_calls": self._policies.open_calls,
            "seconds": round(time.monotonic() - self._started, 1),
        }

    @property
    def idle_seconds(self) -> float:
        """The seconds since somebody asked last; 0 while somebody is going to.

        A call that has begun will end, and its end is told, unless its user said no.
        """
        idle = time.monotonic() - self._last
        if self._active or (idle < _LONGEST_WAIT and self._policies.open_calls):
            return 0.0
        return idle

    def _answer(self, dialect: Dialect, event: str | None, body: bytes) -> Mapping[str, Any]:
        deadline = Deadline(self._seconds)
        try:
            told = read(dialect, json.loads(body), event)
        except (MalformedError, ValueError, RecursionError) as error:
            why = str(error) if isinstance(error, MalformedError) else "it is no JSON"
            _log.error("%s told what cannot be read: %s", dialect.client, why)
            return _refused(dialect, event, f"hookcore cannot read what it was told: {why}")
        problem = "hookcore has no policies for this folder in time"
        try:
            judge = self._policies.judge_of(self._folders.of(told), deadline)
            return judge.answer(told, deadline.left)
        except UnloadableError as error:
            problem = str(error)
        except (TooLateError, CrowdedError):
            _log.error("%s: %s", dialect.client, problem)
        return refusal(told, problem)


class _Folders:
    """The folder that each session began in, whose configuration holds for all of it.

    An agent that goes elsewhere, say where it has written a configuration of its own, stays under
    the policies that it began with.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._known: OrderedDict[tuple[str, str], str] = OrderedDict()

    def of(self, told: Occurrence) -> str:
        """Return the folder of an event's session."""
        key = (told.dialect.client, told.session_id)
        with self._lock:
            folder = self._known.setdefault(key, told.cwd)
            self._known.move_to_end(key)
            while len(self._known) > _SESSIONS_KEPT:
                self._known.popitem(last=False)
        return folder


def _refused(dialect: Dialect, event: str | None, reason: str) -> Mapping[str, Any]:
    known = dialect.events.get(event or "")
    if known is None:
        raise BadRequestError(reason)
    return denying(known, reason) or PASSED
