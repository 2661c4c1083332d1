"""An engine: the workers of a Dask cluster."""

from __future__ import annotations

from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Any

from ..failure import UsageError
from .addresses import address_of
from .work import Lost, RefusedError, Task, Work, reason_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

__all__ = ["Dask"]

_PER_THREAD = 4
"""Tasks that are with the scheduler at once for each of the cluster's threads."""
_POLL = 1.0
"""Seconds after which it is looked whether the scheduler is still there."""
_SECONDS = 30
"""The time that a scheduler, and the first worker, are waited for."""


class Dask:
    """The workers of a Dask scheduler, which must have the same wheels installed.

    Args:
        url: `dask://HOST:PORT`, or `dask+tls://HOST:PORT` with the certificates that Dask's own
            configuration names.
        tell: told how many workers there are.

    Raises:
        UsageError: the URL is another, or Dask is not installed here.
    """

    def __init__(self, url: str, tell: Callable[[str], None]) -> None:
        address = address_of(url, ("dask", "dask+tls"), "scheduler")
        self._is_private = address.scheme == "dask+tls" or address.is_here
        protocol = "tls" if address.scheme == "dask+tls" else "tcp"
        self._address = f"{protocol}://{address.netloc}"
        self._tell = tell

    @property
    def is_private(self) -> bool:
        """True when nobody else can read what is sent."""
        return self._is_private

    def run(self, work: Work, tasks: Sequence[Task]) -> Iterator[tuple[Task, Lost | None]]:
        """Have tasks done; see `Engine`.

        Args:
            work: to be called with each task.
            tasks: the tasks.

        Yields:
            Each task once, as soon as it is done or lost.

        Raises:
            RefusedError: a worker has other code, or cannot load the plugins.
            UsageError: there is no scheduler, or it has no worker.
        """
        try:
            from distributed import Client
        except ImportError:
            raise UsageError("pip install 'hookcore[dask]' to use a Dask cluster") from None
        try:
            client = Client(self._address, timeout=_SECONDS, set_as_default=False)
        except OSError:
            raise UsageError(f"no Dask scheduler answers at {self._address}") from None
        with client:
            self._meet(client, work)
            waiting = iter(tasks)
            flying: dict[str, tuple[Any, Task]] = {}
            done: SimpleQueue[Any] = SimpleQueue()

            def send(count: int) -> None:
                for _, task in zip(range(count), waiting, strict=False):
                    # Nothing of it is pure: what it does, it does to the store.
                    future = client.submit(_do, work, task, pure=False, retries=1)
                    flying[future.key] = (future, task)
                    future.add_done_callback(done.put)

            send(_PER_THREAD * max(1, sum(client.nthreads().values())))
            while flying:
                future = self._next(client, done)
                _, task = flying.pop(future.key)
                error = future.exception()
                if isinstance(error, RefusedError):
                    raise error
                yield task, None if error is None else Lost(_why(error))
                send(1)

    def _next(self, client: Any, done: SimpleQueue[Any]) -> Any:
        """Wait for a task, unless nobody is there any more who could tell of one."""
        while client.status in {"running", "connecting"}:
            try:
                future = done.get(timeout=_POLL)
            except Empty:
                continue
            if not future.cancelled():
                return future
        raise UsageError(
            f"the scheduler at {self._address} is gone: --resume does what it has left"
        )

    def _meet(self, client: Any, work: Work) -> None:
        """Wait for a worker, and let all that are there load the plugins."""
        try:
            client.wait_for_workers(1, timeout=_SECONDS)
        except TimeoutError:
            raise UsageError(f"the scheduler at {self._address} has no worker") from None
        for worker, refused in client.run(_probe, work, on_error="return").items():
            if isinstance(refused, ModuleNotFoundError):
                raise RefusedError(f"{worker}: hookctl is not installed there: {refused}")
            if isinstance(refused, BaseException):
                raise RefusedError(f"{worker}: {type(refused).__name__}: {refused}")
            if refused is not None:
                raise RefusedError(f"{worker}: {refused}")
        threads = client.nthreads()
        self._tell(
            f"{len(threads)} workers with {sum(threads.values())} threads at {self._address}"
        )


def _probe(work: Work) -> str | None:
    """Load the plugins on a worker, once before anything is done there."""
    try:
        work.prepare()
    except RefusedError as error:
        return str(error)
    return None


def _do(work: Work, task: Task) -> None:
    work(task)


def _why(error: BaseException) -> str:
    """Say why a task was lost, without words of a store or of an input."""
    from distributed import KilledWorker

    if isinstance(error, KilledWorker):
        return "the workers that replayed it died, again and again"
    if isinstance(error, OSError):
        return f"{reason_of(error)}, twice"
    return f"it failed twice ({type(error).__name__})"
