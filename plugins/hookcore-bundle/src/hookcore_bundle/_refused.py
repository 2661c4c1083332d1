"""The one exception: something is not taken, and why."""

from __future__ import annotations

__all__ = ["RefusedError"]


class RefusedError(Exception):
    """Raised for what is not taken; nothing has changed then.

    Args:
        kind: a word for it, such as ``"rollback"``.
        text: what is wrong, and what to do if there is something.
    """

    def __init__(self, kind: str, text: str) -> None:
        super().__init__(f"{kind}: {text}")
        self.kind = kind
