"""Trace exports of OpenTelemetry, in OTLP's JSON: spans of GenAI operations, grouped by trace."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .genai import chat_messages, instructions, plain_value
from .source import objects, text_or_none
from .spans import Span, Trace
from .talk import ModelCall, ToolCall

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ..model import RecordedRun
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
    traces: dict[str, Trace] = {}
    for item in items:
        if not recognises(item.value):
            source.malformed(source.where(item), "not an export: no object with resourceSpans")
            continue
        for record in _spans(item.value):
            name, identity = text_or_none(record.get("traceId")), record.get("spanId")
            if name is None or not isinstance(identity, str):
                source.malformed(source.where(item), "a span has no traceId or no spanId")
                continue
            trace = traces.setdefault(name, Trace())
            trace.parents[identity] = str(record.get("parentSpanId") or "")
            span = _span(record, source.where(item, f"span {identity[:16]}"))
            if span is not None:
                trace.spans[identity] = span
    for name, trace in traces.items():
        yield from trace.runs(name, source)


def _spans(value: Any) -> Iterator[dict[str, object]]:
    for resource in objects(value["resourceSpans"]):
        for scope in objects(resource.get("scopeSpans")):
            yield from objects(scope.get("spans"))


def _span(record: dict[str, object], where: str) -> Span | None:
    attributes = {
        str(entry.get("key")): plain_value(entry.get("value"))
        for entry in objects(record.get("attributes"))
        if str(entry.get("key")).startswith(_KEPT)
    }
    start, status = str(record.get("startTimeUnixNano")), record.get("status")
    code = status.get("code") if isinstance(status, dict) else None
    failed = code in _FAILED or "error.type" in attributes
    operation = str(attributes.get("gen_ai.operation.name"))
    span = Span(
        where,
        f"{int(start):020}" if start.isdecimal() else "",
        session=text_or_none(attributes.get("gen_ai.conversation.id")),
    )
    if operation == _AGENT:
        span.agent = text_or_none(attributes.get("gen_ai.agent.name")) or ""
    elif operation in _MODEL:
        span.call = _model(attributes, where)
    elif operation == _TOOL:
        span.call = _tool(attributes, where, failed=failed)
    else:
        return None
    return span


def _model(attributes: dict[str, Any], where: str) -> ModelCall:
    said, answer = (
        chat_messages(attributes.get(f"gen_ai.{side}.messages")) for side in ("input", "output")
    )
    told = instructions(attributes.get("gen_ai.system_instructions")) if said or answer else []
    model = text_or_none(attributes.get("gen_ai.request.model"))
    return ModelCall(where, [*told, *said], answer, model)


def _tool(attributes: dict[str, Any], where: str, *, failed: bool) -> ToolCall:
    return ToolCall(
        where,
        text_or_none(attributes.get("gen_ai.tool.name")) or "",
        text_or_none(attributes.get("gen_ai.tool.call.id")),
        attributes.get("gen_ai.tool.call.arguments", "{}"),
        attributes.get("gen_ai.tool.call.result"),
        ended="gen_ai.tool.call.result" in attributes or failed,
        failed=failed,
    )
