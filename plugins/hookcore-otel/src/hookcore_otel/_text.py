"""Names and ids as they may be told: of bounded length, in bounded number, encodable."""

from __future__ import annotations

import hashlib
from typing import Any, Final

from hookcore import NamePatterns

from .names import OTHER

__all__ = ["Known", "agent_name", "conversation", "name_of"]

_LONGEST: Final = 128
_MOST: Final = 200


def name_of(value: Any) -> str:
    """Return a name or an id; what is too long for one, or is none, is ``_other``.

    Args:
        value: what a model, a client or a host calls something.
    """
    if not isinstance(value, str) or not 0 < len(value) <= _LONGEST:
        return OTHER
    # One lone surrogate would keep a whole batch from being encoded.
    return value if value.isascii() else value.encode("utf-8", "replace").decode("utf-8")


def agent_name(agent: Any) -> str | None:
    """Return an agent's role or name; None without an agent.

    Args:
        agent: as a context has it.
    """
    if agent is None or isinstance(agent, str):
        return None if agent is None else name_of(agent)
    return name_of(getattr(agent, "role", None) or getattr(agent, "name", None))


def conversation(session_id: str, how: str) -> str:
    """Return a session's id as it is told.

    Args:
        session_id: the id.
        how: ``plain`` or ``hash``.
    """
    if how == "plain":
        return name_of(session_id)
    return hashlib.sha256(str(session_id).encode("utf-8", "replace")).hexdigest()[:32]


class Known:
    """The first 200 known names, for metrics: each other one is ``_other``.

    Args:
        patterns: names and globs of those that are known beforehand.
    """

    def __init__(self, patterns: list[str] | None = None) -> None:
        self._patterns = NamePatterns(patterns) if patterns else None
        self._seen: dict[str, bool] = {}

    def name(self, value: Any, *, vouched: bool) -> str:
        """Return a name, or ``_other``.

        Args:
            value: the name.
            vouched: whether it is the host's own and no model's.
        """
        name = name_of(value)
        known = self._seen.get(name)
        if known is None:
            known = len(self._seen) < _MOST and (
                vouched or (self._patterns is not None and self._patterns.matches(name))
            )
            if known:
                self._seen[name] = True
        return name if known else OTHER
