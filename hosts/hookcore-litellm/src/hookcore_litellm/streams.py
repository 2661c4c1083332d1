"""The streams that LiteLLM's callers read: its own, with the events that policies left."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Generator
from functools import cache
from typing import Any

from litellm import CustomStreamWrapper

__all__ = ["governed_stream"]


def governed_stream(source: Any, first: Any, made: Any) -> Any:
    """Return a stream whose events are what policies let out.

    Args:
        source: the stream as LiteLLM made it; None when the provider was not asked.
        first: its first event, None for an empty one.
        made: the generator of the others, sync or async.
    """
    kind: Any = type(source) if isinstance(source, CustomStreamWrapper) else _Plain
    return _of(kind, isinstance(made, AsyncGenerator))(source, first, made)


class _Plain:
    """A stream that has all that LiteLLM's own has besides."""

    def __getattr__(self, name: str) -> Any:
        return getattr(self.__dict__["source"], name)


@cache
def _of(kind: Any, is_async: bool) -> Any:  # noqa: FBT001 - two kinds of each kind
    class Governed(kind):
        def __init__(self, source: Any, first: Any, made: Any) -> None:
            told = {} if kind is _Plain else getattr(source, "__dict__", {})
            self.__dict__.update(told, completion_stream=made, source=source)
            self._left = [] if first is None else [first]
            self._made = made

    class Stream(Governed):
        _made: Generator[Any, None, None]

        def __iter__(self) -> Any:
            return self

        def __next__(self) -> Any:
            return self._left.pop() if self._left else next(self._made)

        def close(self) -> None:
            self._made.close()

    class AsyncStream(Governed):
        _made: AsyncGenerator[Any, None]

        def __aiter__(self) -> Any:
            return self

        async def __anext__(self) -> Any:
            return self._left.pop() if self._left else await anext(self._made)

        async def aclose(self) -> None:
            await self._made.aclose()

    return AsyncStream if is_async else Stream
