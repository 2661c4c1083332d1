"""The secret of an HTTP channel: one that clients can send, or none."""

from __future__ import annotations

from .errors import GatewayError

__all__ = ["checked_token"]


def checked_token(token: str | None) -> str | None:
    """Return a token that clients can send, or None when there is none.

    Raises:
        GatewayError: it is empty, as from a variable that is not set, or cannot be sent.
    """
    if token is None:
        return None
    if not isinstance(token, str) or not token.strip():
        raise GatewayError(
            "HttpChannel(token=...) is empty, which would let everybody in: give it a secret, or "
            "None for a channel without a token"
        )
    if not token.isprintable() or token != token.strip():
        raise GatewayError(
            "HttpChannel(token=...) begins or ends with a space, or has a character that no header "
            "can carry"
        )
    return token
