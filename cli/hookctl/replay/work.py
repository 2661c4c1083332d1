"""Work that an engine does somewhere: replaying a partition into a store."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Protocol

from click import ClickException

from hookcore import HookcoreError
from hookcore.disk.state import not_recording

from .configuration import Configuration
from .inputs import ChangedInputError
from .partitions import Partition
from .places import StoreError
from .store import Store
from .worker import load_for, replay_partition

__all__ = ["Engine", "Lost", "RefusedError", "RemoteEngine", "Task", "Work", "reason_of"]


class RefusedError(Exception):
    """A worker must not judge anything, so that no other partition need be tried."""


@dataclass(frozen=True, slots=True)
class Task:
    """A partition, and its number in the plan."""

    number: int
    partition: Partition

    def __str__(self) -> str:
        return str(self.partition)


@dataclass(frozen=True, slots=True)
class Lost:
    """A task that could not be done."""

    reason: str


def reason_of(error: OSError) -> str:
    """Say why a task failed, in words that quote no input and no secret.

    Args:
        error: what `Work` raised.

    Returns:
        The system's words, or our own; of anybody else's error its class.
    """
    if isinstance(error, StoreError | ChangedInputError):
        return str(error)
    return error.strerror or type(error).__name__


@dataclass(frozen=True, slots=True)
class Work:
    """Replays tasks into a store; it can be pickled, and be done more than once."""

    configuration: Configuration
    store: Store

    def __call__(self, task: Task) -> None:
        """Do a task.

        Args:
            task: the task. Done twice, it comes to the same files.

        Raises:
            RefusedError: the plugins cannot be loaded as they are configured.
            OSError: a store cannot be reached; trying it again may help.
        """
        with _refusing():
            self.store.put(task.number, replay_partition(task.partition, self.configuration))

    def prepare(self) -> None:
        """Load the plugins, so that it is known before any task whether they can be.

        Raises:
            RefusedError: they cannot, or are not the code that was meant.
        """
        with _refusing(), not_recording():
            load_for(self.configuration).close()


@contextmanager
def _refusing() -> Iterator[None]:
    try:
        yield
    except HookcoreError as error:
        raise RefusedError(str(error)) from None
    except ClickException as error:
        raise RefusedError(error.format_message()) from None


class Engine(Protocol):
    """Somebody who has work done: processes of this machine, or a cluster."""

    def run(self, work: Work, tasks: Sequence[Task]) -> Iterator[tuple[Task, Lost | None]]:
        """Have every task done, each tried once more where it failed.

        Args:
            work: to be called with each task, in any process and order.
            tasks: the tasks.

        Yields:
            Each task once, as soon as it is done or lost.

        Raises:
            RefusedError: work was refused; nothing else is tried.
        """
        ...


class RemoteEngine(Engine, Protocol):
    """An engine that an entry point of the group `hookcore.engines` makes.

    The entry point is called with the URL, whose scheme is its name, and with a function that
    is told what is worth a line.
    """

    @property
    def is_private(self) -> bool:
        """True when nobody else can read what is sent there."""
        ...
