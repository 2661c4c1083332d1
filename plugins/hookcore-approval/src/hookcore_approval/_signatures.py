"""Signatures of messages, as Standard Webhooks has them."""

from __future__ import annotations

import base64
import os
from collections.abc import Mapping
from datetime import datetime, timezone
from typing import Final

from standardwebhooks import Webhook, WebhookVerificationError

__all__ = ["SecretError", "Signatures"]

_LEAST_BYTES: Final = 16
_HOW: Final = "it takes whsec_ and the base64 of 24 to 64 bytes, e.g. of: openssl rand -base64 32"


class SecretError(ValueError):
    """Raised for a secret that is not set or cannot be used; the text never has it."""


class Signatures:
    """Signs messages and verifies them.

    Args:
        variable: the environment variable with the secrets, parted by spaces; the first one signs,
            any verifies, so that they can be changed one after the other.

    Raises:
        SecretError: there is none, or one is none.
    """

    def __init__(self, variable: str) -> None:
        secrets = os.environ.get(variable, "").split()
        if not secrets:
            raise SecretError(f"the environment variable {variable} is not set: {_HOW}")
        self._hooks = [_webhook(variable, secret) for secret in secrets]

    def headers(self, ident: str, body: str) -> dict[str, str]:
        """Return the headers that sign a message.

        Args:
            ident: the message's id, by which a receiver knows one that it has had before.
            body: the message.
        """
        now = datetime.now(timezone.utc)
        return {
            "webhook-id": ident,
            "webhook-timestamp": str(int(now.timestamp())),
            "webhook-signature": self._hooks[0].sign(ident, now, body),
        }

    def verify(self, body: bytes, headers: Mapping[str, str]) -> bool:
        """Return whether a message is signed, by one of the secrets, not over five minutes ago.

        Args:
            body: the message.
            headers: its headers, with names in lower case.
        """
        for hook in self._hooks:
            try:
                hook.verify(body, dict(headers), json_parse=False)
            except (WebhookVerificationError, ValueError):
                continue
            return True
        return False


def _webhook(variable: str, secret: str) -> Webhook:
    text = secret.removeprefix("whsec_")
    try:
        key = base64.b64decode(text + "=" * (-len(text) % 4), validate=True)
    except ValueError:
        key = b""
    if len(key) < _LEAST_BYTES:
        raise SecretError(f"the secret in {variable} is none: {_HOW}")
    return Webhook(key)
