"""One attempt at a message: signed, posted, and what its answer means."""

from __future__ import annotations

import ssl
from dataclasses import dataclass
from datetime import datetime, timezone
from enum import Enum
from http.client import HTTPException
from typing import Final

from standardwebhooks import Webhook

from ._client import Client
from ._destination import DestinationError
from ._message import Message

__all__ = ["Delivery", "Outcome", "Result"]

_USER_AGENT: Final = "hookcore-webhook-audit"
_REFUSALS: Final = frozenset({400, 413, 415, 422})
"""Answers about the message itself; all others are about the receiver, who may come back."""


class Outcome(Enum):
    """The outcome of an attempt."""

    DELIVERED = "delivered"
    FAILED = "failed"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True)
class Result:
    """The outcome of an attempt, its reason, and how many seconds the receiver asks to wait."""

    outcome: Outcome
    why: str = ""
    wait: float = 0.0


class Delivery:
    """Sends messages under the Standard Webhooks scheme.

    Args:
        client: posts them.
        secrets: they are signed with each of these.
    """

    def __init__(self, client: Client, secrets: tuple[str, ...]) -> None:
        self._client = client
        self._signers = tuple(map(Webhook, secrets))

    @property
    def destination(self) -> str:
        """The destination of messages, as it may be shown."""
        return str(self._client.destination)

    def attempt(self, message: Message) -> Result:
        """Send a message once.

        Args:
            message: the message.
        """
        try:
            reply = self._client.post(message.body, self._headers(message))
        except DestinationError as error:
            return Result(Outcome.FAILED, str(error))
        except (OSError, HTTPException) as error:
            return Result(Outcome.FAILED, _described(error))
        if 200 <= reply.status < 300:  # noqa: PLR2004 - the 2xx of HTTP
            return Result(Outcome.DELIVERED)
        outcome = Outcome.REFUSED if reply.status in _REFUSALS else Outcome.FAILED
        return Result(outcome, f"HTTP status {reply.status}", _seconds(reply.retry_after))

    def _headers(self, message: Message) -> dict[str, str]:
        now = datetime.now(timezone.utc)
        headers = {
            "Content-Type": "application/json",
            "User-Agent": _USER_AGENT,
            "webhook-id": message.id,
            "webhook-timestamp": str(int(now.timestamp())),
        }
        body = message.body.decode()
        if self._signers:
            signed = (signer.sign(message.id, now, body) for signer in self._signers)
            headers["webhook-signature"] = " ".join(signed)
        return headers


def _described(error: Exception) -> str:
    # Not its text: a receiver's answer or a resolver may have put anything into that.
    if isinstance(error, ssl.SSLCertVerificationError):
        return f"its certificate is not trusted: {error.verify_message}"
    return "no answer in time" if isinstance(error, TimeoutError) else type(error).__name__


def _seconds(retry_after: str | None) -> float:
    text = (retry_after or "").strip()
    return float(text) if text.isascii() and text.isdigit() and len(text) < 10 else 0.0  # noqa: PLR2004
