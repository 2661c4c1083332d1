"""The outcome of a dispatch, in the terms in which the product and the oracle are compared."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from hookcore import HookAborted


@dataclass
class Outcome:
    """The outcome of a dispatch; ``seen`` has each hook's turns: plugin, phase, what it saw."""

    seen: list[tuple[str, str, Any]] = field(default_factory=list)
    payload: Any = None
    tool: str | None = None
    raised: Any = None
    event: dict[str, Any] | None = None


def told(error: BaseException | None) -> Any:
    """Return an exception in the terms that the contract fixes."""
    if error is None:
        return None
    if isinstance(error, HookAborted):
        reason = error.reason if error.reason.startswith("because") else "(a hook failed)"
        return ("HookAborted", reason, error.source)
    if type(error).__name__ in ("ValueError", "Stop", "Signal"):
        return (type(error).__name__, *error.args)
    return ("broken contract",)
