"""A tool that gives its items one by one ends when it has given them (B5)."""

from __future__ import annotations

import asyncio
import collections.abc
import itertools
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import suppress
from typing import Any

import pytest

from hookcore import HookAborted, HookManager

from .kit import refuse

Add = Callable[..., str]


class Log:
    """Happenings, in their order."""

    def __init__(self) -> None:
        self.lines: list[Any] = []

    def items(self, arguments: Any) -> Iterator[int]:
        self.lines.append("body")
        yield 1
        self.lines.append("more")
        yield 2

    async def aitems(self, arguments: Any) -> AsyncIterator[int]:
        self.lines.append("body")
        yield 1
        self.lines.append("more")
        yield 2

    def mapped(self, arguments: Any) -> Iterator[int]:
        return map(self._noted, [1, 2])

    def chained(self, arguments: Any) -> Iterator[int]:
        return itertools.chain(self.items(arguments))

    def of_a_class(self, arguments: Any) -> Iterator[int]:
        return Items(self)

    def expression(self, arguments: Any) -> Iterator[int]:
        return (self._noted(item) for item in [1, 2])

    def failing(self, arguments: Any) -> Iterator[int]:
        yield 1
        raise ValueError

    def aborting(self, arguments: Any) -> Iterator[int]:
        yield 1
        raise HookAborted("of an inner call")

    def _noted(self, item: int) -> int:
        self.lines.append("body" if item == 1 else "more")
        return item


class Items(collections.abc.Generator[int, None, None]):
    """A generator in the form of a class."""

    def __init__(self, log: Log) -> None:
        self._inner: Any = log.items(None)

    def send(self, value: None) -> Any:
        return self._inner.send(value)

    def throw(self, *args: Any) -> Any:
        return self._inner.throw(*args)


@pytest.fixture
def log(add: Add) -> Log:
    """Return the log, which has the ends of tool calls in it."""
    made = Log()
    add("tool_finished", lambda ctx: made.lines.append(("end", ctx.status)))
    return made


def read(manager: HookManager, body: Callable[[Any], Any]) -> list[Any]:
    """Return what a tool gives, read by a sync or an async host."""
    if body.__name__ != "aitems":
        return list(manager.call_tool("tool", {}, body))

    async def main() -> list[Any]:
        return [item async for item in await manager.acall_tool("tool", {}, body)]

    return asyncio.run(main())


KINDS = ["items", "aitems", "mapped", "chained", "of_a_class", "expression"]


@pytest.mark.parametrize("kind", KINDS)
def test_the_end_comes_after_the_last_item(manager: HookManager, log: Log, kind: str) -> None:
    assert read(manager, getattr(log, kind)) == [1, 2]
    assert log.lines == ["body", "more", ("end", "ok")]


@pytest.mark.parametrize("kind", KINDS)
def test_a_judge_after_the_body_sees_all_items_before_any_leaves(
    manager: HookManager, add: Add, log: Log, kind: str
) -> None:
    add("post_tool_call", lambda ctx: log.lines.append(ctx.payload))

    assert read(manager, getattr(log, kind)) == [1, 2]
    assert log.lines == ["body", "more", [1, 2], ("end", "ok")]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("point", ["post_tool_call", "wrap_tool_call"])
def test_nothing_leaves_that_a_judge_denies(
    manager: HookManager, add: Add, log: Log, kind: str, point: str
) -> None:
    def around(ctx: Any, call_next: Any) -> Any:
        yield
        raise HookAborted("no")

    add(point, refuse if point == "post_tool_call" else around)

    with pytest.raises(HookAborted):
        read(manager, getattr(log, kind))

    assert log.lines == ["body", "more", ("end", "denied")]


@pytest.mark.parametrize("kind", KINDS)
def test_a_replacement_leaves_in_the_items_place(
    manager: HookManager, add: Add, log: Log, kind: str
) -> None:
    add("post_tool_call", lambda ctx: [item * 10 for item in ctx.payload])

    assert read(manager, getattr(log, kind)) == [10, 20]


@pytest.mark.parametrize("kind", ["failing", "aborting"])
@pytest.mark.parametrize("judged", [True, False])
def test_a_generator_that_fails_ends_as_an_error(
    manager: HookManager, add: Add, log: Log, kind: str, *, judged: bool
) -> None:
    if judged:
        add("post_tool_call", lambda ctx: None)

    with pytest.raises((ValueError, HookAborted)):
        read(manager, getattr(log, kind))

    assert log.lines == [("end", "error")]


def test_a_reader_that_leaves_ends_the_call(manager: HookManager, log: Log) -> None:
    items = manager.call_tool("tool", {}, log.items)
    next(items)
    items.close()

    assert log.lines == ["body", ("end", "cancelled")]


def test_a_generator_that_nobody_reads_ends_without_its_body(
    manager: HookManager, log: Log
) -> None:
    manager.call_tool("tool", {}, log.items).close()

    assert log.lines == [("end", "cancelled")]


def test_a_reader_of_an_async_generator_that_is_cancelled_ends_the_call(
    manager: HookManager, log: Log
) -> None:
    async def body(arguments: Any) -> AsyncIterator[int]:
        yield 1
        await asyncio.sleep(60)

    async def main() -> None:
        items = await manager.acall_tool("tool", {}, body)

        async def consume() -> None:
            async for _ in items:
                pass

        task = asyncio.ensure_future(consume())
        await asyncio.sleep(0)
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task

    asyncio.run(main())

    assert log.lines == [("end", "cancelled")]


def test_a_denied_generator_never_begins(manager: HookManager, add: Add, log: Log) -> None:
    add("pre_tool_call", refuse, gate=True)

    with pytest.raises(HookAborted):
        read(manager, log.items)

    assert log.lines == [("end", "denied")]


def test_a_file_is_a_value(manager: HookManager, add: Add, tmp_path: Any) -> None:
    add("post_tool_call", lambda ctx: None)
    path = tmp_path / "notes.txt"
    path.write_text("text")

    with manager.call_tool("tool", {}, lambda arguments: path.open()) as file:
        assert file.read() == "text"


def test_the_items_of_a_decorated_generator_come_one_by_one(manager: HookManager, log: Log) -> None:
    @manager.tool
    def count(to: int = 2) -> Iterator[int]:
        for number in range(to):
            log.lines.append(number)
            yield number

    items = count()

    assert (next(items), log.lines) == (0, [0])
    assert list(items) == [1]
    assert log.lines == [0, 1, ("end", "ok")]
