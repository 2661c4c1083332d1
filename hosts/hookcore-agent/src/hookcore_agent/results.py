"""The results of requests."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from .messages import Message

__all__ = ["RunResult"]


@dataclass(frozen=True)
class RunResult:
    """The result of a request.

    Args:
        output: the answer, as the hooks left it.
        messages: the conversation, a copy of the list.
        run_id: the run.
        session_id: the session.
        usage: the token counts of all model calls, where the models told them.
        ungoverned: the types of the provider's tools that the model could use unseen.
    """

    output: Any
    messages: list[Message]
    run_id: str
    session_id: str
    usage: dict[str, int] = field(default_factory=dict)
    ungoverned: tuple[str, ...] = ()
