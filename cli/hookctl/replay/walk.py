"""A run to the moments at which a host would have dispatched, in order."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from .formats.message import plain_text
from .model import Moment, Operation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .model import RecordedCall, RecordedResult, RecordedRun, Turn


def walk(run: RecordedRun) -> Iterator[Moment]:
    """Go through a run once.

    Each model call and each tool call is a step, numbered from 1. What is before the first of
    them is step 0; the end of the run is one more than the last. Messages that follow the last
    answer are shown to `pre_model_call` once more, as for the call that was about to be made.
    Where the moments themselves were recorded, they are taken as they are.

    Args:
        run: the run; its turns are consumed.

    Yields:
        The moments. A payload belongs to the run: copy it before anything may change it.
    """
    return _Walk(run, where=run.where).moments() if run.moments is None else iter(run.moments)


@dataclass(slots=True)
class _Walk:
    run: RecordedRun
    history: list[object] = field(default_factory=list)
    where: str = ""
    step: int = 0
    answers: int = 0
    opened: bool = False
    unseen: bool = False
    output: str | None = None
    pending: deque[Operation] = field(default_factory=deque)
    opening: list[Turn] = field(default_factory=list)

    def moments(self) -> Iterator[Moment]:
        for turn in self.run.turns:
            if turn.restarts:
                self.history.clear()
            self.where = turn.where
            yield from self._opened_by(turn)
            yield from self._turn(turn)
        yield from self._start()
        if self.unseen:
            yield self._before_model(self._operation(self.where, self.run.model))
        yield from self._end()

    def _opened_by(self, turn: Turn) -> Iterator[Moment]:
        """Start the run when its first own user message, or whatever comes instead, is there."""
        asks = turn.role == "user" and turn.text is not None and not turn.example
        if asks or turn.answer is not None or turn.results:
            yield from self._start(turn if asks else None)

    def _start(self, turn: Turn | None = None) -> Iterator[Moment]:
        if self.opened:
            return
        self.opened = True
        operation = Operation(0, self.where)
        inputs = {"input": turn.text} if turn else {}
        yield Moment("execution_start", inputs, operation)
        if turn is not None:
            yield Moment("input", inputs, operation)

    def _turn(self, turn: Turn) -> Iterator[Moment]:
        if turn.final:
            self.output = plain_text(turn.text) or self.output
            return
        if turn.answer is not None:
            yield from self._answer(turn)
        for result in turn.results:
            yield from self._result(result, turn.where)
        self.history.append(turn.message)
        self.unseen = turn.answer is None and (self.unseen or turn.text is not None)

    def _answer(self, turn: Turn) -> Iterator[Moment]:
        operation = self._operation(turn.where, turn.model or self.run.model)
        yield self._before_model(operation)
        if not operation.denied:
            yield Moment("post_model_call", turn.answer, operation)
        self.output = plain_text(turn.text) or None
        for call in turn.calls:
            called = self._operation(turn.where)
            called.call = call
            self.pending.append(called)
            yield Moment("pre_tool_call", call.arguments, called)

    def _result(self, result: RecordedResult, where: str) -> Iterator[Moment]:
        operation = self._called(result) or self._operation(where)
        operation.result = result
        if not operation.denied:
            yield Moment("post_tool_call", result.value, operation)

    def _called(self, result: RecordedResult) -> Operation | None:
        """Find the call that a result answers: by id, else by name, else the oldest one open."""
        found = next((one for one in self.pending if _answers(result, one.call)), None)
        if found is not None:
            self.pending.remove(found)
        return found

    def _operation(self, where: str, model: str | None = None) -> Operation:
        self.step += 1
        return Operation(self.step, where, model=model)

    def _before_model(self, operation: Operation) -> Moment:
        self.unseen = False
        operation.iterations = self.answers
        self.answers += 1
        return Moment("pre_model_call", self.history, operation)

    def _end(self) -> Iterator[Moment]:
        operation = self._operation(self.where)
        if self.output is not None:
            yield Moment("output", self.output, operation)
        yield Moment("execution_end", self.output, operation)


def _answers(result: RecordedResult, call: RecordedCall | None) -> bool:
    if call is None:
        return False
    if result.call_id is not None:
        return call.id == result.call_id
    return result.name is None or result.name == call.name
