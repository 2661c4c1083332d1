"""The errors of the gateway."""

from __future__ import annotations

from hookcore import HookcoreError

__all__ = [
    "ClientGoneError",
    "DeliveryError",
    "GatewayClosedError",
    "GatewayError",
    "MessageTooLargeError",
    "QueueFullError",
]


class GatewayError(HookcoreError):
    """Any error of the gateway's own; it is put together wrongly when it is this very class."""


class GatewayClosedError(GatewayError):
    """The gateway takes no messages: it has not started, or is about to stop."""


class QueueFullError(GatewayError):
    """As many messages wait as may; ``retry_after`` says in how many seconds to try again."""

    def __init__(self, message: str, retry_after: int) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class MessageTooLargeError(GatewayError):
    """A message is longer than the gateway takes."""


class DeliveryError(GatewayError):
    """A channel could not deliver a message."""


class ClientGoneError(DeliveryError):
    """Nobody waits for a message any more, which is no failure of the channel."""
