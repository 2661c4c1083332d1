"""A key that the processes of one piece of work have in common."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final

__all__ = ["joint_key", "joint_key_set"]

_BYTES: Final = 32
_key: ContextVar[bytes | None] = ContextVar("hookcore_joint_key", default=None)


def joint_key() -> bytes:
    """Return a random key, for placeholders and the like that no operator has given a key for.

    Returns:
        32 bytes, the same for a plugin in all processes that share one replay. Elsewhere, and in
        another replay, they are others each time.
    """
    return _key.get() or secrets.token_bytes(_BYTES)


@contextmanager
def joint_key_set(key: bytes) -> Iterator[None]:
    """Let plugins that are made inside of a block get the key of the whole work.

    Args:
        key: 32 random bytes.

    Yields:
        Nothing.
    """
    token = _key.set(key)
    try:
        yield
    finally:
        _key.reset(token)
