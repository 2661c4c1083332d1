"""The chunks of OpenAI's chat completions, and of those who speak like it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .parts import StreamCall, StreamEnd, StreamText
from .shapes import Found, Path, ShapeCodec, fields_of, get

__all__ = ["CHAT", "ChatCodec"]

_TEXTS = {"content": False, "refusal": False, "reasoning_content": True, "reasoning": True}
"""The fields of a delta that hold text, and whether it is thinking."""


class ChatCodec(ShapeCodec):
    """Reads chunks with any number of choices, and whole completions."""

    def found(self, event: Any) -> list[Found] | None:
        """Return the parts of all choices; None where one holds what cannot be read."""
        found: list[Found] = []
        for place, choice in enumerate(get(event, "choices") or ()):
            number = get(choice, "index", place)
            number = number if isinstance(number, int) else place
            whole = get(choice, "message")
            name = "delta" if whole is None else "message"
            if whole is not None or get(choice, "finish_reason"):
                found.append(Found(StreamEnd((number,))))
            holder = get(choice, name)
            if holder is None:
                continue
            path: Path = ("choices", place)
            parts = _parts(holder, (*path, name), number, repeats=whole is not None)
            if parts is None:
                return None
            if get(choice, "logprobs") is not None:
                found += [_with_drop(item, (*path, "logprobs")) for item in parts]
            else:
                found += parts
        return found

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
        elif name not in ("role", "annotations"):
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
