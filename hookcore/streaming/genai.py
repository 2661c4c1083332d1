"""The responses that Google's genai client streams."""

from __future__ import annotations

import json
from typing import Any

from .parts import Key, StreamCall, StreamEnd, StreamText
from .shapes import Found, Path, ShapeCodec, fields_of, get

__all__ = ["GENAI", "GenaiCodec"]

_BESIDE = frozenset(
    ["media_resolution", "part_metadata", "thought", "thoughtSignature", "thought_signature"]
)
_CODE = {"executable_code": "code", "executableCode": "code"}
_CODE |= {"code_execution_result": "output", "codeExecutionResult": "output"}
_CALLS = ("function_call", "functionCall")
_REST = ("finish_reason", "finishReason")


class GenaiCodec(ShapeCodec):
    """Reads responses with any number of candidates, as objects and as the wire's dicts."""

    def found(self, event: Any) -> list[Found] | None:
        """Return the parts of all candidates; None where one holds what cannot be read."""
        found: list[Found] = []
        for place, candidate in enumerate(get(event, "candidates") or ()):
            number = get(candidate, "index") or place
            if any(get(candidate, name) for name in _REST):
                found.append(Found(StreamEnd((number,))))
            path: Path = ("candidates", place, "content", "parts")
            logprobs = (*path[:2], "logprobs_result")
            drops = ((logprobs, None),) if get(candidate, "logprobs_result") else ()
            for at, part in enumerate(get(get(candidate, "content"), "parts") or ()):
                items = _part(part, (*path, at), number, drops)
                if items is None:
                    return None
                found += items
        return found

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
            code = get(value, _CODE[name])
            if isinstance(code, str):
                key = (number, name, path[-1])
                said = StreamText(code, key, repeats=True, choice=number)
                found.append(Found(said, (*path, name, _CODE[name])))
        elif name not in _BESIDE:
            return None
    return found


GENAI = GenaiCodec()
