"""Trace exports of OpenTelemetry, in OTLP's JSON: spans of GenAI operations, grouped by trace."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ..model import RecordedResult, RecordedRun, Turn
from .genai import chat_messages, instructions, plain_value, result_text
from .message import is_message, plain_text, turn_of, why_not_message
from .source import objects, text_or_none

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ..stream import Item
    from .source import TranscriptSource

NAME = "otlp"
TITLE = "OpenTelemetry traces of GenAI operations (OTLP as JSON, or a request a line)"
_MODEL = frozenset(("chat", "generate_content", "text_completion"))
_AGENT, _TOOL = "invoke_agent", "execute_tool"
_FAILED = (2, "STATUS_CODE_ERROR")
_KEPT = ("gen_ai.", "error.type")


def recognises(value: object) -> bool:
    """Tell whether a value is an export of traces.

    Args:
        value: any JSON value.

    Returns:
        True for an object with `resourceSpans`.
    """
    return isinstance(value, dict) and isinstance(value.get("resourceSpans"), list)


def read(items: Iterable[Item], source: TranscriptSource) -> Iterator[RecordedRun]:
    """Read traces; all spans of GenAI operations of the input are in memory meanwhile.

    Args:
        items: the exports in order; spans of one trace may lie in several of them.
        source: the input that they come from.

    Yields:
        For each trace, in the order of their first spans, the run of its first agent, then one for
        each agent that was invoked inside of another.
    """
    traces: dict[str, dict[str, _Span]] = {}
    parents: dict[str, dict[str, str]] = {}
    for item in items:
        if not recognises(item.value):
            source.malformed(source.where(item), "not an export: no object with resourceSpans")
            continue
        for record in _spans(item.value):
            trace, identity = text_or_none(record.get("traceId")), record.get("spanId")
            if trace is None or not isinstance(identity, str):
                source.malformed(source.where(item), "a span has no traceId or no spanId")
                continue
            parents.setdefault(trace, {})[identity] = str(record.get("parentSpanId") or "")
            span = _span(record, source.where(item, f"span {identity[:16]}"))
            if span.operation in _MODEL or span.operation in {_AGENT, _TOOL}:
                traces.setdefault(trace, {})[identity] = span
    for trace, spans in traces.items():
        yield from _runs(trace, spans, parents[trace], source)


@dataclass(slots=True)
class _Span:
    """One operation, with the attributes that say what it was about."""

    operation: str
    attributes: dict[str, Any]
    where: str
    start: int
    failed: bool
    agent: str = ""
    """The span of the agent that it belongs to; empty where there is none."""


def _spans(value: Any) -> Iterator[dict[str, object]]:
    for resource in objects(value["resourceSpans"]):
        for scope in objects(resource.get("scopeSpans")):
            yield from objects(scope.get("spans"))


def _span(record: dict[str, object], where: str) -> _Span:
    attributes = {
        str(entry.get("key")): plain_value(entry.get("value"))
        for entry in objects(record.get("attributes"))
        if str(entry.get("key")).startswith(_KEPT)
    }
    start, status = record.get("startTimeUnixNano"), record.get("status")
    code = status.get("code") if isinstance(status, dict) else None
    return _Span(
        operation=str(attributes.get("gen_ai.operation.name")),
        attributes=attributes,
        where=where,
        start=int(str(start)) if str(start).isdecimal() else 0,
        failed=code in _FAILED or "error.type" in attributes,
    )


def _runs(
    trace: str, spans: dict[str, _Span], parents: dict[str, str], source: TranscriptSource
) -> Iterator[RecordedRun]:
    agents = {identity for identity, span in spans.items() if span.operation == _AGENT}
    groups: dict[str, list[_Span]] = {}
    for identity, span in spans.items():
        span.agent = identity if identity in agents else _above(identity, agents, parents)
        groups.setdefault(span.agent, [])
        if span.operation != _AGENT:
            groups[span.agent].append(span)
    names: dict[str, str] = {}
    ordered = sorted(groups, key=lambda agent: spans[agent].start if agent else -1)
    for agent in ordered:
        if not groups[agent]:
            continue
        own = spans[agent].attributes if agent else {}
        name = text_or_none(own.get("gen_ai.agent.name"))
        above = names.get(_above(agent, agents, parents)) if agent else None
        if above is None and names:
            above = next(iter(names.values()))
        names[agent] = source.names.unique(name or "agent" if above else trace, above)
        known = [own, *(one.attributes for one in groups[agent])]
        ids = (attributes.get("gen_ai.conversation.id") for attributes in known)
        yield RecordedRun(
            id=names[agent],
            where=min(groups[agent], key=_start).where,
            turns=_Talk(source).turns(sorted(groups[agent], key=_start)),
            agent=name,
            session_id=next((one for one in ids if isinstance(one, str)), None),
            parent_run_id=above,
            attributes={"trace_id": trace},
        )


def _above(identity: str, agents: set[str], parents: dict[str, str]) -> str:
    """Find the nearest agent above a span; damaged exports may go round in a circle."""
    seen = {identity}
    at = parents.get(identity, "")
    while at and at not in agents and at not in seen:
        seen.add(at)
        at = parents.get(at, "")
    return at if at in agents and at != identity else ""


def _start(span: _Span) -> int:
    return span.start


@dataclass(slots=True)
class _Talk:
    """The turns of one agent: each model call shows all messages again, and only some are new."""

    source: TranscriptSource
    history: list[dict[str, Any]] = field(default_factory=list)

    def turns(self, spans: list[_Span]) -> Iterator[Turn]:
        answered = {
            str(message.get("tool_call_id"))
            for span in spans
            for message in chat_messages(span.attributes.get("gen_ai.input.messages"))
            if message.get("role") == "tool"
        }
        asked: set[str] = set()
        for span in spans:
            if span.operation in _MODEL:
                yield from self._call(span, asked)
                continue
            identity = text_or_none(span.attributes.get("gen_ai.tool.call.id")) or span.where
            if identity not in answered:
                yield from _tool(span, identity, known=identity in asked)

    def _call(self, span: _Span, asked: set[str]) -> Iterator[Turn]:
        said, answer = (
            chat_messages(span.attributes.get(f"gen_ai.{side}.messages"))
            for side in ("input", "output")
        )
        if not said and not answer:
            reason = "a model call has no messages: its content was not recorded"
            self.source.malformed(span.where, reason)
            return
        shown = [*instructions(span.attributes.get("gen_ai.system_instructions")), *said]
        same = len(self.history) <= len(shown) and all(map(_same, self.history, shown))
        new, restarts = (shown[len(self.history) :], False) if same else (shown, True)
        model = span.attributes.get("gen_ai.request.model")
        for message in [*new, *answer]:
            if not is_message(message):
                self.source.malformed(span.where, why_not_message(message))
                continue
            turn = turn_of(message, span.where)
            turn.restarts, restarts = restarts, False
            turn.model = text_or_none(model) if turn.answer is not None else None
            asked.update(call.id for call in turn.calls if call.id)
            yield turn
        self.history = [*shown, *answer]


def _same(one: dict[str, Any], other: dict[str, Any]) -> bool:
    """Tell whether two messages are one, however each of the two spans wrote it."""
    return (
        one.get("role") == other.get("role")
        and plain_text(one.get("content")) == plain_text(other.get("content"))
        and [call.id for call in turn_of(one, "").calls]
        == [call.id for call in turn_of(other, "").calls]
    )


def _tool(span: _Span, identity: str, *, known: bool) -> Iterator[Turn]:
    """Make the turns of a tool that no message speaks of: its call, its result, or both."""
    name = text_or_none(span.attributes.get("gen_ai.tool.name")) or ""
    if not known:
        function = {
            "name": name,
            "arguments": span.attributes.get("gen_ai.tool.call.arguments", "{}"),
        }
        call = {"id": identity, "type": "function", "function": function}
        asks: dict[str, object] = {"role": "assistant", "content": None, "tool_calls": [call]}
        yield turn_of(asks, span.where)
    if "gen_ai.tool.call.result" in span.attributes or span.failed:
        value = result_text(span.attributes.get("gen_ai.tool.call.result"))
        message: dict[str, object] = {"role": "tool", "tool_call_id": identity, "content": value}
        result = RecordedResult(value, identity, name or None, span.failed)
        yield Turn(message, span.where, "tool", results=(result,))
