"""The work of one process of a replay: partitions that it is given, one after the other."""

from __future__ import annotations

import threading
from dataclasses import replace
from typing import TYPE_CHECKING

from hookcore.disk.state import not_recording
from hookcore.joined import joint_key_set

from .engine import Engine
from .findings import Ledger, Partial
from .formats.source import Names
from .inputs import Inputs
from .quiet import plain_output, quiet
from .stream import DamagedInputError
from .tracks import Tracks

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from hookcore import HookManager
    from hookcore.tracing import Change

    from .configuration import Configuration
    from .partitions import Partition

__all__ = ["load_for", "replay_partition", "replay_with"]


class _Loaded(threading.local):
    """The manager of each thread: two engines on one would each count what the other dispatches."""

    key: str = ""
    manager: HookManager | None = None

    def under(self, configuration: Configuration) -> HookManager:
        """Give the manager of this thread, loaded when the configuration is another one."""
        key = configuration.to_json()
        if self.manager is None or self.key != key:
            if self.manager is not None:
                self.manager.close()
            self.manager = None
            self.manager, self.key = load_for(configuration), key
        return self.manager


_loaded = _Loaded()


def load_for(configuration: Configuration) -> HookManager:
    """Load the plugins that judge; where it is said which code that is, no other.

    Args:
        configuration: what judges.

    Returns:
        The manager.

    Raises:
        OtherCodeError: the code here is another.
        ConfigError, PluginLoadError: as `HookManager.load` does.
    """
    from hookcore import HookManager

    config = configuration.config
    if configuration.code is not None:
        from .digests import checked_entries

        entries = checked_entries(config, configuration.code)
        config = replace(config, verify="enforce", lock=entries)
    with joint_key_set(bytes.fromhex(configuration.key)):
        return HookManager.load(config=config)


def replay_partition(partition: Partition, configuration: Configuration) -> Partial:
    """Replay one partition, under plugins that are loaded once for each thread.

    Args:
        partition: the partition.
        configuration: what judges it.

    Returns:
        What it came to, independent of any other partition.

    Raises:
        OtherCodeError: the code here is not the one that the configuration says.
        ConfigError, PluginLoadError: as `HookManager.load` does.
        OSError: a store cannot be reached; trying it again may help.
    """
    with plain_output(), quiet(), not_recording():
        manager = _loaded.under(configuration)
        return replay_with(manager, partition, configuration.forced, tracked=configuration.tracked)


def replay_with(
    manager: HookManager,
    partition: Partition,
    forced: str | None = None,
    on_bytes: Callable[[int], None] | None = None,
    *,
    watch: Callable[[Change], object] | None = None,
    partly: list[Partial] | None = None,
    tracked: bool = False,
) -> Partial:
    """Replay one partition under a manager that nobody else uses meanwhile.

    Args:
        manager: the manager whose plugins judge.
        partition: the partition.
        forced: the format to read it as, or None to recognise it.
        on_bytes: told the number of bytes as they are read.
        watch: told of everything that a hook does besides letting pass.
        partly: gets what was found so far when an interrupt ends the replay.
        tracked: whether the moments of runs are kept, too.

    Returns:
        What it came to, independent of any other partition. Of an input that is cut off or
        damaged nothing counts but that.

    Raises:
        OSError: a store cannot be reached; trying it again may help.
    """
    ledger = Ledger(names=Names(asked=[]), tracks=Tracks() if tracked else None)
    try:
        inputs, engine = Inputs(ledger, forced), Engine(manager, ledger, watch)
        with engine.listening():
            for run in inputs.runs_of(partition, on_bytes):
                engine.replay(run)
    except DamagedInputError as error:
        ledger.close()
        ledger = Ledger(names=Names(asked=[]))
        ledger.refuse(partition.name, str(error))
    except KeyboardInterrupt:
        if partly is not None:
            partly.append(Partial(ledger.numbers(), _drained(ledger)))
        raise
    except BaseException:
        ledger.close()
        raise
    return Partial(ledger.numbers(), _drained(ledger))


def _drained(ledger: Ledger) -> Iterator[str]:
    with ledger:
        yield from ledger.lines()
