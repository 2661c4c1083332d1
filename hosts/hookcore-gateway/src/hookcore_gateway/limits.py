"""The bounds of the gateway: messages, work, time and sessions."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, fields
from typing import Any

from .errors import GatewayError

__all__ = ["Limits"]

_FEWEST_WORKERS, _MOST_WORKERS = 8, 64
_PER_CHANNEL = 4


@dataclass(frozen=True)
class Limits:
    """The bounds of a gateway; times are in seconds.

    Args:
        queue: how many accepted messages may wait for a worker.
        queue_bytes: how many bytes the waiting messages may have together.
        message_bytes: how long a message may be, all its fields together, and the body of an HTTP
            request where the channel has no ``max_body`` of its own.
        identifier_bytes: how long its sender, recipient, thread and id may be, each.
        per_channel: how many messages of one channel are worked on at once: a number for all, or
            numbers by the channels' names, 4 where there is none.
        workers: how many messages are worked on at once in all; when None the channels'
            ``per_channel`` together, but 8 at least and 64 at most.
        deadline: how long a worker takes for an answer.
        send_timeout: how long the hooks around a delivery and the delivery may take.
        grace: how long cancelled work is waited for.
        drain: how long a stop waits for the messages that were accepted.
        session_end: how long the hooks at ``session_end`` may take; those of several sessions run
            at the same time.
        gateway_start: how long a start waits for the hooks at ``gateway_start``.
        gateway_stop: how long a stop waits for the hooks at ``gateway_stop``.
        heartbeat_tick: how long a beat waits for the hooks at ``heartbeat_tick``.
        idle: after how long without a message a session ends; never when None.
        sessions: how many sessions are open; the longest idle one makes room.
        session_bytes: how many bytes the conversations of all open sessions may have together; the
            longest idle ones make room.
        retry_after: what a sender is told to wait when the queue is full.

    Raises:
        GatewayError: a bound is not a positive number.
    """

    queue: int = 1000
    queue_bytes: int = 64 * 1024 * 1024
    message_bytes: int = 1024 * 1024
    identifier_bytes: int = 1024
    per_channel: int | Mapping[str, int] = _PER_CHANNEL
    workers: int | None = None
    deadline: float = 120.0
    send_timeout: float = 30.0
    grace: float = 5.0
    drain: float = 30.0
    session_end: float = 5.0
    gateway_start: float = 10.0
    gateway_stop: float = 10.0
    heartbeat_tick: float = 10.0
    idle: float | None = 3600.0
    sessions: int = 10_000
    session_bytes: int = 256 * 1024 * 1024
    retry_after: int = 1

    def __post_init__(self) -> None:
        for item in fields(self):
            value = getattr(self, item.name)
            if value is None and item.name in {"workers", "idle"}:
                continue
            for number in value.values() if isinstance(value, Mapping) else [value]:
                _check(item.name, number)

    def of_channel(self, name: str) -> int:
        """Return how many messages of a channel are worked on at once."""
        if isinstance(self.per_channel, Mapping):
            return self.per_channel.get(name, _PER_CHANNEL)
        return self.per_channel

    def workers_for(self, channels: Collection[str]) -> int:
        """Return how many workers serve the channels with these names.

        Raises:
            GatewayError: ``per_channel`` names another channel.
        """
        named = self.per_channel if isinstance(self.per_channel, Mapping) else {}
        unknown = ", ".join(sorted(set(named) - set(channels)))
        if unknown:
            known = ", ".join(channels)
            raise GatewayError(f"Limits(per_channel=...) names {unknown} (there are: {known})")
        if self.workers is not None:
            return self.workers
        wanted = sum(self.of_channel(name) for name in channels)
        return max(_FEWEST_WORKERS, min(_MOST_WORKERS, wanted))


def _check(name: str, value: Any) -> None:
    if not isinstance(value, (int, float)) or not value > 0:
        raise GatewayError(f"Limits({name}=...) takes a positive number, not {value}")
