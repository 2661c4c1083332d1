"""The form that all transcripts are turned into: runs, turns, tool calls and tool results."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


@dataclass(slots=True)
class RecordedCall:
    """A tool call that a model asked for."""

    name: str
    """The tool's name as the model wrote it; empty when the transcript has none."""
    arguments: object
    """An object, or the JSON text of one, as recorded."""
    id: str | None = None
    free_text: bool = False
    """True where the tool takes text by design, so that `arguments` is not JSON."""


@dataclass(slots=True)
class RecordedResult:
    """The answer of a tool."""

    value: object
    call_id: str | None = None
    name: str | None = None
    failed: bool = False


@dataclass(slots=True)
class Turn:
    """One message of a run, with the calls and results that it carries."""

    message: dict[str, object]
    """The message as the host has it in its history."""
    where: str
    """File, line and position of the message, for people."""
    role: str
    """`system`, `user`, `assistant` or `tool`."""
    text: object = None
    """The message's own content, without tool calls and tool results; None when it has none."""
    answer: object = None
    """The model's response when this turn is one, else None."""
    calls: tuple[RecordedCall, ...] = ()
    results: tuple[RecordedResult, ...] = ()
    model: str | None = None
    example: bool = False
    """True for a demonstration that was put before the run's own messages."""
    restarts: bool = False
    """True when the host dropped the earlier history before this turn."""
    final: bool = False
    """True when the message is the run's result and was never sent to a model."""


@dataclass(slots=True)
class Operation:
    """One model call or tool call; the moments before and after it share it."""

    step: int
    """Its number in the run, from 1."""
    where: str
    call: RecordedCall | None = None
    arguments: dict[str, object] | None = None
    """The call's arguments once somebody has parsed them."""
    result: RecordedResult | None = None
    model: str | None = None
    iterations: int = 0
    """Model calls of the run before this one."""
    denied: bool = False
    """Set by whoever dispatches, so that a denied call has no moment after it."""


@dataclass(slots=True)
class Moment:
    """One dispatch: a point, its payload as recorded, and the operation that it belongs to."""

    point: str
    payload: object
    operation: Operation


@dataclass(frozen=True, slots=True)
class RecordedRun:
    """One recorded run; its turns are produced while they are walked."""

    id: str
    where: str
    turns: Iterable[Turn]
    agent: str | None = None
    session_id: str | None = None
    parent_run_id: str | None = None
    model: str | None = None
    tools: list[object] | None = None
    attributes: Mapping[str, object] = field(default_factory=dict)
    moments: Iterable[Moment] | None = None
    """The dispatches themselves, in order, where a manager recorded them; then no turns count."""
