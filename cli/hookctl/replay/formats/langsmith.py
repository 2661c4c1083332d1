"""Runs of LangChain, as its tracers and LangSmith's clients, exports and API write them."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ..jsontext import JSONTextError, parse_json
from .lcmessages import chat_messages
from .message import is_message
from .source import objects, text_or_none
from .spans import Span, Trace
from .talk import ModelCall, ToolCall

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ..model import RecordedRun
    from ..stream import Item
    from .source import TranscriptSource

NAME = "langsmith"
TITLE = "LangChain or LangSmith runs (a run a line, a list of runs, batches of `post` and `patch`)"
_KINDS = frozenset(("chain", "embedding", "llm", "parser", "prompt", "retriever", "tool"))
_LISTS = ("post", "patch", "runs")
_MARKS = ("dotted_order", "trace_id", "parent_run_id", "child_runs", "session_name", "start_time")


def recognises(value: object) -> bool:
    """Tell whether a value is a run, or holds runs.

    Args:
        value: any JSON value.

    Returns:
        True for an object that says its kind and its place in a trace, and for lists of them.
    """
    if isinstance(value, list):
        return any(map(_is_run, value))
    if not isinstance(value, dict):
        return False
    return _is_run(value) or any(map(_is_run, _listed(value)))


def read(items: Iterable[Item], source: TranscriptSource) -> Iterator[RecordedRun]:
    """Read traces; all runs of the input are in memory meanwhile.

    Args:
        items: the runs in order; those of one trace may lie anywhere.
        source: the input that they come from.

    Yields:
        For each trace, in the order of their first runs, the run of its root, then one for each
        agent that a tool invoked.
    """
    runs: dict[str, _Run] = {}
    for item in items:
        values = item.value if isinstance(item.value, list) else [item.value]
        for value in values:
            for record in _listed(value) or (value,):
                _keep(record, runs, source.where(item), source)
    traces: dict[str, Trace] = {}
    for identity, run in runs.items():
        trace = traces.setdefault(_root(identity, runs), Trace())
        trace.parents[identity] = run.parent
        span = _span(run, runs)
        if span is not None:
            trace.spans[identity] = span
    for name, trace in traces.items():
        yield from trace.runs(name, source)


@dataclass(slots=True)
class _Run:
    """A run, with all that is known of it: its beginning and its end may lie apart."""

    where: str
    parent: str = ""
    values: dict[str, Any] = field(default_factory=dict)


def _is_run(value: object) -> bool:
    return (
        isinstance(value, dict)
        and str(value.get("run_type")) in _KINDS
        and any(mark in value for mark in _MARKS)
    )


def _listed(value: object) -> list[dict[str, Any]]:
    if not isinstance(value, dict) or "run_type" in value:
        return []
    return [record for key in _LISTS for record in objects(value.get(key))]


def _keep(
    record: object, runs: dict[str, _Run], where: str, source: TranscriptSource, parent: str = ""
) -> None:
    identity = text_or_none(record.get("id")) if isinstance(record, dict) else None
    if identity is None or not isinstance(record, dict):
        source.malformed(where, "a run has no id")
        return
    if not (_is_run(record) or identity in runs or "dotted_order" in record):
        source.malformed(where, "a run has no run_type that is known")
        return
    run = runs.setdefault(identity, _Run(f"{where} run {identity[:13]}", parent))
    run.parent = text_or_none(record.get("parent_run_id")) or run.parent
    run.values.update({key: value for key, value in record.items() if value not in (None, {}, [])})
    for child in objects(run.values.pop("child_runs", None)):
        _keep(child, runs, where, source, identity)


def _root(identity: str, runs: dict[str, _Run]) -> str:
    """Name the trace of a run; damaged ones may go round in a circle."""
    seen = set[str]()
    while identity in runs and identity not in seen:
        seen.add(identity)
        named = text_or_none(runs[identity].values.get("trace_id"))
        if named or not runs[identity].parent:
            return named or identity
        identity = runs[identity].parent
    return identity


def _span(run: _Run, runs: dict[str, _Run]) -> Span | None:
    values, kind = run.values, run.values.get("run_type")
    start = str(values.get("dotted_order") or "").rsplit(".", 1)[-1]
    span = Span(run.where, start or str(values.get("start_time") or ""), session=_session(values))
    if kind == "llm":
        span.call = _model(values, run.where)
    elif kind == "tool":
        span.call = _tool(values, run.where)
    elif kind == "chain" and _is_agent(run, runs):
        span.agent = text_or_none(values.get("name")) or ""
    else:
        return None
    return span


def _is_agent(run: _Run, runs: dict[str, _Run]) -> bool:
    """Tell an agent from what it consists of: it is the trace's root, or a tool runs it."""
    above = runs.get(run.parent)
    return above is None or above.values.get("run_type") == "tool"


def _session(values: dict[str, Any]) -> str | None:
    extra = values.get("extra")
    metadata = extra.get("metadata") if isinstance(extra, dict) else None
    if not isinstance(metadata, dict):
        return None
    keys = ("thread_id", "session_id", "conversation_id")
    return next((str(metadata[key]) for key in keys if metadata.get(key)), None)


def _model(values: dict[str, Any], where: str) -> ModelCall:
    inputs, outputs = _object(values.get("inputs")), _object(values.get("outputs"))
    shown = next(
        (inputs[key] for key in ("messages", "input", "prompts", "prompt") if key in inputs), None
    )
    system = inputs.get("system") or inputs.get("instructions")
    told = [{"role": "system", "content": system}] if system else []
    extra = values.get("extra")
    metadata = extra.get("metadata") if isinstance(extra, dict) else None
    model = inputs.get("model")
    if model is None and isinstance(metadata, dict):
        model = metadata.get("ls_model_name")
    answer = [one for one in _answer(outputs) if not is_message(one) or one["role"] == "assistant"]
    return ModelCall(where, [*told, *chat_messages(shown)], answer, text_or_none(model))


def _answer(outputs: dict[str, Any]) -> list[dict[str, Any]]:
    if "generations" in outputs:
        generations = outputs["generations"]
        if isinstance(generations, list) and generations and isinstance(generations[0], list):
            generations = generations[0]
        return [
            chat_messages(one["message"])[0]
            if isinstance(one.get("message"), dict)
            else {"role": "assistant", "content": one.get("text")}
            for one in objects(generations)
        ]
    if "choices" in outputs:
        choices = objects(outputs["choices"])
        return chat_messages([one.get("message") for one in choices if one.get("message")])
    if "role" in outputs or "lc" in outputs:
        return chat_messages(outputs)
    for key in ("messages", "message", "output", "content"):
        if isinstance(outputs.get(key), str):
            return [{"role": "assistant", "content": outputs[key]}]
        if key in outputs:
            return chat_messages(outputs[key])
    return []


def _tool(values: dict[str, Any], where: str) -> ToolCall:
    outputs, error = _object(values.get("outputs")), text_or_none(values.get("error"))
    result = outputs.get("output", outputs or None)
    told = chat_messages(result)[0] if isinstance(result, dict) else {}
    is_message = told.get("role") == "tool"
    status = result.get("status") if isinstance(result, dict) else None
    if is_message:
        result = told.get("content")
    inputs = _object(values.get("inputs"))
    if set(inputs) == {"input"} and not isinstance(inputs["input"], (int, float)):
        inputs = _arguments(inputs["input"])
    return ToolCall(
        where,
        text_or_none(values.get("name")) or "",
        text_or_none(told.get("tool_call_id")) if is_message else None,
        inputs,
        result if result is not None else error,
        ended=result is not None or error is not None,
        failed=error is not None or status == "error",
    )


def _arguments(told: object) -> dict[str, Any]:
    """Read a tool's input, which older tracers wrote as Python writes a dict."""
    if isinstance(told, str):
        try:
            value = ast.literal_eval(told)
        except (ValueError, SyntaxError, MemoryError, RecursionError):
            value = None
        return value if isinstance(value, dict) else _object(told) or {"input": told}
    return told if isinstance(told, dict) else {"input": told}


def _object(value: object) -> dict[str, Any]:
    """Return an object, which bulk exports write as JSON text."""
    if isinstance(value, str):
        try:
            value = parse_json(value)
        except JSONTextError:
            return {}
    return value if isinstance(value, dict) else {}
