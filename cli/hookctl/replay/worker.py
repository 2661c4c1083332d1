"""The work of one process of a replay: partitions that it is given, one after the other."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from hookcore.disk.state import not_recording

from .engine import Engine
from .findings import Ledger, Partial
from .formats.source import Names
from .inputs import Inputs
from .quiet import plain_output, quiet

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hookcore import HookManager

    from .configuration import Configuration
    from .partitions import Partition

__all__ = ["replay_partition", "replay_with"]


class _Loaded(threading.local):
    """The manager of each thread: two engines on one would each count what the other dispatches."""

    key: str = ""
    manager: HookManager | None = None

    def under(self, configuration: Configuration) -> HookManager:
        """Give the manager of this thread, loaded when the configuration is another one."""
        from hookcore import HookManager

        key = configuration.to_json()
        if self.manager is None or self.key != key:
            if self.manager is not None:
                self.manager.close()
            self.manager = None
            self.manager, self.key = HookManager.load(config=configuration.config), key
        return self.manager


_loaded = _Loaded()


def replay_partition(partition: Partition, configuration: Configuration) -> Partial:
    """Replay one partition, under plugins that are loaded once for each thread.

    Args:
        partition: the partition.
        configuration: what judges it.

    Returns:
        What it came to, independent of any other partition.

    Raises:
        ConfigError, PluginLoadError: as `HookManager.load` does.
        OSError: a store cannot be reached; trying it again may help.
    """
    with plain_output(), quiet(), not_recording():
        return replay_with(_loaded.under(configuration), partition, configuration.forced)


def replay_with(manager: HookManager, partition: Partition, forced: str | None = None) -> Partial:
    """Replay one partition under a manager that nobody else uses meanwhile.

    Args:
        manager: the manager whose plugins judge.
        partition: the partition.
        forced: the format to read it as, or None to recognise it.

    Returns:
        What it came to, independent of any other partition.

    Raises:
        OSError: a store cannot be reached; trying it again may help.
    """
    ledger = Ledger(names=Names(asked=[]))
    try:
        inputs, engine = Inputs(ledger, forced), Engine(manager, ledger)
        with engine.listening():
            for run in inputs.runs_of(partition):
                engine.replay(run)
    except BaseException:
        ledger.close()
        raise
    return Partial(ledger.numbers(), _drained(ledger))


def _drained(ledger: Ledger) -> Iterator[str]:
    with ledger:
        yield from ledger.lines()
