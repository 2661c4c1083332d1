"""The worker pool: a bounded queue, a bound for each channel, and order for each sender."""

from __future__ import annotations

import asyncio
import logging
from collections import Counter, deque
from collections.abc import Awaitable, Callable, Iterable
from contextvars import Context, copy_context
from functools import partial

from .channels import Outcome
from .errors import QueueFullError
from .jobs import Job
from .limits import Limits
from .shown import log_failure, shown
from .visits import Origin

__all__ = ["Pool"]

logger = logging.getLogger("hookcore")

_MOST_URGENT = 64


class Pool:
    """Lets workers deal with messages: those of one sender in order, of many at once.

    Args:
        handle: deals with one message, and never raises.
        limits: the bounds.
        channels: the names of the channels, which take turns.
    """

    def __init__(
        self, handle: Callable[[Job], Awaitable[None]], limits: Limits, channels: Iterable[str]
    ) -> None:
        self._handle = handle
        self._limits = limits
        self._ready: dict[str, deque[Origin]] = {name: deque() for name in channels}
        self._workers = limits.workers_for(self._ready)
        self._lanes: dict[Origin, deque[Job]] = {}
        self._busy: Counter[str] = Counter()
        self._running: dict[asyncio.Task[None], Job] = {}
        #: Those of the running ones that hold a place: not those whose reply is being delivered.
        self._placed: set[Job] = set()
        self._urgent: dict[asyncio.Task[None], Job] = {}
        self._changed = asyncio.Event()
        self._context: Context = copy_context()
        self.waiting = 0
        self._bytes = 0

    @property
    def running(self) -> int:
        """The number of messages that are being worked on, or delivered."""
        return len(self._running)

    @property
    def is_full(self) -> bool:
        """True when as many messages as may wait for a worker, or for the reader of their reply."""
        delivering = len(self._running) - len(self._placed)
        limits = self._limits
        return self.waiting + delivering >= limits.queue or self._bytes >= limits.queue_bytes

    def submit(self, job: Job) -> None:
        """Queue a message.

        Raises:
            QueueFullError: too many wait.
        """
        if self.is_full:
            raise self._full(f"{self.waiting} messages wait already")
        lane = self._lanes.get(job.origin)
        if lane is None:
            # An empty lane stays while its only message is worked on: it holds back the next one.
            lane = self._lanes[job.origin] = deque()
            self._ready[job.message.channel].append(job.origin)
        lane.append(job)
        self.waiting += 1
        self._bytes += job.size
        self._pump()

    def submit_urgent(self, job: Job) -> None:
        """Deal with a command at once, beside the workers.

        Raises:
            QueueFullError: too many are being dealt with.
        """
        if sum(not other.sending for other in self._urgent.values()) >= _MOST_URGENT:
            raise self._full(f"{_MOST_URGENT} urgent commands are being dealt with")
        if len(self._urgent) >= self._limits.queue:
            raise self._full("the replies to as many urgent commands are being delivered")
        task = self.start(self._dealt(job))
        self._urgent[task] = job
        task.add_done_callback(self._urgent.pop)

    def _full(self, why: str) -> QueueFullError:
        seconds = self._limits.retry_after
        return QueueFullError(f"{why}: try again in {seconds} s", seconds)

    def start(self, work: Awaitable[None]) -> asyncio.Task[None]:
        """Begin a task in the gateway's own context."""
        # Never in the caller's: it may be a hook's, or another message's.
        return self._context.copy().run(asyncio.ensure_future, work)

    def _pump(self) -> None:
        while len(self._placed) < self._workers and (lane := self._next()) is not None:
            job = self._lanes[lane].popleft()
            self.waiting -= 1
            self._bytes -= job.size
            self._placed.add(job)
            self._busy[job.message.channel] += 1
            job.make_way = partial(self._freed, job)
            task = self.start(self._dealt(job))
            self._running[task] = job
            task.add_done_callback(self._ended)
        self._changed.set()

    def _next(self) -> Origin | None:
        for channel in list(self._ready):
            lanes = self._ready.pop(channel)
            self._ready[channel] = lanes  # to the end: the channels take turns
            if lanes and self._busy[channel] < self._limits.of_channel(channel):
                return lanes.popleft()
        return None

    def _freed(self, job: Job) -> None:
        """Give a message's place to another one; the next of its own sender still waits for it."""
        if job in self._placed:
            self._placed.discard(job)
            self._busy[job.message.channel] -= 1
            self._pump()

    def _ended(self, task: asyncio.Task[None]) -> None:
        job = self._running.pop(task)
        self._freed(job)
        if self._lanes[job.origin]:
            self._ready[job.message.channel].append(job.origin)
        else:
            del self._lanes[job.origin]
        self._pump()

    async def _dealt(self, job: Job) -> None:
        try:
            await self._handle(job)
        except Exception as error:  # noqa: BLE001 - it is logged, and the sender told
            log_failure(logger, error, "message %s was lost", shown(job.message.id))
        finally:
            job.ticket.finish(Outcome(job.cause or "error", job.delivered))

    def cancel(self, wanted: Callable[[Job], bool], cause: str) -> int:
        """Cancel messages in flight and waiting ones; each still gets a reply that says so.

        Args:
            wanted: picks them.
            cause: the status that they end with.

        Returns:
            How many.
        """
        waiting = [job for lane in self._lanes.values() for job in lane]
        chosen = [job for job in (*self._running.values(), *waiting) if wanted(job)]
        for job in chosen:
            job.cancel(cause)
        return len(chosen)

    async def room(self) -> None:
        """Return when a message fits into the queue."""
        while self.is_full:
            self._changed.clear()
            await self._changed.wait()

    async def drain(self) -> None:
        """Deal with everything that was accepted; after ``Limits.drain`` seconds cancel it."""
        if await self._idle(self._limits.drain):
            return
        late = self.cancel(lambda _: True, "shutdown")
        logger.error("%d messages were not done in time and are told so", late)
        if await self._idle(self._limits.grace + self._limits.send_timeout):
            return
        tasks = [*self._running, *self._urgent]
        for lane in self._lanes.values():
            for job in lane:
                job.ticket.finish(Outcome("shutdown"))
            self.waiting -= len(lane)
            self._bytes -= sum(job.size for job in lane)
            lane.clear()
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks, timeout=self._limits.grace)

    async def _idle(self, seconds: float) -> bool:
        end = asyncio.get_running_loop().time() + seconds
        while tasks := {*self._running, *self._urgent}:
            left = end - asyncio.get_running_loop().time()
            if left <= 0:
                return False
            await asyncio.wait(tasks, timeout=left, return_when=asyncio.FIRST_COMPLETED)
            await asyncio.sleep(0)  # what ends a task starts the next one
        return True
