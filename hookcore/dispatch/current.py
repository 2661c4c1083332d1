"""The run that the calling code is in, so that boundaries need not be told its ids again."""

from __future__ import annotations

from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any

__all__ = ["CURRENT", "Current", "current_run"]


@dataclass(slots=True)
class Current:
    """The ids and the agent that contexts inherit from the enclosing run."""

    run_id: str | None = None
    parent_run_id: str | None = None
    session_id: str | None = None
    agent: Any = None
    dry_run: bool = False
    attributes: dict[str, Any] = field(default_factory=dict)

    def fill(self, fields: dict[str, Any]) -> dict[str, Any]:
        """Return a context's fields with what is missing taken from the run."""
        if self is _NO_RUN and "attributes" not in fields:
            return {name: value for name, value in fields.items() if value is not None}
        merged = {
            "run_id": self.run_id,
            "parent_run_id": self.parent_run_id,
            "session_id": self.session_id,
            "agent": self.agent,
            "dry_run": self.dry_run,
            "attributes": dict(self.attributes),
        }
        for name, value in fields.items():
            if value is not None:
                merged[name] = {**self.attributes, **value} if name == "attributes" else value
        return merged


CURRENT: ContextVar[Current | None] = ContextVar("hookcore_current_run", default=None)

_NO_RUN = Current()


def current_run() -> Current:
    """Return the enclosing run, an empty one outside any."""
    return CURRENT.get() or _NO_RUN
