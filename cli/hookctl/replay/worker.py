"""The work of one process of a replay: partitions that it is sent, one after the other."""

from __future__ import annotations

import os
import signal
import sys
from contextlib import closing, redirect_stdout
from dataclasses import dataclass
from multiprocessing import parent_process
from threading import Thread
from typing import TYPE_CHECKING, Any

from .engine import Engine, quiet
from .findings import Ledger, Share
from .formats.source import Names
from .inputs import Inputs
from .managers import manager_with

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

    from hookcore import HookManager

    from .partitions import Partition

__all__ = ["Done", "Order", "replay_partition", "serve"]


@dataclass(frozen=True, slots=True)
class Order:
    """The things that all partitions of a replay have in common."""

    plugins: tuple[str, ...] = ()
    """Plugins to switch on, in addition to the enabled ones."""
    monitor: bool = False
    forced: str | None = None
    """The format to read all inputs as, or None to recognise it."""


@dataclass(frozen=True, slots=True)
class Done:
    """The result of a partition."""

    share: Share
    names: list[tuple[str | None, str]]
    """The names that its runs want; who puts the partitions together makes them unique."""


def replay_partition(manager: HookManager, partition: Partition, forced: str | None) -> Done:
    """Replay one partition.

    Args:
        manager: the manager whose plugins judge.
        partition: the partition.
        forced: the format to read it as, or None to recognise it.

    Returns:
        What it came to, independent of any other partition.
    """
    with Ledger() as ledger:
        names = Names(asked=[])
        inputs, engine = Inputs(ledger, forced, names), Engine(manager, ledger)
        with engine.listening():
            for run in inputs.runs_of(partition):
                engine.replay(run)
        return Done(ledger.share(), names.asked or [])


def serve(order: Order, connection: Connection[Any, Any]) -> None:
    """Replay what comes over a connection until None does.

    Args:
        order: what the partitions have in common.
        connection: partitions come from it, and what they came to goes back.
    """
    # Who started the process ends it: it has to tell what was done when somebody presses Ctrl-C.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    Thread(target=_end_with_parent, daemon=True).start()
    # Whoever started the process has loaded the same plugins and was told what there is to tell.
    with redirect_stdout(sys.stderr), quiet(), closing(manager_with(order)) as manager:
        while (partition := connection.recv()) is not None:
            connection.send(replay_partition(manager, partition, order.forced))


def _end_with_parent() -> None:
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
