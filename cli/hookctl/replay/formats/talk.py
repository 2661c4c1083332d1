"""A trace's model calls and tool calls to turns: each call shows the history, and some is new."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from ..jsontext import JSONTextError, parse_json
from ..model import RecordedResult, Turn
from .genai import result_text
from .items import Unread
from .message import is_message, plain_text, turn_of, why_not_message

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ..model import RecordedCall
    from .source import TranscriptSource

_NOT_RECORDED = "a model call has no messages: its content was not recorded"


@dataclass(slots=True)
class ModelCall:
    """One call of a model."""

    where: str
    shown: list[dict[str, Any]]
    """All messages that the model was shown, as chat messages."""
    answer: list[dict[str, Any]]
    model: str | None = None


@dataclass(slots=True)
class ToolCall:
    """One run of a tool, as its host traced it."""

    where: str
    name: str
    id: str | None = None
    """The model's own identifier of the call; None where the trace does not say it."""
    arguments: object = "{}"
    result: object = None
    ended: bool = False
    """True where the result, or the failure, is in the trace."""
    failed: bool = False


def turns(calls: Iterable[ModelCall | ToolCall], source: TranscriptSource) -> Iterator[Turn]:
    """Make the turns of one agent.

    What a message says of a tool is not said again by the tool's own entry.

    Args:
        calls: the agent's calls, in the order of their beginnings.
        source: told of what cannot be read.

    Yields:
        The turns.
    """
    ordered = list(calls)
    ran = {call.id for call in ordered if isinstance(call, ToolCall) and call.id}
    talk, told = Talk(source, ran), _told(ordered)
    for call in ordered:
        if isinstance(call, ModelCall):
            yield from talk.heard(call)
            continue
        identity = call.id or talk.identity(call) or call.where
        if identity not in told:
            yield from _tool(call, identity, known=identity in talk.asked)


def _told(calls: list[ModelCall | ToolCall]) -> set[str]:
    """Return the calls whose results a model was shown."""
    models = [call for call in calls if isinstance(call, ModelCall)]
    messages = [message for call in models for message in call.shown if is_message(message)]
    results = [result for message in messages for result in turn_of(message, "").results]
    return {result.call_id for result in results if result.call_id}


@dataclass(slots=True)
class Talk:
    """A conversation while it is read: what of a call's messages was there before."""

    source: TranscriptSource
    ran: set[str] | None = None
    """The calls that ran here; what the first model call shows of others happened before. None
    where all that is shown counts."""
    history: list[dict[str, Any]] = field(default_factory=list)
    asked: dict[str, RecordedCall] = field(default_factory=dict)
    """The tool calls that models asked for, by their identifiers."""
    _claimed: set[str] = field(default_factory=set)

    def heard(self, call: ModelCall) -> Iterator[Turn]:
        """Read a model call.

        Args:
            call: the call.

        Yields:
            A turn for each of its messages that is new.
        """
        if not call.shown and not call.answer:
            self.source.malformed(call.where, _NOT_RECORDED)
            return
        shown = said(call.shown)
        restarts = bool(self.history) and not self.goes_on(call.shown)
        new = shown if restarts else shown[len(self.history) :]
        past = self._past(new, restarts=restarts)
        for position, message in enumerate([*new, *call.answer]):
            if not is_message(message):
                unread = isinstance(message, Unread)
                reason = str(message) if unread else why_not_message(message)
                self.source.malformed(call.where, reason)
                continue
            turn = turn_of(message, call.where)
            turn.restarts = restarts and position == 0
            turn.model = call.model if turn.answer is not None else None
            if position < past:
                turn = replace(turn, example=True, answer=None, calls=(), results=())
            self.asked.update({one.id: one for one in turn.calls if one.id})
            yield turn
        self.history = said([*shown, *call.answer])

    def _past(self, new: list[dict[str, Any]], *, restarts: bool) -> int:
        """Count the first messages that happened before, in another run or in this one."""
        if restarts:
            known = [any(_same(message, old) for old in self.history) for message in new]
            return max((at + 1 for at, is_known in enumerate(known) if is_known), default=0)
        if self.ran is None or self.history:
            return 0
        own = (at for at, message in enumerate(new) if not self.ran.isdisjoint(_ids(message)))
        theirs = [at for at, one in enumerate(new) if _is_answer(one)]
        return next(own, theirs[-1] + 1 if theirs else 0)

    def goes_on(self, shown: list[dict[str, Any]]) -> bool:
        """Tell whether messages begin with all that was said until now.

        Args:
            shown: the messages that a model was shown.

        Returns:
            True where it does; empty answers do not count.
        """
        new = said(shown)
        return len(self.history) <= len(new) and all(map(_same, self.history, new))

    def identity(self, call: ToolCall) -> str | None:
        """Find the call that a model asked for and that a tool's entry without its name is.

        Args:
            call: the tool's entry.

        Returns:
            Its identifier, preferring the same arguments; None where no model asked.
        """
        open_calls = {
            identity: asked
            for identity, asked in self.asked.items()
            if asked.name == call.name and identity not in self._claimed
        }
        given = _plain(call.arguments)
        same = (one for one, asked in open_calls.items() if _plain(asked.arguments) == given)
        found = next(same, next(iter(open_calls), None))
        if found is not None:
            self._claimed.add(found)
        return found


def said(messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Leave out the answers that say nothing, which hosts put into histories or leave out.

    Args:
        messages: a history.

    Returns:
        The other messages.
    """
    return [message for message in messages if not _is_empty_answer(message)]


def _is_empty_answer(message: dict[str, Any]) -> bool:
    if not is_message(message) or message["role"] != "assistant":
        return False
    turn = turn_of(message, "")
    return not (turn.calls or turn.results or plain_text(message.get("content")))


def _is_answer(message: dict[str, Any]) -> bool:
    return is_message(message) and (message["role"] == "assistant" or bool(_ids(message)))


def _same(one: dict[str, Any], other: dict[str, Any]) -> bool:
    """Tell whether two messages are one, however each of the two calls wrote it."""
    if not (is_message(one) and is_message(other)):
        return one == other
    return (
        one["role"] == other["role"]
        and plain_text(one.get("content")) == plain_text(other.get("content"))
        and _ids(one) == _ids(other)
    )


def _ids(message: dict[str, Any]) -> list[str | None]:
    if not is_message(message):
        return []
    turn = turn_of(message, "")
    return [part.id for part in turn.calls] + [part.call_id for part in turn.results]


def _plain(arguments: object) -> object:
    if isinstance(arguments, str):
        try:
            return parse_json(arguments)
        except JSONTextError:
            return arguments
    return arguments


def _tool(call: ToolCall, identity: str, *, known: bool) -> Iterator[Turn]:
    """Make the turns of a tool that no message speaks of: its call, its result, or both."""
    if not known:
        function = {"name": call.name, "arguments": call.arguments}
        entry = {"id": identity, "type": "function", "function": function}
        asks: dict[str, object] = {"role": "assistant", "content": None, "tool_calls": [entry]}
        yield turn_of(asks, call.where)
    if call.ended:
        value = result_text(call.result)
        message: dict[str, object] = {"role": "tool", "tool_call_id": identity, "content": value}
        result = RecordedResult(value, identity, call.name or None, call.failed)
        yield Turn(message, call.where, "tool", results=(result,))
