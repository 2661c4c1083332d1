"""Traces of the OpenAI Agents SDK, as its exporters write them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .lcmessages import chat_messages
from .source import objects, scalars, text_or_none
from .spans import Span, Trace
from .talk import ModelCall, ToolCall

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ..model import RecordedRun
    from ..stream import Item
    from .source import TranscriptSource

NAME = "openai-agents"
TITLE = "OpenAI Agents traces (a trace or a span a line, a list, batches with `data`)"
_TRACE, _SPAN = "trace", "trace.span"


def recognises(value: object) -> bool:
    """Tell whether a value is a trace or a span, or holds some.

    Args:
        value: any JSON value.

    Returns:
        True for objects that say so, and for lists and batches of them.
    """
    return any(map(_is_one, _listed(value)))


def read(items: Iterable[Item], source: TranscriptSource) -> Iterator[RecordedRun]:
    """Read traces; all spans of the input are in memory meanwhile.

    Args:
        items: the traces and spans in order; a trace's spans may lie anywhere.
        source: the input that they come from.

    Yields:
        For each trace, in the order of their first spans, the run of its first agent, then one for
        each other agent.
    """
    traces: dict[str, Trace] = {}
    heads: dict[str, dict[str, Any]] = {}
    for item in items:
        for record in _listed(item.value):
            where = source.where(item)
            if not isinstance(record, dict) or not _is_one(record):
                source.malformed(where, "neither a trace nor a span")
                continue
            identity = record.get("id")
            if record["object"] == _TRACE:
                heads[str(identity)] = record
                continue
            name = text_or_none(record.get("trace_id"))
            if name is None or not isinstance(identity, str):
                source.malformed(where, "a span has no trace_id or no id")
                continue
            trace = traces.setdefault(name, Trace())
            trace.parents[identity] = str(record.get("parent_id") or "")
            span = _span(record, f"{where} {identity[:16]}")
            if span is not None:
                trace.spans[identity] = span
    for name, trace in traces.items():
        head = heads.get(name, {})
        metadata = head.get("metadata")
        known = {"workflow_name": head.get("workflow_name")} if "workflow_name" in head else {}
        known.update(scalars(metadata) if isinstance(metadata, dict) else {})
        yield from trace.runs(name, source, text_or_none(head.get("group_id")), known)


def _listed(value: object) -> list[Any]:
    if isinstance(value, dict) and isinstance(value.get("data"), list) and "object" not in value:
        value = value["data"]
    return value if isinstance(value, list) else [value]


def _is_one(value: object) -> bool:
    if not isinstance(value, dict):
        return False
    kind = value.get("object")
    return (kind == _TRACE and "workflow_name" in value) or (
        kind == _SPAN and isinstance(value.get("span_data"), dict)
    )


def _span(record: dict[str, Any], where: str) -> Span | None:
    data = record["span_data"]
    span = Span(where, str(record.get("started_at") or ""))
    match data.get("type"):
        case "agent":
            span.agent = text_or_none(data.get("name")) or ""
        case "generation" | "response":
            model = text_or_none(data.get("model"))
            given, told = _said(data.get("input")), _said(data.get("output"))
            span.call = ModelCall(where, chat_messages(given), chat_messages(told), model)
        case "function":
            span.call = _tool(data, where, failed=record.get("error") is not None)
        case _:
            return None
    return span


def _said(value: object) -> object:
    """Return messages; a text is a user's."""
    return value if isinstance(value, str) else objects(value)


def _tool(data: dict[str, Any], where: str, *, failed: bool) -> ToolCall:
    return ToolCall(
        where,
        text_or_none(data.get("name")) or "",
        arguments=data.get("input") if data.get("input") is not None else "{}",
        result=data.get("output"),
        ended=data.get("output") is not None or failed,
        failed=failed,
    )
