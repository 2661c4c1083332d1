"""Runs and calls that have begun and not ended: the points of one call are joined by its ids."""

from __future__ import annotations

from collections.abc import Iterator
from time import perf_counter
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from opentelemetry.context import Context
    from opentelemetry.trace import Span

__all__ = ["KIND_OF_POINT", "Key", "Open", "OpenCalls", "key_of"]

_MOST: Final = 10_000
"""A host that begins calls by single dispatches may never end them."""

Key = tuple[str | None, ...]
"""The kind of what is open, and its ids."""

KIND_OF_POINT: Final = {
    **dict.fromkeys(("pre_tool_call", "wrap_tool_call", "post_tool_call", "tool_finished"), "tool"),
    **dict.fromkeys(
        (
            "pre_model_call",
            "wrap_model_call",
            "model_input",
            "post_model_call",
            "model_output",
            "model_finished",
        ),
        "model",
    ),
}
"""The kind of call that a point belongs to; other points belong to their run."""


def key_of(point: str, told: Any) -> Key:
    """Return what joins the points of one call, or of one run.

    Args:
        point: the point's name.
        told: a context or an event.
    """
    kind = KIND_OF_POINT.get(point)
    if kind is None:
        return ("run", told.run_id)
    return (kind, told.run_id, told.session_id, told.call_id)


class Open:
    """A run or a call that has begun.

    Args:
        span: its span, if spans are told.
        context: the context in which its span is the current one.
        around: the id of the span that was the current one when it began; 0 without one.
    """

    __slots__ = ("around", "began", "below", "context", "span")

    def __init__(self, span: Span | None, context: Context, around: int) -> None:
        self.span = span
        self.context = context
        self.around = around
        self.began = perf_counter()
        self.below: Open | None = None
        """Another one with the same ids, which a model may give out twice."""


class OpenCalls:
    """The open runs and calls of a process, at most 10,000 of them."""

    def __init__(self) -> None:
        self._open: dict[Key, Open] = {}

    def __len__(self) -> int:
        return len(self._open)

    def put(self, key: Key, opened: Open) -> Iterator[Open]:
        """Note what has begun.

        Args:
            key: its ids.
            opened: the span.

        Yields:
            The oldest ones, where too many are open.
        """
        opened.below = self._open.pop(key, None)
        self._open[key] = opened
        while len(self._open) > _MOST:
            oldest = next(iter(self._open), None)
            found = None if oldest is None else self._open.pop(oldest, None)
            while found is not None:
                yield found
                found = found.below

    def get(self, key: Key) -> Open | None:
        """Return what is open under these ids.

        Args:
            key: its ids.
        """
        return self._open.get(key)

    def take(self, key: Key) -> Open | None:
        """Return what is open under these ids, and note that it is over.

        Args:
            key: its ids.
        """
        found = self._open.pop(key, None)
        if found is not None and found.below is not None:
            self._open[key] = found.below
        return found
