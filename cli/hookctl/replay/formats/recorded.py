"""Traffic that a manager recorded: a line for each dispatch, runs among each other."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ..model import Moment, Operation, RecordedCall, RecordedResult, RecordedRun
from .source import text_or_none

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ..stream import Item
    from .source import TranscriptSource

NAME = "hookcore"
TITLE = "traffic that hookcore recorded (`[record]`)"
_MARK = "hookcore_record"
_VERSION = 1
_POINTS = frozenset(
    {
        "execution_start",
        "input",
        "pre_model_call",
        "post_model_call",
        "pre_tool_call",
        "post_tool_call",
        "output",
        "execution_end",
    }
)
_LAST = "run_finished"


def recognises(value: object) -> bool:
    """Tell whether a value is a line of this format.

    Args:
        value: any JSON value.

    Returns:
        True for an object with the format's mark.
    """
    return isinstance(value, dict) and _MARK in value


def read(items: Iterable[Item], source: TranscriptSource) -> Iterator[RecordedRun]:
    """Read runs; those that have not ended are kept in memory.

    Args:
        items: the lines in order.
        source: the input that they come from.

    Yields:
        The runs, in the order of their ends; at last those whose end was not recorded.
    """
    runs: dict[str | None, _Run] = {}
    for item in items:
        line = item.value
        problem = _problem(line)
        if problem is not None or not isinstance(line, dict):
            source.malformed(source.where(item), problem or "not a line of recorded traffic")
            continue
        key = text_or_none(line.get("run"))
        run = runs.setdefault(key, _Run(line, source.where(item)))
        if line["point"] == _LAST:
            yield run.made(source)
            del runs[key]
        elif line["point"] in _POINTS:
            run.add(line, source.where(item))
    for run in runs.values():
        yield run.made(source)


def _problem(line: object) -> str | None:
    if not isinstance(line, dict) or _MARK not in line:
        return "not a line of recorded traffic"
    if line[_MARK] != _VERSION:
        return f"version {line[_MARK]!r} of recorded traffic; this hookctl reads {_VERSION}"
    if "dropped" in line:
        return f"{line['dropped']} dispatches were dropped here when they were recorded"
    if "withheld" in line:
        return "its payload was withheld, since it could not be redacted"
    return None if isinstance(line.get("point"), str) else "it names no point"


@dataclass(slots=True)
class _Run:
    first: dict[str, Any]
    where: str
    moments: list[Moment] = field(default_factory=list)
    calls: dict[str, Operation] = field(default_factory=dict)
    steps: int = 0
    answers: int = 0

    def add(self, line: dict[str, Any], where: str) -> None:
        """Add a dispatch."""
        point, payload = line["point"], line.get("before")
        operation = self._operation(line, where)
        if point == "pre_tool_call":
            name = text_or_none(line.get("tool")) or ""
            operation.call = RecordedCall(name, payload, text_or_none(line.get("call")))
        elif point == "post_tool_call":
            failed = line.get("error") is not None
            operation.result = RecordedResult(
                payload, text_or_none(line.get("call")), text_or_none(line.get("tool")), failed
            )
        elif point == "pre_model_call":
            operation.iterations = self.answers
            self.answers += 1
        self.moments.append(Moment(point, payload, operation))

    def _operation(self, line: dict[str, Any], where: str) -> Operation:
        """Return the model or tool call that a dispatch is part of, or one of its own."""
        call = text_or_none(line.get("call"))
        known = None if call is None else self.calls.get(call)
        if known is not None and line["point"].startswith("post_"):
            return known
        if call is not None or line["point"] in ("output", "execution_end"):
            self.steps += 1
        operation = Operation(self.steps, where, model=text_or_none(line.get("model")))
        if call is not None:
            self.calls[call] = operation
        return operation

    def made(self, source: TranscriptSource) -> RecordedRun:
        """Return the run."""
        return RecordedRun(
            id=source.names.unique(text_or_none(self.first.get("run")) or "without a run"),
            where=self.where,
            turns=(),
            agent=text_or_none(self.first.get("agent")),
            session_id=text_or_none(self.first.get("session")),
            parent_run_id=text_or_none(self.first.get("parent_run")),
            moments=self.moments,
        )
