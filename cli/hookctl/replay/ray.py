"""An engine: the workers of a Ray cluster."""

from __future__ import annotations

import os
import warnings
from contextlib import contextmanager
from socket import create_connection
from typing import TYPE_CHECKING, Any

from ..failure import UsageError
from .addresses import address_of
from .work import Lost, RefusedError, Task, Work, reason_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

__all__ = ["Ray"]

_PER_CORE = 4
"""Tasks that are with the cluster at once for each of its cores."""
_SECONDS = 10
"""The time that the cluster's port is waited for."""
_ATTEMPTS = 3
"""The times that a client connects: a busy cluster takes longer than Ray's client waits."""


class Ray:
    """The workers of a Ray cluster, which must have the same wheels installed.

    Args:
        url: `ray://HOST:PORT` of the cluster's server for clients.
        tell: told how many nodes and cores there are.

    Raises:
        UsageError: the URL is another, or Ray is not installed here.
    """

    def __init__(self, url: str, tell: Callable[[str], None]) -> None:
        self._address = address_of(url, ("ray",), "Ray cluster")
        self._tell = tell

    @property
    def is_private(self) -> bool:
        """True when nobody else can read what is sent."""
        return self._address.is_here or os.environ.get("RAY_USE_TLS") == "1"

    def run(self, work: Work, tasks: Sequence[Task]) -> Iterator[tuple[Task, Lost | None]]:
        """Have tasks done; see `Engine`.

        Args:
            work: to be called with each task.
            tasks: the tasks.

        Yields:
            Each task once, as soon as it is done or lost.

        Raises:
            RefusedError: a worker has other code, or cannot load the plugins.
            UsageError: there is no cluster, or it is gone.
        """
        try:
            import ray
        except ImportError:
            raise UsageError("pip install 'hookcore[ray]' to use a Ray cluster") from None
        with self._connected(ray), self._answering():
            self._meet(ray, work)
            do = ray.remote(max_retries=1, retry_exceptions=True)(_do)
            sent, waiting = ray.put(work), iter(tasks)
            flying: dict[Any, Task] = {}

            def send(count: int) -> None:
                for _, task in zip(range(count), waiting, strict=False):
                    flying[do.remote(sent, task)] = task

            send(_PER_CORE * max(1, int(ray.cluster_resources().get("CPU", 1))))
            while flying:
                (done,), _ = ray.wait(list(flying), num_returns=1)
                yield flying.pop(done), _outcome(ray, done)
                send(1)

    @contextmanager
    def _connected(self, ray: Any) -> Iterator[None]:
        """Connect as Ray's client, with whose server nothing but tasks need be shared."""
        url = f"ray://{self._address.netloc}"
        silent = UsageError(f"no Ray cluster answers at {url}, or it wants another token")
        try:
            # Ray itself would take half a minute to find out.
            create_connection((self._address.host, self._address.port), _SECONDS).close()
        except OSError:
            raise silent from None
        for attempt in range(_ATTEMPTS):
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    client = ray.init(
                        url, allow_multiple=True, log_to_driver=False, logging_level="ERROR"
                    )
                break
            except ConnectionError:
                if attempt + 1 == _ATTEMPTS:
                    raise silent from None
            except (RuntimeError, ray.exceptions.RayError) as error:
                raise UsageError(f"{url}: {str(error).splitlines()[0]}") from None
        with client:
            yield

    @contextmanager
    def _answering(self) -> Iterator[None]:
        try:
            yield
        except ConnectionError:
            raise UsageError(
                f"the Ray cluster at {self._address.netloc} is gone: --resume does what it has left"
            ) from None

    def _meet(self, ray: Any, work: Work) -> None:
        """Let a worker of each node load the plugins."""
        from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

        probe = ray.remote(num_cpus=0)(_probe)
        nodes = [node for node in ray.nodes() if node["Alive"]]
        found = {
            node["NodeManagerAddress"]: probe.options(
                scheduling_strategy=NodeAffinitySchedulingStrategy(node["NodeID"], soft=False)
            ).remote(work)
            for node in nodes
        }
        for node, answer in found.items():
            try:
                refused = ray.get(answer)
            except ray.exceptions.RayError as error:
                refused = f"hookctl cannot work there ({type(error).__name__}): is it installed?"
            if refused is not None:
                raise RefusedError(f"{node}: {refused}")
        cores = int(ray.cluster_resources().get("CPU", 0))
        self._tell(f"{len(nodes)} nodes with {cores} cores at ray://{self._address.netloc}")


def _probe(work: Work) -> str | None:
    """Load the plugins on a node, once before anything is done there."""
    try:
        work.prepare()
    except RefusedError as error:
        return str(error)
    return None


def _do(work: Work, task: Task) -> str | None:
    """Do a task, and say why nothing may be judged; what is raised is tried once more."""
    try:
        work(task)
    except RefusedError as error:
        return str(error)
    return None


def _outcome(ray: Any, done: Any) -> Lost | None:
    """Say what became of a task, without words of a store or of an input."""
    try:
        refused = ray.get(done)
    except ray.exceptions.WorkerCrashedError:
        return Lost("the workers that replayed it died, again and again")
    except ray.exceptions.RayTaskError as error:
        if isinstance(error.cause, OSError):
            return Lost(f"{reason_of(error.cause)}, twice")
        return Lost(f"it failed twice ({type(error.cause).__name__})")
    except ray.exceptions.RayError as error:
        return Lost(f"it failed twice ({type(error).__name__})")
    if refused is not None:
        raise RefusedError(refused)
    return None
