"""Work that an engine does somewhere: replaying a partition into a store."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from click import ClickException

from hookcore import HookcoreError

from .configuration import Configuration
from .partitions import Partition
from .store import Store
from .worker import replay_partition

__all__ = ["Engine", "Lost", "RefusedError", "Task", "Work"]


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
        try:
            self.store.put(task.number, replay_partition(task.partition, self.configuration))
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
