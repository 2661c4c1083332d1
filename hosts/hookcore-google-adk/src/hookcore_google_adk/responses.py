"""The ADK's responses and events, what hooks may give in their place, and how a stream is read."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

from google.adk.events.event import Event
from google.adk.models.llm_response import LlmResponse
from google.genai import types

from hookcore.hosting import (
    DefaultCodec,
    PartsCodec,
    StreamCall,
    StreamEnd,
    StreamText,
    neutral_response,
)

__all__ = ["Codec", "as_event", "as_response", "without_fragments"]

_OWN = DefaultCodec()
"""Reads what a wrap may yield of hookcore's own."""
_TEXT, _THOUGHT = "text", "thought"
_CODE = {"executable_code": "code", "code_execution_result": "output"}
"""The parts that hold code, and where in them it stands."""
_REPEATING = ("avg_logprobs", "citation_metadata", "grounding_metadata", "logprobs_result")
"""The fields that say the text again, and go with it."""


def as_response(value: Any, like: Any = None) -> Any:
    """Return what hooks left of a response as a response of the ADK's.

    Args:
        value: its own, a text, or a :class:`hookcore.ModelResponse`.
        like: the response that was shown to the hooks, None when the model was not asked.

    Raises:
        TypeError: the value is none of these.
    """
    if isinstance(value, LlmResponse):
        return value
    value = neutral_response(value, "google.adk.models.LlmResponse")
    parts = [types.Part(text=value.thinking, thought=True)] if value.thinking else []
    if value.content or not value.tool_calls:
        parts.append(types.Part(text=value.content))
    for call in value.tool_calls:
        given = call.arguments
        args = json.loads(given or "{}") if isinstance(given, str) else dict(given)
        call_part = types.FunctionCall(id=call.id, name=call.name, args=args)
        parts.append(types.Part(function_call=call_part))
    return _with_parts(LlmResponse() if like is None else like, parts)


def as_event(value: Any, like: Any) -> Any:
    """Return what hooks left of a run's result as an event of the ADK's.

    Args:
        value: an event, or anything that is shown by its text.
        like: the event that was shown to the hooks, None for none.
    """
    if isinstance(value, Event):
        return value
    return _with_parts(like or Event(author="policy"), [types.Part(text=str(value))])


def without_fragments(response: Any) -> Any:
    """Return a piece of a stream without calls and code, which only the whole response is read for.

    The ADK runs nothing of a piece, and says everything again in the whole response.
    """
    parts = _parts_of(response)
    kept = [part for part in parts if part.function_call is None and _kind(part) not in _CODE]
    return response if len(kept) == len(parts) else _with_parts(response, kept)


class Codec(PartsCodec):
    """Reads the pieces of a response, and the whole one that repeats them."""

    def parts(self, event: Any) -> Any:
        """Return what an event is made of, None for one that cannot be read."""
        if not isinstance(event, LlmResponse):
            return _OWN.parts(event)
        found: list[Any] = [] if event.partial else [StreamEnd()]
        for kind, text in _texts(event).items():
            told = {"repeats": not event.partial, "thinking": kind == _THOUGHT}
            found.append(StreamText(text, (kind,), **told))
        for at, part in enumerate(_parts_of(event)):
            call = part.function_call
            if call is not None:
                args = json.dumps(call.args or {}, default=repr)
                found.append(StreamCall(("call", at), call.id, call.name, args, repeats=True))
        return found

    def with_parts(self, event: Any, parts: Any) -> Any:
        """Return an event like ``event`` with other parts."""
        if not isinstance(event, LlmResponse):
            return _OWN.with_parts(event, parts)
        texts = {part.key[0]: part.text for part in parts if isinstance(part, StreamText)}
        calls = {part.key[1]: part for part in parts if isinstance(part, StreamCall)}
        made = []
        for at, part in enumerate(_parts_of(event)):
            kind = _kind(part)
            if kind is not None:
                # The first of several texts has it all, and the others are left out.
                text = texts.pop(kind, "")
                made += [_put(part, kind, text)] if text else []
            elif at not in calls:
                made.append(part)
            elif calls[at].name:  # without a name there is no such call any more
                args = json.loads(calls[at].arguments or "{}")
                told = {"name": calls[at].name, "args": args}
                call = part.function_call.model_copy(update=told)
                made.append(part.model_copy(update={"function_call": call}))
        return _with_parts(event, made)

    def assemble(self, events: Sequence[Any]) -> Any:
        """Return the whole response, unless it says something else than the pieces."""
        pieces: dict[str, str] = {}
        for event in events:
            if isinstance(event, LlmResponse) and event.partial:
                for kind, text in _texts(event).items():
                    pieces[kind] = pieces.get(kind, "") + text
        whole = _last_whole(events)
        said = {} if whole is None else _texts(whole)
        says_all = whole is not None and all(said.get(kind) == pieces[kind] for kind in pieces)
        return whole if says_all else super().assemble(events)

    def events(self, response: Any, original: Sequence[Any]) -> Iterable[Any]:
        """Return the one event that the ADK goes on with; the pieces are left out."""
        return [as_response(response, _last_whole(original))]


def _last_whole(events: Sequence[Any]) -> Any:
    found = [event for event in events if isinstance(event, LlmResponse) and not event.partial]
    return found[-1] if found else None


def _parts_of(response: Any) -> list[Any]:
    return list((response.content.parts if response.content else None) or ())


def _texts(response: Any) -> dict[str, str]:
    """Return all that a response says, by its kind."""
    found: dict[str, str] = {}
    for part in _parts_of(response):
        kind = _kind(part)
        if kind is not None:
            text = getattr(getattr(part, kind), _CODE[kind]) if kind in _CODE else part.text
            found[kind] = found.get(kind, "") + (text or "")
    return found


def _kind(part: Any) -> str | None:
    """Return what kind of text a part is, None for none."""
    if part.text:
        return _THOUGHT if part.thought else _TEXT
    return next((name for name in _CODE if getattr(part, name) is not None), None)


def _put(part: Any, kind: str, text: str) -> Any:
    if kind not in _CODE:
        return part.model_copy(update={"text": text})
    code = getattr(part, kind).model_copy(update={_CODE[kind]: text})
    return part.model_copy(update={kind: code})


def _with_parts(response: Any, parts: list[Any]) -> Any:
    content = response.content or types.Content(role="model")
    told = {name: None for name in _REPEATING if getattr(response, name, None) is not None}
    changed = content.model_copy(update={"parts": parts})
    return response.model_copy(update={**told, "content": changed})
