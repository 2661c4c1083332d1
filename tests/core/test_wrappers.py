"""pluggy's ``wrapper=True`` hooks at intercept points: one hook around the rest of the chain."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from hookcore import Abort, HookAborted, HookDispatchedEvent, HookManager, ToolCallContext, on

from ..waiting import settle

Add = Callable[..., str]
Call = Callable[..., ToolCallContext]
Events = list[HookDispatchedEvent]


def noting(seen: list[str], name: str) -> Callable[[Any], None]:
    def hook(ctx: Any) -> None:
        seen.append(name)

    return hook


def test_a_wrapper_is_given_the_payload_of_the_chain(
    manager: HookManager, add: Add, call: Call
) -> None:
    seen: list[Any] = []

    def around(ctx: Any) -> Iterator[None]:
        seen.append((yield))

    add("pre_tool_call", around, wrapper=True)
    add("pre_tool_call", lambda ctx: {"new": 1})
    manager.dispatch("pre_tool_call", call())

    assert seen == [{"new": 1}]


def test_what_a_wrapper_returns_is_the_payload(manager: HookManager, add: Add, call: Call) -> None:
    def around(ctx: Any) -> Any:
        payload = yield
        return {**payload, "wrapped": True}

    add("pre_tool_call", lambda ctx: {"new": 1})
    add("pre_tool_call", around, wrapper=True)

    assert manager.dispatch("pre_tool_call", call()).payload == {"new": 1, "wrapped": True}


def test_a_wrapper_sees_the_abort_of_the_chain(manager: HookManager, add: Add, call: Call) -> None:
    seen: list[str] = []

    def around(ctx: Any) -> Iterator[None]:
        try:
            yield
        except HookAborted as error:
            seen.append(error.reason)
            raise

    add("pre_tool_call", around, wrapper=True)
    add("pre_tool_call", lambda ctx: Abort("no"))

    with pytest.raises(HookAborted):
        manager.dispatch("pre_tool_call", call())
    assert seen == ["no"]


def test_a_wrapper_may_turn_the_chains_error_into_an_abort(
    manager: HookManager, add: Add, call: Call
) -> None:
    def around(ctx: Any) -> Iterator[None]:
        try:
            yield
        except ZeroDivisionError as error:
            raise HookAborted("cannot be judged") from error

    def broken(ctx: Any) -> None:
        raise ZeroDivisionError

    add("pre_tool_call", around, wrapper=True)
    add("pre_tool_call", broken, on_error="raise")

    with pytest.raises(HookAborted, match="cannot be judged"):
        manager.dispatch("pre_tool_call", call())


def test_wrappers_stand_around_all_other_hooks_the_first_outermost(
    manager: HookManager, add: Add, call: Call
) -> None:
    seen: list[str] = []

    def around(name: str) -> Callable[[Any], Iterator[None]]:
        def hook(ctx: Any) -> Iterator[None]:
            seen.append(f"{name} in")
            yield
            seen.append(f"{name} out")

        return hook

    add("pre_tool_call", noting(seen, "hook"))
    add("pre_tool_call", around("a"), wrapper=True)
    add("pre_tool_call", around("b"), wrapper=True)
    manager.dispatch("pre_tool_call", call())

    assert seen == ["a in", "b in", "hook", "b out", "a out"]


def test_a_wrapper_is_left_again_when_the_chain_is_cancelled(
    manager: HookManager, add: Add, call: Call
) -> None:
    seen: list[str] = []

    def around(ctx: Any) -> Iterator[None]:
        try:
            yield
        finally:
            seen.append("left")

    async def slow(ctx: Any) -> None:
        await asyncio.Event().wait()

    add("pre_tool_call", around, wrapper=True)
    add("pre_tool_call", slow)

    async def host() -> None:
        task = asyncio.ensure_future(manager.adispatch("pre_tool_call", call()))
        await settle()
        task.cancel()
        await task

    with pytest.raises(asyncio.CancelledError):
        asyncio.run(host())
    assert seen == ["left"]


@pytest.mark.parametrize("yields", [0, 2])
def test_a_wrapper_without_exactly_one_yield_has_failed(
    manager: HookManager, add: Add, call: Call, yields: int
) -> None:
    def around(ctx: Any) -> Iterator[None]:
        for _ in range(yields):
            yield

    add("pre_tool_call", around, wrapper=True, on_error="deny", name="w")

    with pytest.raises(HookAborted, match=r"w.around failed: RuntimeError"):
        manager.dispatch("pre_tool_call", call())


def test_a_wrapper_counts_as_one_hook(
    manager: HookManager, add: Add, call: Call, events: Events
) -> None:
    def around(ctx: Any) -> Iterator[None]:
        yield

    add("pre_tool_call", around, wrapper=True)
    add("pre_tool_call", lambda ctx: None, name="inner")
    manager.dispatch("pre_tool_call", call())

    assert events[0].hook_count == 2
    assert [record.hook for record in events[0].records] == ["<lambda>", "around"]


def test_none_from_a_wrapper_keeps_the_payload(manager: HookManager, add: Add, call: Call) -> None:
    def around(ctx: Any) -> Iterator[None]:
        yield

    add("pre_tool_call", around, wrapper=True)

    assert manager.dispatch("pre_tool_call", call(payload={"a": 1})).payload == {"a": 1}


def test_a_wrapper_that_swallows_an_abort_lets_the_operation_go_on(
    manager: HookManager, add: Add, call: Call, events: Events
) -> None:
    def around(ctx: Any) -> Any:
        try:
            yield
        except HookAborted:
            return {"instead": 1}

    add("pre_tool_call", around, wrapper=True)
    add("pre_tool_call", lambda ctx: Abort("no"))

    assert manager.dispatch("pre_tool_call", call()).payload == {"instead": 1}
    assert [record.verdict for record in events[0].records] == ["deny", "modify"]


def test_a_wrapper_may_abort_before_the_chain(manager: HookManager, add: Add, call: Call) -> None:
    seen: list[str] = []

    def around(ctx: Any) -> Iterator[None]:
        raise HookAborted("no")
        yield

    add("pre_tool_call", around, wrapper=True, name="w")
    add("pre_tool_call", noting(seen, "inner"))

    with pytest.raises(HookAborted) as caught:
        manager.dispatch("pre_tool_call", call())
    assert (caught.value.source, seen) == ("w.around", [])


def test_a_wrapper_may_abort_after_the_chain(manager: HookManager, add: Add, call: Call) -> None:
    def around(ctx: Any) -> Iterator[None]:
        yield
        raise HookAborted("no")

    add("pre_tool_call", around, wrapper=True)

    with pytest.raises(HookAborted, match="no"):
        manager.dispatch("pre_tool_call", call())


@pytest.mark.parametrize("before", [True, False])
def test_a_wrapper_that_fails_under_allow_changes_nothing(
    manager: HookManager, add: Add, call: Call, *, before: bool
) -> None:
    def around(ctx: Any) -> Iterator[None]:
        if before:
            ctx.payload = {"bound": 1}
            raise ZeroDivisionError
        yield
        ctx.payload = {"bound": 2}
        raise ZeroDivisionError

    add("pre_tool_call", around, wrapper=True)
    add("pre_tool_call", lambda ctx: {"chain": 1})

    assert manager.dispatch("pre_tool_call", call()).payload == {"chain": 1}


def test_a_wrapper_that_fails_does_not_hide_the_chains_abort(
    manager: HookManager, add: Add, call: Call
) -> None:
    def around(ctx: Any) -> Iterator[None]:
        try:
            yield
        finally:
            raise ZeroDivisionError

    add("pre_tool_call", around, wrapper=True)
    add("pre_tool_call", lambda ctx: Abort("no"))

    with pytest.raises(HookAborted, match="no"):
        manager.dispatch("pre_tool_call", call())


def test_a_wrapper_stands_around_async_hooks_too(
    manager: HookManager, add: Add, call: Call
) -> None:
    seen: list[Any] = []

    def around(ctx: Any) -> Iterator[None]:
        seen.append((yield))

    async def later(ctx: Any) -> dict[str, int]:
        await asyncio.sleep(0)
        return {"later": 1}

    add("pre_tool_call", around, wrapper=True)
    add("pre_tool_call", later)
    asyncio.run(manager.adispatch("pre_tool_call", call()))
    manager.dispatch("pre_tool_call", call())

    assert seen == [{"later": 1}] * 2


def test_a_wrapper_given_to_on_needs_no_mark(manager: HookManager, call: Call) -> None:
    class Plugin:
        @on("pre_tool_call")
        def around(self, ctx: Any) -> Any:
            payload = yield
            return {**payload, "wrapped": 1}

    manager.register(Plugin())

    assert manager.dispatch("pre_tool_call", call(payload={})).payload == {"wrapped": 1}


def test_a_wrapper_sees_a_stop_iteration_of_the_chain(
    manager: HookManager, add: Add, call: Call
) -> None:
    def around(ctx: Any) -> Iterator[None]:
        yield

    def stop(ctx: Any) -> None:
        raise StopIteration

    add("pre_tool_call", around, wrapper=True)
    add("pre_tool_call", stop, on_error="raise")

    with pytest.raises((StopIteration, RuntimeError)):
        manager.dispatch("pre_tool_call", call())
