"""The small file beside a bundle: a signed timestamp, and all roots that say who may sign it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from ._documents import Timestamp
from ._envelope import Envelope
from ._refused import RefusedError
from ._roots import Roots, envelopes_of

__all__ = ["News"]


@dataclass(frozen=True)
class News:
    """The file that a machine asks for most often; nothing in it is believed until checked."""

    roots: tuple[Envelope, ...]
    timestamp: Envelope

    def checked(self, roots: Roots) -> Timestamp:
        """Return the timestamp, checked.

        Args:
            roots: the roots that say who may sign.

        Raises:
            RefusedError: too few of their keys have signed it, or it is for another fleet.
        """
        roots.latest.check("timestamp", self.timestamp)
        timestamp = Timestamp.of(self.timestamp)
        if timestamp.name != roots.latest.name:
            raise RefusedError(
                "timestamp", f"it is for the fleet {timestamp.name}, not {roots.latest.name}"
            )
        return timestamp

    def pack(self) -> bytes:
        """Return the file."""
        table = {
            "roots": [each.as_table() for each in self.roots],
            "timestamp": self.timestamp.as_table(),
        }
        return json.dumps(table, indent=1).encode() + b"\n"

    @classmethod
    def unpack(cls, data: bytes) -> News:
        """Read the file.

        Raises:
            RefusedError: it is none.
        """
        try:
            table: Any = json.loads(data)
            roots, timestamp = table["roots"], table["timestamp"]
        except (ValueError, KeyError, TypeError, RecursionError):
            raise RefusedError("timestamp", "it is not readable") from None
        return cls(tuple(envelopes_of(roots)), Envelope.of(timestamp, "timestamp"))
