"""The phases of a request, and which may follow which."""

from __future__ import annotations

from enum import Enum
from typing import Final

from .errors import AgentProtocolError

__all__ = ["ACTIVE_PHASES", "TERMINAL_PHASES", "Phase", "PhaseMachine"]


class Phase(str, Enum):
    """The phases of a request."""

    READY = "ready"
    GENERATING = "generating"
    RUNNING_TOOL = "running_tool"
    COMPACTING = "compacting"
    COMPLETED = "completed"
    FAILED = "failed"
    CANCELLED = "cancelled"

    __str__ = str.__str__


TERMINAL_PHASES: Final = frozenset({Phase.COMPLETED, Phase.FAILED, Phase.CANCELLED})
ACTIVE_PHASES: Final = frozenset(Phase) - TERMINAL_PHASES

_BUSY = frozenset({Phase.READY, Phase.FAILED, Phase.CANCELLED})
_FOLLOWERS: Final = {
    Phase.READY: frozenset(Phase) - {Phase.READY},
    Phase.GENERATING: _BUSY,
    Phase.RUNNING_TOOL: _BUSY,
    Phase.COMPACTING: _BUSY,
}


class PhaseMachine:
    """The phase of one request."""

    def __init__(self) -> None:
        self.current = Phase.READY

    @property
    def is_over(self) -> bool:
        """True when the request has ended."""
        return self.current in TERMINAL_PHASES

    def move(self, target: Phase) -> Phase:
        """Go to another phase and return the one before.

        Raises:
            AgentProtocolError: ``target`` cannot follow; the phase stays as it is.
        """
        source = self.current
        if target not in _FOLLOWERS.get(source, ()):
            raise AgentProtocolError(f"a request that is {source} cannot become {target}")
        self.current = target
        return source
