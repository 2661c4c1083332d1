"""Tell of a runtime's classes, where their own fields do not tell enough."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

__all__ = ["MessageCodec", "TextPart", "codec_of", "register_message_codec"]


@dataclass(frozen=True, slots=True)
class TextPart:
    """One text of an object, and where it stands.

    Args:
        text: the text.
        role: ``"system"``, ``"user"``, ``"assistant"`` or ``"tool"``; None for that of the message
            around it.
        kind: ``"text"``, ``"thinking"`` or ``"arguments"``; None for that of what is around it.
        tool: the name of the tool whose arguments or result it is.
    """

    text: str
    role: str | None = None
    kind: str | None = None
    tool: str | None = None


class MessageCodec(Protocol):
    """The codec of an adapter for a class of its runtime's messages, parts or responses."""

    def texts(self, value: Any) -> Iterable[TextPart]:
        """Return all texts of an object, in an order of the codec's own."""
        ...

    def with_texts(self, value: Any, texts: Sequence[str]) -> Any:
        """Return an object like ``value`` with other texts, in that order; edit nothing."""
        ...


_codecs: dict[type, MessageCodec] = {}
_lock = threading.Lock()


def register_message_codec(kind: type, codec: MessageCodec) -> Callable[[], None]:
    """Read the objects of a class, and of those derived from it, through a codec.

    It holds for the process; a codec for the same class takes the earlier one's place.

    Args:
        kind: the class.
        codec: reads its texts and puts others in their place.

    Returns:
        A function that takes the codec out again, for adapters that can be uninstalled.

    Raises:
        TypeError: ``kind`` is no class, or the codec lacks a method.
    """
    if not isinstance(kind, type):
        raise TypeError(f"a codec is registered for a class, not for {kind!r}")
    for method in ("texts", "with_texts"):
        if not callable(getattr(codec, method, None)):
            raise TypeError(f"the codec for {kind.__qualname__} has no method {method}()")
    global _codecs  # noqa: PLW0603 - replaced as a whole: readers take no lock
    with _lock:
        _codecs = {**_codecs, kind: codec}

    def unregister() -> None:
        global _codecs  # noqa: PLW0603
        with _lock:
            if _codecs.get(kind) is codec:
                _codecs = {key: value for key, value in _codecs.items() if key is not kind}

    return unregister


def codec_of(kind: type) -> MessageCodec | None:
    """Return the codec for a class, None when nobody has registered one."""
    if not _codecs:
        return None
    return next((codec for base in kind.__mro__ if (codec := _codecs.get(base))), None)
