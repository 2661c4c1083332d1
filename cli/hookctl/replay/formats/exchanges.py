"""Requests to models with their responses, as proxies and batches keep them, one a line.

A conversation is one run, however many lines it has: a line goes on with another when it shows all
that was said there, or when it names that line's response.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ..jsontext import JSONTextError, describe, parse_json
from ..model import RecordedRun
from . import anthropic, openai, responses
from .source import objects, text_or_none
from .streamed import Streamed, is_stream, put_together
from .talk import ModelCall, Talk, said

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from types import ModuleType

    from ..model import Turn
    from ..stream import Item
    from .source import TranscriptSource

_MOST_OPEN = 64
"""Conversations whose lines may be mixed in one input."""
_DIALECTS = (responses, anthropic, openai)


def dialect_of(value: object) -> ModuleType | None:
    """Tell whether a value is a call of a model's API, and of which.

    Args:
        value: any JSON value.

    Returns:
        The module of that API's format; None for what is no such call.
    """
    exchange = _exchange(value)
    return None if exchange is None else exchange.dialect


def read(items: Iterable[Item], source: TranscriptSource) -> Iterator[RecordedRun]:
    """Read conversations; the last ones are kept in memory until no more of them can come.

    Args:
        items: the calls in order.
        source: the input that they come from.

    Yields:
        A run for each conversation.
    """
    kept: list[_Conversation] = []
    number = 0
    for item in items:
        where, exchange = source.where(item), _exchange(item.value)
        if exchange is None:
            source.malformed(where, f"not a request with its response: {describe(item.value)}")
            continue
        found = next((one for one in reversed(kept) if one.is_in(exchange)), None)
        if found is None:
            named = item.value if isinstance(item.value, dict) else {}
            identity = {"id": named.get("custom_id") or named.get("id")}
            number += 1
            found = _Conversation(source.run_id(item, identity), where, number, Talk(source))
            if exchange.previous:
                source.malformed(where, "it goes on with a response that is not here")
        else:
            kept.remove(found)
        kept.append(found)
        if exchange.problem:
            source.malformed(where, exchange.problem)
        found.add(exchange, where)
        if len(kept) > _MOST_OPEN:
            yield kept.pop(0).run()
    yield from (one.run() for one in sorted(kept, key=lambda one: one.number))


@dataclass(slots=True)
class _Exchange:
    """One call of a model's API."""

    dialect: ModuleType
    request: dict[str, Any]
    response: dict[str, Any]
    problem: str = ""

    @property
    def previous(self) -> str | None:
        """The response that this call goes on with, where it names one."""
        key = "previous_response_id"
        return text_or_none(self.request.get(key)) or text_or_none(self.response.get(key))

    @property
    def shown(self) -> list[dict[str, Any]]:
        """The messages that the request brings."""
        found: list[dict[str, Any]] = self.dialect.shown(self.request)
        return found

    @property
    def answer(self) -> list[dict[str, Any]]:
        """The response's message; none where there is no response."""
        found: list[dict[str, Any]] = self.dialect.answered(self.response) if self.response else []
        return found


@dataclass(slots=True)
class _Conversation:
    """The calls that show one conversation as it grows."""

    id: str
    where: str
    number: int
    talk: Talk
    turns: list[Turn] = field(default_factory=list)
    responses: set[str] = field(default_factory=set)
    model: str | None = None
    session: str | None = None
    tools: list[object] | None = None

    def is_in(self, exchange: _Exchange) -> bool:
        """Tell whether a call is a part of this conversation."""
        if exchange.previous:
            return exchange.previous in self.responses
        shown = exchange.shown
        return len(said(shown)) > len(self.talk.history) > 0 and self.talk.goes_on(shown)

    def add(self, exchange: _Exchange, where: str) -> None:
        """Read a call of this conversation."""
        shown = exchange.shown
        if exchange.previous in self.responses:
            history = self.talk.history
            shown = [*history, *(message for message in shown if message not in history[:1])]
        request, response = exchange.request, exchange.response
        model = text_or_none(response.get("model")) or text_or_none(request.get("model"))
        if shown or exchange.answer or not exchange.problem:
            self.turns += self.talk.heard(ModelCall(where, shown, exchange.answer, model))
        if isinstance(response.get("id"), str):
            self.responses.add(response["id"])
        conversation = response.get("conversation")
        if isinstance(conversation, dict):
            self.session = text_or_none(conversation.get("id"))
        self.model = self.model or model
        self.tools = self.tools or [*objects(request.get("tools"))] or None

    def run(self) -> RecordedRun:
        """Return the run."""
        return RecordedRun(
            id=self.id,
            where=self.where,
            turns=self.turns,
            session_id=self.session,
            model=self.model,
            tools=self.tools,
        )


def _exchange(value: object) -> _Exchange | None:
    if not isinstance(value, dict):
        return None
    own = next((one for one in _DIALECTS if one.is_answer(value)), None)
    if own is not None:
        return _Exchange(own, {}, value)
    if not ({"request", "response"} <= value.keys() or "custom_id" in value):
        return None
    request = _body(value.get("request", value.get("params", value.get("body"))))
    response = _body(value.get("response", value.get("result")))
    streamed = response if isinstance(response, Streamed) else Streamed()
    if isinstance(response, Streamed):
        response = streamed.response
    asked, answered = (one if isinstance(one, dict) else {} for one in (request, response))
    dialect = next((one for one in _DIALECTS if one.is_answer(answered)), None)
    known = dialect is not None
    if dialect is None:
        dialect = next((one for one in _DIALECTS if one.is_request(asked)), None)
    if dialect is None:
        return None
    problem = response if isinstance(response, str) else streamed.problem
    if answered and not known and not problem:
        problem = f"a response has no answer: it is {describe(answered)}"
    return _Exchange(dialect, asked, answered if known else {}, problem)


def _body(value: Any) -> dict[str, Any] | Streamed | str | None:
    """Find a body in what was kept of a request or a response, or say why there is none."""
    for key in ("body", "message"):
        if isinstance(value, dict) and isinstance(value.get(key), (dict, str)):
            value = value[key]
    if isinstance(value, str):
        if is_stream(value):
            return put_together(value)
        try:
            value = parse_json(value)
        except JSONTextError as error:
            return f"a body is {error}"
    return value if isinstance(value, dict) else None
