"""Replay recorded agent runs through the policies, without running anything.

The parts of a replay that an engine of one's own needs are public here: `plan` cuts inputs into
partitions, `replay_partition` replays one of them under a `Configuration`, anywhere, and `merge`
puts together what they came to.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .configuration import Configuration, configured
    from .findings import Finding, Ledger, Partial, merge
    from .partitions import Partition, plan
    from .store import Store
    from .work import Engine, Lost, RefusedError, RemoteEngine, Task, Work
    from .worker import replay_partition

__all__ = [
    "Configuration",
    "Engine",
    "Finding",
    "Ledger",
    "Lost",
    "Partial",
    "Partition",
    "RefusedError",
    "RemoteEngine",
    "Store",
    "Task",
    "Work",
    "configured",
    "merge",
    "plan",
    "replay_partition",
]

_HOMES = {
    "Configuration": "configuration",
    "Engine": "work",
    "Finding": "findings",
    "Ledger": "findings",
    "Lost": "work",
    "Partial": "findings",
    "Partition": "partitions",
    "RefusedError": "work",
    "RemoteEngine": "work",
    "Store": "store",
    "Task": "work",
    "Work": "work",
    "configured": "configuration",
    "merge": "findings",
    "plan": "partitions",
    "replay_partition": "worker",
}


def __getattr__(name: str) -> Any:
    # The command shows its help without any of them.
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f".{_HOMES[name]}", __name__), name)
