"""The responses that Google's genai client streams."""

from __future__ import annotations

import json
from typing import Any

from .parts import Key, StreamCall, StreamEnd, StreamText
from .shapes import Found, Path, ShapeCodec, beside, fields_of, get, is_record, joined

__all__ = ["GENAI", "GenaiCodec"]

_BESIDE = frozenset(
    ["media_resolution", "part_metadata", "thought", "thoughtSignature", "thought_signature"]
)
_CODE = {"executable_code": "code", "executableCode": "code"}
_CODE |= {"code_execution_result": "output", "codeExecutionResult": "output"}
_CALLS = ("function_call", "functionCall")
_REST = ("finish_reason", "finishReason")
_LOGPROBS = ("logprobs_result", "logprobsResult")
_OF_RESPONSE = frozenset(
    [
        "automatic_function_calling_history",
        "candidates",
        "createTime",
        "create_time",
        "modelVersion",
        "model_version",
        "responseId",
        "response_id",
        "sdkHttpResponse",
        "sdk_http_response",
        "usageMetadata",
        "usage_metadata",
    ]
)
_OF_CANDIDATE = frozenset(
    [
        "avgLogprobs",
        "avg_logprobs",
        "content",
        "index",
        "safetyRatings",
        "safety_ratings",
        "tokenCount",
        "token_count",
        *_LOGPROBS,
        *_REST,
    ]
)
_OF_CONTENT = frozenset({"parts", "role"})
_OF_CODE = frozenset({"code", "id", "language", "outcome", "output"})
"""The fields that are read, or that tell of the service, not of the response."""


class GenaiCodec(ShapeCodec):
    """Reads responses with any number of candidates, as objects and as the wire's dicts."""

    def found(self, event: Any) -> list[Found] | None:
        """Return the parts of all candidates; None where one holds what cannot be read."""
        found: list[Found] = []
        for place, candidate in enumerate(get(event, "candidates") or ()):
            items = _candidate(candidate, place) if is_record(candidate) else None
            if items is None:
                return None
            found += items
        return joined(found, beside(event, _OF_RESPONSE))

    def rest(self, event: Any) -> list[tuple[Path, Any]]:
        """Return the reasons to finish and the usage."""
        rest: list[tuple[Path, Any]] = [
            (("candidates", place, name), None)
            for place, candidate in enumerate(get(event, "candidates") or ())
            for name in _REST
            if get(candidate, name)
        ]
        if rest:
            names = ("usage_metadata", "usageMetadata")
            rest += [((name,), None) for name in names if get(event, name) is not None]
        return rest


def _candidate(candidate: Any, place: int) -> list[Found] | None:
    number, content = get(candidate, "index") or place, get(candidate, "content")
    if content is not None and not is_record(content):
        return None
    ends = any(get(candidate, name) for name in _REST)
    path: Path = ("candidates", place)
    drops = tuple(((*path, name), None) for name in _LOGPROBS if get(candidate, name))
    parts = [
        _part(part, (*path, "content", "parts", at), number, drops) if is_record(part) else None
        for at, part in enumerate(get(content, "parts") or ())
    ]
    if content is not None:
        parts.append(beside(content, _OF_CONTENT, (*path, "content"), (number,)))
    others = beside(candidate, _OF_CANDIDATE, path, (number,))
    return joined([Found(StreamEnd((number,)))] if ends else [], *parts, others)


def _part(
    part: Any, path: Path, number: int, drops: tuple[tuple[Path, Any], ...]
) -> list[Found] | None:
    found: list[Found] = []
    for name, value in fields_of(part):
        if name == "text" and isinstance(value, str):
            thinking = bool(get(part, "thought"))
            key: Key = (number, "thought" if thinking else "text")
            text = StreamText(value, key, thinking=thinking, choice=number)
            found.append(Found(text, (*path, name), drops=drops))
        elif name in _CALLS:
            key = (number, "call", path[-1])
            if get(value, "partial_args") or get(value, "will_continue"):
                return None
            arguments = json.dumps(get(value, "args") or {})
            call = StreamCall(key, get(value, "id"), get(value, "name"), arguments, choice=number)
            paths = ((*path, name, "args"), (*path, name, "name"))
            found.append(Found(call, paths[0], parsed=True, name_path=paths[1], item=path))
            found.append(Found(StreamEnd(key)))
        elif name in _CODE:
            code, key = get(value, _CODE[name]), (number, name, path[-1])
            others = beside(value, _OF_CODE, (*path, name), key) if is_record(value) else None
            if others is None:
                return None
            if isinstance(code, str):
                said = StreamText(code, key, repeats=True, choice=number)
                found.append(Found(said, (*path, name, _CODE[name])))
            found += others
        elif name not in _BESIDE:
            return None
    return found


GENAI = GenaiCodec()
