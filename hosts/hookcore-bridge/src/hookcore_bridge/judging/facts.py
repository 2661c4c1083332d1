"""The fields of a context, from what a client told."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

from ..dialects import Occurrence

__all__ = ["ClientAgent", "Deadline", "fields_of", "run_of"]


@dataclass(frozen=True)
class ClientAgent:
    """The agent of a context: filters know a sub-agent by its kind and by its client's name."""

    name: str
    role: str | None = None


class Deadline:
    """A point in time by which an answer has to be there.

    Args:
        seconds: how long it is until then.
    """

    def __init__(self, seconds: float) -> None:
        self._end = time.monotonic() + seconds

    @property
    def left(self) -> float:
        """The seconds that are left; not less than 0."""
        return max(self._end - time.monotonic(), 0.0)


def run_of(occurrence: Occurrence) -> tuple[str, str | None]:
    """Return the id of the run that an event belongs to, and of the run above it.

    A session is a run, and each of its sub-agents a run below it.
    """
    session = f"{occurrence.dialect.client}:{occurrence.session_id}"
    if occurrence.agent_id is None:
        return session, None
    return f"{session}/{occurrence.agent_id}", session


def fields_of(occurrence: Occurrence) -> dict[str, Any]:
    """Return the fields that every context of a client has."""
    client = occurrence.dialect.client
    run_id, parent = run_of(occurrence)
    attributes: dict[str, Any] = {**occurrence.extra, "client": client, "cwd": occurrence.cwd}
    if occurrence.agent_id is not None:
        attributes["agent_id"] = occurrence.agent_id
    if occurrence.aliases:
        attributes["tool_aliases"] = list(occurrence.aliases)
    return {
        "agent": ClientAgent(client, occurrence.agent),
        "session_id": occurrence.session_id,
        "run_id": run_id,
        "parent_run_id": parent,
        "attributes": attributes,
    }
