"""A stream is never taken for a response by a call that does not stream."""

from __future__ import annotations

import asyncio
from collections import UserDict, UserList
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest
from pydantic import BaseModel

from hookcore import HookManager, ModelResponse
from hookcore.errors import WrongResultError

Add = Callable[..., str]


def generator() -> Iterator[str]:
    yield "sk-abcd1234"


async def agenerator() -> AsyncIterator[str]:
    yield "sk-abcd1234"


class EventStream:
    """A response of some HTTP clients: it can be iterated once, and is closed."""

    def __init__(self) -> None:
        self.closed = 0

    def __iter__(self) -> Iterator[str]:
        return generator()

    def close(self) -> None:
        """Note it."""
        self.closed += 1


class AsyncStream:
    """An async stream whose closing is awaited."""

    def __init__(self) -> None:
        self.closed = 0

    def __aiter__(self) -> AsyncIterator[str]:
        return agenerator()

    async def close(self) -> None:
        """Note it."""
        self.closed += 1


class Manager:
    """A context manager that hands out a stream."""

    def __enter__(self) -> Iterator[str]:
        return generator()

    def __exit__(self, *exc: object) -> None:
        """Do nothing."""


class AsyncManager:
    """The same for hosts that await."""

    async def __aenter__(self) -> AsyncIterator[str]:
        return agenerator()

    async def __aexit__(self, *exc: object) -> None:
        """Do nothing."""


@dataclass
class Wrapper:
    """A response that has a stream in a field."""

    texts: Any
    _texts: Any = None


STREAMS: list[Callable[[], Any]] = [
    generator,
    agenerator,
    EventStream,
    AsyncStream,
    Manager,
    AsyncManager,
    lambda: iter("a"),
    lambda: map(str, "a"),
    lambda: {"stream": generator()},
    lambda: Wrapper(generator()),
    lambda: Wrapper(agenerator()),
]


class Model(BaseModel):
    """A response that a library validates; it can be iterated, over its fields."""

    text: str = "a"


@dataclass
class Fields:
    """A response with an iterator of its own."""

    parts: list[str] = field(default_factory=list)

    def __iter__(self) -> Iterator[str]:
        return iter(self.parts)


RESPONSES: list[Any] = [
    "text",
    b"bytes",
    None,
    7,
    {"content": "a"},
    ["a"],
    ("a",),
    {"a"},
    range(3),
    UserDict({"a": 1}),
    UserList(["a"]),
    ModelResponse("a"),
    Model(),
    Fields(),
    Wrapper("a", iter("a")),
    str,
]


@pytest.mark.parametrize("make", STREAMS)
@pytest.mark.parametrize("hooked", [False, True])
def test_a_stream_is_refused(
    manager: HookManager, add: Add, finished: Any, *, make: Callable[[], Any], hooked: bool
) -> None:
    ends = finished("model_finished")
    seen: list[Any] = []
    if hooked:
        add("post_model_call", lambda ctx: seen.append(ctx.response), gate=True)
    with pytest.raises(WrongResultError, match="stream_model"):
        manager.call_model([], lambda sent: make())
    with pytest.raises(WrongResultError, match="astream_model"):
        asyncio.run(manager.acall_model([], lambda sent: make()))
    assert (seen, ends) == ([], [("error", True)] * 2)


@pytest.mark.parametrize("response", RESPONSES)
def test_a_response_is_none(manager: HookManager, add: Add, response: Any) -> None:
    assert manager.call_model([], lambda sent: response) is response
    assert asyncio.run(manager.acall_model([], lambda sent: response)) is response


def test_a_stream_that_is_refused_is_closed(manager: HookManager) -> None:
    plain, awaited = EventStream(), AsyncStream()
    with pytest.raises(WrongResultError):
        manager.call_model([], lambda sent: plain)
    with pytest.raises(WrongResultError):
        asyncio.run(manager.acall_model([], lambda sent: awaited))
    assert (plain.closed, awaited.closed) == (1, 1)


def test_a_sync_host_leaves_no_coroutine_behind(manager: HookManager) -> None:
    with pytest.raises(WrongResultError):
        manager.call_model([], lambda sent: AsyncStream())
