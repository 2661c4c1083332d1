"""A replay by several processes, put together as if one had done it."""

from __future__ import annotations

import shutil
import sys
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from ..output import note
from .crew import Crew, Lost
from .formats.source import Names
from .partitions import STDIN, plan, whole

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from .findings import Ledger
    from .partitions import Partition
    from .worker import Order

__all__ = ["replay_side_by_side"]


def replay_side_by_side(
    order: Order,
    ledger: Ledger,
    files: Sequence[str],
    jobs: int,
    on_bytes: Callable[[int], None] | None = None,
) -> None:
    """Replay inputs in processes of their own.

    Args:
        order: what judges, and how the inputs are read.
        ledger: where findings and numbers go, in the order of the inputs. What could not be
            replayed, since its process died twice, is unreadable.
        files: files, or `-`.
        jobs: how many processes.
        on_bytes: told the number of bytes after each partition.
    """
    names = Names()
    with _on_disk(files) as inputs, Crew(order, jobs, note) as crew:
        for partition, found in crew.replay(plan(inputs, jobs, order.forced)):
            if isinstance(found, Lost):
                ledger.unreadable.append(
                    {"where": str(partition), "reason": f"{found.reason}, twice"}
                )
            else:
                ledger.take(found.share, names.renamed(found.names))
            if on_bytes is not None:
                on_bytes(partition.length or 0)


@contextmanager
def _on_disk(files: Sequence[str]) -> Iterator[list[Partition]]:
    """Put standard input into a file, where other processes can read it."""
    with TemporaryDirectory(prefix="hookctl-replay-") as folder:
        inputs = [whole(path) for path in files]
        for at, one in enumerate(inputs):
            if one.path == STDIN:
                copy = Path(folder, str(at))
                with copy.open("wb") as target:
                    shutil.copyfileobj(sys.stdin.buffer, target)
                inputs[at] = replace(one, path=str(copy))
        yield inputs
