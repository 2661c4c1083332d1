"""A replay by partitions: planned, done by an engine, and put together as if one had done it."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from ..failure import BrokenError, UsageError
from .digests import code_in_force
from .findings import merge
from .partitions import LARGEST, STDIN, plan, suiting, whole
from .places import absolute, expanded
from .store import Store
from .work import RefusedError, Task, Work

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from .configuration import Configuration
    from .findings import Ledger
    from .partitions import Partition
    from .work import Engine

__all__ = ["Shard", "replay_into", "replay_side_by_side"]

Progress = Callable[[int | None], AbstractContextManager[Callable[[int], None] | None]]
"""Given the bytes that are to be read, a block that knows who is told of those that were read."""
_VERSION = 1
_MOST_NAMED = 5


def _silent(_total: int | None) -> AbstractContextManager[None]:
    """Show nothing."""
    return nullcontext()


@dataclass(frozen=True, slots=True)
class Shard:
    """One of several shares of the partitions, each done by a job of its own."""

    number: int
    """From 1."""
    of: int

    def has(self, task: Task) -> bool:
        """Tell whether a task belongs to the share.

        Args:
            task: the task.

        Returns:
            True for one in `of` tasks.
        """
        return task.number % self.of == self.number - 1


def replay_side_by_side(
    configuration: Configuration,
    ledger: Ledger,
    files: Sequence[str],
    engine: Engine,
    *,
    jobs: int,
    progress: Progress = _silent,
) -> None:
    """Replay inputs by an engine on this machine, and keep nothing but what comes to the ledger.

    Args:
        configuration: what judges, and how the inputs are read.
        ledger: where findings and numbers go, in the order of the inputs. What could not be
            replayed is unreadable.
        files: files, URLs, patterns, or `-`.
        engine: who does the work.
        jobs: how many partitions are done at once.
        progress: shows how far it is.
    """
    with TemporaryDirectory(prefix="hookctl-replay-") as folder:
        inputs = _on_disk([path for given in files for path in expanded(given)], Path(folder))
        size = suiting(inputs, jobs)
        tasks = _numbered(plan(inputs, size=size, forced=configuration.forced))
        work = Work(configuration, Store(folder, durable=False))
        _merged(work.store, tasks, ledger, _done(engine, work, tasks, progress))


def replay_into(
    out: str,
    configuration: Configuration,
    ledger: Ledger,
    files: Sequence[str],
    engine: Engine,
    *,
    resume: bool = False,
    shard: Shard | None = None,
    size: int | None = None,
    progress: Progress = _silent,
) -> int:
    """Replay inputs into a folder, from which the replay can be continued.

    Args:
        out: the folder, a path or a URL.
        configuration: what judges, and how the inputs are read.
        ledger: where findings and numbers go, in the order of the inputs, once all are there.
        files: files, URLs or patterns.
        engine: who does the work.
        resume: whether to do what is missing of a replay that is there.
        shard: the share to do; None for all, and then the summary is written.
        size: bytes of one partition, about; None for that of the replay that is there, or 8 MiB.
        progress: shows how far it is.

    Returns:
        How many partitions are still to be done, by other shards or another try.

    Raises:
        UsageError: the folder holds a replay, or one of other inputs, settings or code.
        BrokenError: the plugins could not be loaded where the work is done.
    """
    if STDIN in files:
        raise UsageError("standard input cannot be read again: write it to a file to use --out")
    store = Store(absolute(out))
    there = store.plan()
    if there is not None and not resume and shard is None:
        raise UsageError(f"{out} holds a replay already: --resume does what is missing of it")
    size = size or (there or {}).get("size") or LARGEST
    partitions = plan(files, size=size, forced=configuration.forced, pinned=True)
    _settle(store, there, _plan_of(partitions, size, configuration))
    tasks = _numbered(partitions)
    done = store.done()
    mine = [
        task for task in tasks if task.number not in done and (shard is None or shard.has(task))
    ]
    lost = _done(engine, Work(configuration, store), mine, progress)
    if shard is not None:
        _refuse(ledger, lost)
        return len(tasks) - len(store.done() & {task.number for task in tasks})
    _merged(store, tasks, ledger, lost)
    store.put_summary(ledger.summary())
    return len(lost)


def _numbered(partitions: Sequence[Partition]) -> list[Task]:
    """Number partitions, and name their files so that another working folder does no harm."""
    return [
        Task(number, replace(partition, path=absolute(partition.path)))
        for number, partition in enumerate(partitions)
    ]


def _done(
    engine: Engine,
    work: Work,
    tasks: Sequence[Task],
    progress: Progress,
) -> dict[int, tuple[Task, str]]:
    """Have tasks done, and give those that were lost, with the reason."""
    lost = {}
    total = sum(task.partition.bytes for task in tasks)
    try:
        with progress(total) as on_bytes:
            for task, found in engine.run(work, tasks):
                if found is not None:
                    lost[task.number] = (task, found.reason)
                if on_bytes is not None:
                    on_bytes(task.partition.bytes)
    except RefusedError as error:
        raise BrokenError(str(error)) from None
    return lost


def _merged(
    store: Store, tasks: Sequence[Task], ledger: Ledger, lost: dict[int, tuple[Task, str]]
) -> None:
    for task in tasks:
        if task.number in lost:
            _refuse(ledger, {task.number: lost[task.number]})
        else:
            _take(store, task, ledger)


def _take(store: Store, task: Task, ledger: Ledger) -> None:
    try:
        merge([store.partial(task.number)], ledger)
    except FileNotFoundError:
        raise UsageError(
            f"{task} was replayed, and what it came to is not in {store.folder}: --out has to be "
            "the same place here and where the work is done"
        ) from None


def _refuse(ledger: Ledger, lost: dict[int, tuple[Task, str]]) -> None:
    for task, reason in lost.values():
        ledger.refuse(str(task), reason)


def _plan_of(
    partitions: Sequence[Partition], size: int, configuration: Configuration
) -> dict[str, Any]:
    return {
        "version": _VERSION,
        "size": size,
        "settings": configuration.digest(),
        "code": code_in_force(configuration.config),
        # A path may be a URL with a signature in it.
        "partitions": [
            {key: value for key, value in part.to_data().items() if key != "path"}
            for part in partitions
        ],
    }


def _settle(store: Store, there: dict[str, Any] | None, here: dict[str, Any]) -> None:
    """Write the plan, or make sure that the one that is there is the same."""
    if there is None:
        store.put_plan(here)
        return
    if differences := list(_differences(there, here)):
        raise UsageError(
            f"{store.folder} holds a replay of something else ({'; '.join(differences)}), and "
            "cannot be continued: replay into another folder"
        )


def _differences(there: dict[str, Any], here: dict[str, Any]) -> Iterator[str]:
    if there.keys() != here.keys() or there["version"] != here["version"]:
        yield "another hookctl wrote it"
        return
    if there["settings"] != here["settings"]:
        yield "the settings, the plugins or --format are others"
    for name in sorted({*there["code"], *here["code"]}):
        was, now = (plan["code"].get(name, "not there") for plan in (there, here))
        if was != now:
            yield f"{name} was {was} and is {now}"
    if there["size"] != here["size"]:
        yield f"--partition-size was {there['size']}"
    elif there["partitions"] != here["partitions"]:
        changed = [
            one["name"]
            for plan, other in ((there, here), (here, there))
            for one in plan["partitions"]
            if one not in other["partitions"]
        ]
        names = list(dict.fromkeys(changed))[:_MOST_NAMED]
        yield f"inputs are others or have changed: {', '.join(names) or 'their order'}"


def _on_disk(files: Sequence[str], folder: Path) -> list[Partition]:
    """Put standard input into a file, where other processes can read it."""
    inputs = [whole(path) for path in files]
    for at, one in enumerate(inputs):
        if one.path == STDIN:
            copy = folder / f"stdin-{at}"
            with copy.open("wb") as target:
                shutil.copyfileobj(sys.stdin.buffer, target)
            inputs[at] = replace(one, path=str(copy))
    return inputs
