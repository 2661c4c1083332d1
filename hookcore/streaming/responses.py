"""The events of OpenAI's responses, most of which say again what others have said."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .parts import Key, StreamCall, StreamEnd, StreamText
from .shapes import Found, Path, ShapeCodec, beside, get, is_record, joined, repeated

__all__ = ["RESPONSES", "ResponsesCodec"]

_DELTAS = {
    "output_text": ("content_index", False),
    "refusal": ("content_index", False),
    "reasoning_text": ("content_index", True),
    "reasoning_summary_text": ("summary_index", True),
    "code_interpreter_call_code": ("", False),
    "mcp_call_arguments": ("", False),
    "shell_call_command": ("command_index", False),
    "audio.transcript": ("", False),
}
"""The events that stream a text: where its index stands, and whether it is thinking."""
_WHOLE_AT = {
    "refusal": "refusal",
    "code_interpreter_call_code": "code",
    "mcp_call_arguments": "arguments",
    "shell_call_command": "command",
}
_CALLS = {"function_call_arguments": "arguments", "custom_tool_call_input": "input"}
_ENDINGS = ("completed", "incomplete", "failed")
_RESPONSES = ("created", "in_progress", "queued", *_ENDINGS)
_EMPTY = frozenset(
    [
        "error",
        "keepalive",
        "response.audio.done",
        "response.audio.transcript.done",
        "response.compaction.compacting",
        *(
            f"response.{call}.{state}"
            for call in (
                "code_interpreter_call",
                "file_search_call",
                "image_generation_call",
                "mcp_call",
                "mcp_list_tools",
                "web_search_call",
            )
            for state in ("completed", "failed", "generating", "in_progress", "interpreting")
        ),
        "response.file_search_call.searching",
        "response.web_search_call.searching",
    ]
)
"""The events that hold nothing of the response."""
_OF_EVENT = frozenset(
    [
        "annotation_index",
        "call_id",
        "command_index",
        "content_index",
        "item_id",
        "obfuscation",
        "output_index",
        "sequence_number",
        "status",
        "summary_index",
        "type",
    ]
)
_OF_PART = frozenset({"annotations", "logprobs", "refusal", "text", "type"})
_OF_CALL = frozenset({"arguments", "call_id", "id", "input", "name", "namespace", "status", "type"})
_OF_ITEM = frozenset(
    {"content", "encrypted_content", "id", "phase", "role", "status", "summary", "type"}
)
_OF_RESPONSE = frozenset(
    [
        "background",
        "billing",
        "completed_at",
        "conversation",
        "created_at",
        "frequency_penalty",
        "id",
        "instructions",
        "max_output_tokens",
        "max_tool_calls",
        "metadata",
        "model",
        "object",
        "output",
        "parallel_tool_calls",
        "presence_penalty",
        "previous_response_id",
        "prompt",
        "prompt_cache_key",
        "prompt_cache_retention",
        "reasoning",
        "safety_identifier",
        "service_tier",
        "status",
        "store",
        "temperature",
        "text",
        "tool_choice",
        "tools",
        "top_logprobs",
        "top_p",
        "truncation",
        "usage",
        "user",
    ]
)
"""The fields that are read, that say again what was asked, or that tell of the service."""


class ResponsesCodec(ShapeCodec):
    """Reads all events but those with sound and pictures."""

    def found(self, event: Any) -> list[Found] | None:
        """Return the parts of an event; None for one with what cannot be read."""
        kind = str(get(event, "type"))
        if kind in _EMPTY:
            return beside(event, _OF_EVENT)
        _, _, rest = kind.partition(".")
        name, _, step = rest.rpartition(".")
        if rest in _RESPONSES:
            return _response(event, ends=rest in _ENDINGS)
        read = _READ.get(name)
        return None if read is None else joined(read(event, name, step), _left(event, name))


def _left(event: Any, name: str) -> list[Found] | None:
    return beside(event, _OF_READ[name], (), (get(event, "output_index"),))


def _output_item(event: Any, _name: str, step: str) -> list[Found] | None:
    key = (get(event, "output_index"),)
    found = _item(get(event, "item"), ("item",), key, said=step == "done")
    return joined([Found(StreamEnd(key))] if step == "done" else [], found)


def _annotation(event: Any, _name: str, _step: str) -> list[Found]:
    key = (get(event, "output_index"), "annotation", get(event, "annotation_index"))
    return repeated(get(event, "annotation"), ("annotation",), key)


def _key(event: Any, name: str) -> Key:
    group = "summary" if name.startswith("reasoning_summary") else "text"
    index, _ = _DELTAS.get(name, ("content_index", False))
    return (get(event, "output_index", 0), group, get(event, index, 0))


def _drops(event: Any) -> tuple[tuple[Path, Any], ...]:
    return ((("logprobs",), []),) if get(event, "logprobs") else ()


def _text(event: Any, name: str, step: str) -> list[Found] | None:
    key, thinking = _key(event, name), _DELTAS[name][1]
    if step == "delta":
        text = get(event, "delta")
        if not isinstance(text, str):
            return None
        return [Found(StreamText(text, key, thinking=thinking), ("delta",), drops=_drops(event))]
    if step not in ("done", "added"):
        return None
    field = _WHOLE_AT.get(name, "text")
    text = get(event, field)
    if not isinstance(text, str):
        return None
    part = StreamText(text, key, repeats=True, thinking=thinking)
    found = [Found(part, (field,), drops=_drops(event))]
    return [Found(StreamEnd(key)), *found] if step == "done" else found


def _call(event: Any, name: str, step: str) -> list[Found]:
    key, json = (get(event, "output_index"),), name == "function_call_arguments"
    if step == "delta":
        return [Found(StreamCall(key, arguments=get(event, "delta") or "", json=json), ("delta",))]
    field = _CALLS[name]
    part = StreamCall(
        key, name=get(event, "name"), arguments=get(event, field) or "", repeats=True, json=json
    )
    return [Found(part, (field,), name_path=("name",) if part.name else ())]


def _part(event: Any, name: str, step: str) -> list[Found] | None:
    key = _key(event, name)
    if name == "reasoning_summary_part":
        key = (key[0], "summary", get(event, "summary_index", 0))
    found = _content(get(event, "part"), ("part",), key)
    return joined([Found(StreamEnd(key))] if step == "done" else [], found)


def _content(part: Any, path: Path, key: Key) -> list[Found] | None:
    """Return the text of a part of a message or of reasoning, and what is noted beside it."""
    if not is_record(part):
        return None
    kind = get(part, "type")
    name = "refusal" if kind == "refusal" else "text"
    text = get(part, name)
    if not isinstance(text, str):
        return repeated(part, path, (*key, "other"))
    thinking = kind in ("reasoning_text", "summary_text")
    drops = (((*path, "logprobs"), None),) if get(part, "logprobs") else ()
    found = [
        Found(StreamText(text, key, repeats=True, thinking=thinking), (*path, name), drops=drops)
    ]
    notes = get(part, "annotations")
    if notes:
        found += repeated(notes, (*path, "annotations"), (*key, "annotations"))
    return joined(found, beside(part, _OF_PART, path, key))


def _item(item: Any, path: Path, key: Key, *, said: bool) -> list[Found] | None:
    if not is_record(item):
        return None
    kind = get(item, "type")
    if kind in ("function_call", "custom_tool_call"):
        field = "arguments" if kind == "function_call" else "input"
        part = StreamCall(
            key,
            get(item, "call_id") or get(item, "id"),
            get(item, "name"),
            get(item, field) or "",
            repeats=said,
            json=kind == "function_call",
        )
        found = [Found(part, (*path, field), name_path=(*path, "name"))]
        return joined(found, beside(item, _OF_CALL, path, key))
    if kind in ("message", "reasoning"):
        parts = [
            _content(part, (*path, field, place), (*key, group, place))
            for group, field in (("text", "content"), ("summary", "summary"))
            for place, part in enumerate(get(item, field) or ())
        ]
        return joined(*parts, beside(item, _OF_ITEM, path, key))
    return repeated(item, path, (*key, "item"))


def _response(event: Any, *, ends: bool) -> list[Found] | None:
    response = get(event, "response")
    if not is_record(response):
        return None
    items = [
        _item(item, ("response", "output", place), (place,), said=True)
        for place, item in enumerate(get(response, "output") or ())
    ]
    others = beside(response, _OF_RESPONSE, ("response",)), beside(event, _OF_READ["response"])
    return joined([Found(StreamEnd())] if ends else [], *items, *others)


_READ: dict[str, Callable[[Any, str, str], list[Found] | None]] = {
    **dict.fromkeys(_DELTAS, _text),
    **dict.fromkeys(_CALLS, _call),
    "content_part": _part,
    "reasoning_summary_part": _part,
    "output_item": _output_item,
    "output_text.annotation": _annotation,
}
"""The readers of events, by the name, and its last word."""

_OF_READ: dict[str, frozenset[str]] = {
    name: _OF_EVENT | {"delta", "logprobs", _WHOLE_AT.get(name, "text")} for name in _DELTAS
}
_OF_READ |= {name: _OF_EVENT | {"delta", "name", field} for name, field in _CALLS.items()}
_OF_READ |= dict.fromkeys(("content_part", "reasoning_summary_part"), _OF_EVENT | {"part"})
_OF_READ["output_item"] = _OF_EVENT | {"item"}
_OF_READ["output_text.annotation"] = _OF_EVENT | {"annotation"}
_OF_READ["response"] = _OF_EVENT | {"response"}

RESPONSES = ResponsesCodec()
