"""The codec of an event, by the names of its type or by what a dict says that it is."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .anthropic import ANTHROPIC, TYPES
from .chat import CHAT
from .genai import GENAI
from .langchain import LANGCHAIN
from .responses import RESPONSES
from .shapes import ShapeCodec

__all__ = ["codec_of"]

_BY_NAME: dict[str, tuple[str, ShapeCodec]] = {
    "ChatCompletion": ("openai", CHAT),
    "ChatCompletionChunk": ("", CHAT),
    "Completion": ("openai", CHAT),
    "ModelResponseStream": ("litellm", CHAT),
    "GenerateContentResponse": ("google", GENAI),
    "BaseMessage": ("langchain_core", LANGCHAIN),
    "ChatGeneration": ("langchain_core", LANGCHAIN),
    "Generation": ("langchain_core", LANGCHAIN),
}
"""For each name of a class the beginning of its module's, and the codec."""

_HELPERS = ("anthropic.lib", "openai.lib")
"""The modules in which the clients derive events from those of the wire, with more text in them."""


def codec_of(event: Any) -> ShapeCodec | None:
    """Return the codec of a library's event, None where no library is known for it."""
    if isinstance(event, Mapping):
        return _of_dict(event)
    kind = type(event)
    if kind not in _KNOWN:
        if len(_KNOWN) >= _MOST_KINDS:
            _KNOWN.clear()
        _KNOWN[kind] = _of_type(kind)
    return _KNOWN[kind]


_KNOWN: dict[type, ShapeCodec | None] = {}
_MOST_KINDS = 1024


def _of_type(kind: type) -> ShapeCodec | None:
    if any(base.__module__.startswith(_HELPERS) for base in kind.__mro__):
        return None
    for base in kind.__mro__:
        module, name = base.__module__, base.__name__
        known = _BY_NAME.get(name)
        if known is not None and module.startswith(known[0]):
            return known[1]
        if module.startswith("openai.types.responses") and name.endswith("Event"):
            return RESPONSES
        if module.startswith("anthropic.types") and name.endswith("Event"):
            return ANTHROPIC
    return None


def _of_dict(event: Mapping[Any, Any]) -> ShapeCodec | None:
    kind = event.get("type")
    if isinstance(kind, str):
        if kind.startswith("response.") or kind == "keepalive":
            return RESPONSES
        if kind in TYPES:
            return ANTHROPIC
    if event.get("object") in ("chat.completion.chunk", "chat.completion", "text_completion"):
        return CHAT
    if isinstance(event.get("choices"), (list, tuple)):
        return CHAT if "object" not in event else None
    if isinstance(event.get("candidates"), (list, tuple)):
        return GENAI
    return None
