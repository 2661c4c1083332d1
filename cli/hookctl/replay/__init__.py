"""Replay recorded agent runs through the policies, without running anything.

The parts of a replay that an engine of one's own needs are public here: `plan` cuts inputs into
partitions, `replay_partition` replays one of them under a `Configuration`, anywhere, and `merge`
puts together what they came to.

So is what a transcript format of one's own needs: `TranscriptFormat` says what an entry point of
the group `hookcore.transcripts` has to be, and `RecordedRun` and its parts are what it makes.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .configuration import Configuration, configured
    from .findings import Finding, Ledger, Partial, merge
    from .formats.further import TranscriptFormat
    from .formats.source import TranscriptSource
    from .model import RecordedCall, RecordedResult, RecordedRun, Turn
    from .partitions import Partition, plan
    from .store import Store
    from .stream import Item
    from .work import Engine, Lost, RefusedError, RemoteEngine, Task, Work
    from .worker import replay_partition

__all__ = [
    "Configuration",
    "Engine",
    "Finding",
    "Item",
    "Ledger",
    "Lost",
    "Partial",
    "Partition",
    "RecordedCall",
    "RecordedResult",
    "RecordedRun",
    "RefusedError",
    "RemoteEngine",
    "Store",
    "Task",
    "TranscriptFormat",
    "TranscriptSource",
    "Turn",
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
    "Item": "stream",
    "Ledger": "findings",
    "Lost": "work",
    "Partial": "findings",
    "Partition": "partitions",
    "RecordedCall": "model",
    "RecordedResult": "model",
    "RecordedRun": "model",
    "RefusedError": "work",
    "RemoteEngine": "work",
    "Store": "store",
    "Task": "work",
    "TranscriptFormat": "formats.further",
    "TranscriptSource": "formats.source",
    "Turn": "model",
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
