"""The chunks of OpenAI's chat completions, and of those who speak like it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .parts import StreamCall, StreamEnd, StreamText
from .shapes import Found, Path, ShapeCodec, beside, fields_of, get, is_record, repeated

__all__ = ["CHAT", "ChatCodec"]

_TEXTS = {"content": False, "refusal": False, "reasoning_content": True, "reasoning": True}
"""The fields of a delta that hold text, and whether it is thinking."""
_OF_CHUNK = frozenset(
    [
        "choices",
        "created",
        "id",
        "model",
        "object",
        "obfuscation",
        "prompt_filter_results",
        "provider",
        "service_tier",
        "system_fingerprint",
        "time_info",
        "timings",
        "usage",
        "x_groq",
    ]
)
_OF_CHOICE = frozenset(
    [
        "content_filter_offsets",
        "content_filter_result",
        "content_filter_results",
        "delta",
        "finish_reason",
        "index",
        "logprobs",
        "matched_stop",
        "message",
        "native_finish_reason",
        "stop_reason",
        "text",
        "token_ids",
    ]
)
"""The fields of chunks and choices that are read, or that tell of the service, not the response."""


class ChatCodec(ShapeCodec):
    """Reads chunks with any number of choices, and whole completions, of chats or of plain text."""

    def found(self, event: Any) -> list[Found] | None:
        """Return the parts of all choices; None where one holds what cannot be read."""
        found: list[Found] = []
        for place, choice in enumerate(get(event, "choices") or ()):
            parts = _choice(choice, place) if is_record(choice) else None
            if parts is None:
                return None
            found += parts
        others = beside(event, _OF_CHUNK)
        return None if others is None else found + others

    def rest(self, event: Any) -> list[tuple[Path, Any]]:
        """Return the reasons to finish and the usage."""
        rest: list[tuple[Path, Any]] = [
            (("choices", place, "finish_reason"), None)
            for place, choice in enumerate(get(event, "choices") or ())
            if get(choice, "finish_reason")
        ]
        if get(event, "usage") is not None:
            rest.append((("usage",), None))
        return rest


def _choice(choice: Any, place: int) -> list[Found] | None:
    number = get(choice, "index", place)
    number = number if isinstance(number, int) else place
    path: Path = ("choices", place)
    whole, text = get(choice, "message"), get(choice, "text")
    ends = whole is not None or get(choice, "finish_reason")
    found = [Found(StreamEnd((number,)))] if ends else []
    drops = [(*path, "logprobs")] if get(choice, "logprobs") is not None else []
    for name in ("delta", "message"):
        holder = get(choice, name)
        if holder is None:
            continue
        if not is_record(holder):
            return None
        parts = _parts(holder, (*path, name), number, repeats=name == "message")
        if parts is None:
            return None
        found += [_with_drop(item, drops[0]) for item in parts] if drops else parts
    if isinstance(text, str):
        said = Found(StreamText(text, (number, "text"), choice=number), (*path, "text"))
        found.append(_with_drop(said, drops[0]) if drops else said)
    elif text is not None:
        return None
    others = beside(choice, _OF_CHOICE, path, (number,))
    return None if others is None else found + others


def _with_drop(item: Found, path: Path) -> Found:
    return Found(
        item.part,
        item.path,
        parsed=item.parsed,
        name_path=item.name_path,
        item=item.item,
        drops=((path, None),),
    )


def _parts(holder: Any, path: Path, number: int, *, repeats: bool) -> list[Found] | None:
    found: list[Found] = []
    for name, value in fields_of(holder):
        if name in _TEXTS and isinstance(value, str):
            part = StreamText(
                value, (number, name), repeats=repeats, thinking=_TEXTS[name], choice=number
            )
            found.append(Found(part, (*path, name)))
        elif name == "tool_calls" and isinstance(value, (list, tuple)):
            for item in _calls(value, (*path, name), number, repeats=repeats):
                if item is None:
                    return None
                found.append(item)
        elif name == "function_call":
            found.append(_function(value, (*path, name), (number, name), number, repeats=repeats))
        elif name == "annotations":
            found += repeated(value, (*path, name), (number, name))
        elif name != "role":
            return None
    return found


def _calls(value: Any, path: Path, number: int, *, repeats: bool) -> Iterator[Found | None]:
    for place, call in enumerate(value):
        here = (*path, place)
        index = get(call, "index", place)
        key = (number, "call", index if isinstance(index, int) else place)
        function, custom = get(call, "function"), get(call, "custom")
        if function is not None:
            yield _function(
                function,
                (*here, "function"),
                key,
                number,
                repeats=repeats,
                id=get(call, "id"),
                item=here,
            )
        elif custom is not None:
            part = StreamCall(
                key,
                get(call, "id"),
                get(custom, "name"),
                get(custom, "input") or "",
                repeats=repeats,
                json=False,
                choice=number,
            )
            paths = ((*here, "custom", "input"), (*here, "custom", "name"))
            yield Found(part, paths[0], name_path=paths[1] if part.name else (), item=here)
        else:
            yield None


def _function(
    function: Any,
    path: Path,
    key: tuple[Any, ...],
    number: int,
    *,
    repeats: bool,
    id: str | None = None,  # noqa: A002 - the field's name
    item: Path = (),
) -> Found:
    name, arguments = get(function, "name"), get(function, "arguments") or ""
    part = StreamCall(key, id, name or None, arguments, repeats=repeats, choice=number)
    name_path = (*path, "name") if name else ()
    return Found(part, (*path, "arguments"), name_path=name_path, item=item)


CHAT = ChatCodec()
