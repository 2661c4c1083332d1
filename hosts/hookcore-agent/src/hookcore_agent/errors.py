"""The errors of the agent runtime."""

from __future__ import annotations

from typing import Any

from hookcore import HookcoreError

__all__ = [
    "AgentError",
    "AgentIterationLimitError",
    "AgentProtocolError",
    "MixedToolsError",
    "ModelError",
    "SessionBusyError",
    "ToolArgumentsError",
    "add_note",
]


class AgentError(HookcoreError):
    """Any error of the agent runtime's own."""


class AgentProtocolError(AgentError):
    """A model, extension or caller broke a rule of the runtime."""


class SessionBusyError(AgentProtocolError):
    """A session was asked to do a second request at the same time."""


class AgentIterationLimitError(AgentError):
    """The model was called as often as one input allows, or extensions asked for too much."""


class MixedToolsError(AgentError):
    """A model that calls tools by text was to be given tools that its provider runs."""


class ModelError(AgentError):
    """A model's service answered with something that is no response."""


class ToolArgumentsError(AgentError, ValueError):
    """The arguments of a tool call do not fit the tool's signature."""


def add_note(error: BaseException, note: str) -> None:
    """Attach a note to an exception, on Python 3.10 too.

    Args:
        error: the exception.
        note: one line of text.
    """
    own: Any = getattr(error, "add_note", None)
    if own is not None:
        own(note)
        return
    notes = [*getattr(error, "__notes__", []), note]
    error.__notes__ = notes  # type: ignore[attr-defined, unused-ignore]
