"""Each scope ends its own hooks, whichever others began or ended meanwhile (B8)."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from hookcore import HookManager

from .kit import plugin_of


def named(name: str, seen: list[str]) -> Any:
    def hook(ctx: Any) -> None:
        seen.append(name)

    return plugin_of("pre_tool_call", hook)


def look(manager: HookManager, seen: list[str]) -> list[str]:
    seen.clear()
    manager.call_tool("tool", {}, lambda arguments: 1)
    return list(seen)


@given(st.permutations(range(4)), st.sets(st.integers(0, 3)))
def test_scopes_in_generators_end_in_any_order(order: list[int], same: set[int]) -> None:
    manager, seen = HookManager(), list[str]()
    shared = named("shared", seen)

    def scope(number: int) -> Iterator[None]:
        plugin = shared if number in same else named(str(number), seen)
        with manager.scope(plugin):
            yield

    blocks = [scope(number) for number in range(4)]
    for block in blocks:
        next(block)
    open_ones = list(range(4))
    for number in order:
        blocks[number].close()  # type: ignore[attr-defined]
        open_ones.remove(number)
        expected = ["shared" if item in same else str(item) for item in open_ones]
        assert look(manager, seen) == expected


def test_a_scope_that_is_not_the_innermost_ends_and_leaves_the_others(
    manager: HookManager,
) -> None:
    seen: list[str] = []
    first, second = ExitStack(), ExitStack()
    first.enter_context(manager.scope(named("first", seen)))
    second.enter_context(manager.scope(named("second", seen)))
    first.close()

    assert look(manager, seen) == ["second"]
    second.close()
    assert look(manager, seen) == []


def test_a_scope_in_an_async_generator_ends_with_it(manager: HookManager) -> None:
    seen: list[str] = []

    async def scope(name: str) -> Any:
        with manager.scope(named(name, seen)):
            yield

    async def main() -> list[list[str]]:
        one, other = scope("one"), scope("other")
        await anext(one)
        await anext(other)
        await one.aclose()
        looks = [look(manager, seen)]
        await other.aclose()
        return [*looks, look(manager, seen)]

    assert asyncio.run(main()) == [["other"], []]


def test_a_task_keeps_the_scope_that_it_was_started_in(manager: HookManager) -> None:
    seen: list[str] = []

    async def main() -> list[str]:
        go = asyncio.Event()

        async def work() -> list[str]:
            await go.wait()
            return look(manager, seen)

        with manager.scope(named("outer", seen)):
            task = asyncio.ensure_future(work())
            await asyncio.sleep(0)
        go.set()
        return await task

    assert asyncio.run(main()) == ["outer"]
    assert look(manager, seen) == []
