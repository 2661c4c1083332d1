"""Policies over streams, and ways to cut texts and to see what events hold."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from hookcore import ModelResponse, ToolCall, hookimpl

SECRET = "sk-" + "aB3dE5gH" * 3
"""The text that no policy lets out."""
KEY = re.compile(r"sk-[A-Za-z0-9]{24}")


def clean(text: str) -> str:
    """Return a text without secrets."""
    return KEY.sub("[key]", text)


def cut(text: str, size: int) -> list[str]:
    """Return a text in pieces of a size."""
    return [text[at : at + size] for at in range(0, len(text), size)]


def leaves(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[tuple[Any, ...], str]]:
    """Yield each text in a tree, with the names and numbers that lead to it."""
    if isinstance(value, str):
        yield path, value
    elif isinstance(value, dict):
        for name, item in value.items():
            yield from leaves(item, (*path, name))
    elif isinstance(value, (list, tuple)):
        for number, item in enumerate(value):
            yield from leaves(item, (*path, number))


def plain(event: Any) -> Any:
    """Return an event as dicts and lists, as its library writes it."""
    if hasattr(event, "model_dump"):
        return json.loads(event.model_dump_json(warnings=False))
    return event


def redacted(response: Any) -> Any:
    """Return a response, or several, without secrets."""
    if isinstance(response, str):
        return clean(response)
    if isinstance(response, list):
        return [redacted(item) for item in response]
    calls = [
        ToolCall(call.name, clean(call.arguments), call.id)
        if isinstance(call.arguments, str)
        else ToolCall(call.name, json.loads(clean(json.dumps(call.arguments))), call.id)
        for call in response.tool_calls
    ]
    return ModelResponse(clean(response.content), calls, response.usage, clean(response.thinking))


class Buffering:
    """Redacts the whole response."""

    @hookimpl(on_error="deny")
    def post_model_call(self, ctx: Any) -> Any:
        """Redact it."""
        return redacted(ctx.response)


class Windowed:
    """Redacts the response while it passes."""

    @hookimpl(stream="window", window=40, on_error="deny")
    def post_model_call(self, ctx: Any) -> Any:
        """Redact a piece of it."""
        return redacted(ctx.response)


class Passing:
    """Judges the whole response, and lets it pass."""

    def __init__(self) -> None:
        self.seen: list[Any] = []

    @hookimpl(gate=True)
    def post_model_call(self, ctx: Any) -> None:
        """Note it."""
        self.seen.append(ctx.response)
