"""A tool call that was begun ends with exactly one ``tool_finished``, on every exit."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from hookcore import HookAborted, HookManager, hookimpl

from ..waiting import settle
from .tool_ends import Ends, both, refuse, refuse_around

Add = Callable[..., str]


def dispatch_either(manager: HookManager, body: Callable[[Any], Any], *, sync: bool) -> Any:
    if sync:
        return manager.call_tool("x", {}, body)
    return asyncio.run(manager.acall_tool("x", {}, body))


@both
def test_a_good_call_ends_once_as_ok(manager: HookManager, watch: Ends, *, sync: bool) -> None:
    dispatch_either(manager, lambda arguments: "done", sync=sync)

    assert (watch.ends, watch.posts) == ([("ok", True, "done")], 1)


@both
@pytest.mark.parametrize("options", [{}, {"gate": True}, {"timeout": 30}])
def test_a_call_denied_at_pre_never_reaches_the_tool_and_ends_once(
    manager: HookManager, add: Add, watch: Ends, options: dict[str, Any], *, sync: bool
) -> None:
    ran: list[Any] = []
    add("pre_tool_call", refuse, **options)

    with pytest.raises(HookAborted):
        dispatch_either(manager, ran.append, sync=sync)

    assert (ran, watch.ends, watch.posts) == ([], [("denied", False, None)], 0)


@both
def test_a_call_denied_by_a_wrap_ends_once(
    manager: HookManager, add: Add, watch: Ends, *, sync: bool
) -> None:
    ran: list[Any] = []
    add("wrap_tool_call", refuse_around)

    with pytest.raises(HookAborted):
        dispatch_either(manager, ran.append, sync=sync)

    assert (ran, watch.ends, watch.posts) == ([], [("denied", False, None)], 0)


@both
def test_a_call_denied_at_post_ends_once_without_a_result(
    manager: HookManager, add: Add, watch: Ends, *, sync: bool
) -> None:
    add("post_tool_call", refuse)

    with pytest.raises(HookAborted):
        dispatch_either(manager, lambda arguments: "secret", sync=sync)

    assert watch.ends == [("denied", True, None)]


@both
def test_a_call_whose_body_raises_ends_once(
    manager: HookManager, watch: Ends, *, sync: bool
) -> None:
    with pytest.raises(ZeroDivisionError):
        dispatch_either(manager, lambda arguments: 1 / 0, sync=sync)

    assert (watch.ends, watch.posts) == ([("error", True, None)], 1)


@both
def test_an_abort_from_inside_the_body_is_the_bodys_error(
    manager: HookManager, watch: Ends, *, sync: bool
) -> None:
    def body(arguments: Any) -> None:
        raise HookAborted("an inner call was denied")

    with pytest.raises(HookAborted):
        dispatch_either(manager, body, sync=sync)

    assert (watch.ends, watch.posts) == ([("error", True, None)], 1)


@both
@pytest.mark.parametrize("point", ["pre_tool_call", "post_tool_call"])
def test_a_hook_whose_failure_is_raised_ends_the_call_once(
    manager: HookManager, add: Add, watch: Ends, point: str, *, sync: bool
) -> None:
    add(point, lambda ctx: 1 / 0, on_error="raise")

    with pytest.raises(ZeroDivisionError):
        dispatch_either(manager, lambda arguments: None, sync=sync)

    assert [end[0] for end in watch.ends] == ["error"]


@both
@pytest.mark.parametrize("point", ["pre_tool_call", "post_tool_call"])
def test_an_interrupt_in_a_hook_ends_the_call_once(
    manager: HookManager, add: Add, watch: Ends, point: str, *, sync: bool
) -> None:
    def interrupt(ctx: Any) -> None:
        raise KeyboardInterrupt

    add(point, interrupt)

    with pytest.raises(KeyboardInterrupt):
        dispatch_either(manager, lambda arguments: None, sync=sync)

    assert [end[0] for end in watch.ends] == ["cancelled"]


@both
def test_an_interrupt_in_the_body_ends_the_call_once(
    manager: HookManager, watch: Ends, *, sync: bool
) -> None:
    def body(arguments: Any) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        dispatch_either(manager, body, sync=sync)

    assert (watch.ends, watch.posts) == ([("cancelled", True, None)], 0)


class Places:
    """Suspends for long in one of the places where an async call may be."""

    def __init__(self, place: str) -> None:
        self.place = place

    async def _at(self, place: str) -> None:
        if self.place == place:
            await asyncio.Event().wait()

    @hookimpl
    async def pre_tool_call(self, ctx: Any) -> None:
        await self._at("pre")

    @hookimpl
    async def wrap_tool_call(self, ctx: Any, call_next: Any) -> Any:
        await self._at("wrap before")
        result = await call_next()
        await self._at("wrap after")
        return result

    async def body(self, arguments: Any) -> str:
        await self._at("body")
        return "done"

    @hookimpl(priority=900)
    async def post_tool_call(self, ctx: Any) -> None:
        await self._at("post")


places = pytest.mark.parametrize(
    ("place", "entered", "posts"),
    [
        ("pre", False, 0),
        ("wrap before", False, 0),
        ("body", True, 0),
        ("wrap after", True, 0),
        ("post", True, 1),
    ],
)


@places
@pytest.mark.usefixtures("no_leaks")
def test_a_cancelled_call_ends_once(
    manager: HookManager, watch: Ends, place: str, *, entered: bool, posts: int
) -> None:
    slow = Places(place)
    manager.register(slow)

    async def host() -> None:
        task = asyncio.ensure_future(manager.acall_tool("x", {}, slow.body))
        await settle()
        task.cancel()
        await task

    with pytest.raises(asyncio.CancelledError):
        asyncio.run(host())

    assert (watch.ends, watch.posts) == ([("cancelled", entered, None)], posts)


@places
@pytest.mark.usefixtures("no_leaks")
def test_a_closed_call_ends_once(
    manager: HookManager, watch: Ends, place: str, *, entered: bool, posts: int
) -> None:
    slow = Places(place)
    manager.register(slow)

    async def host() -> None:
        coroutine = manager.acall_tool("x", {}, slow.body)
        future: Any = coroutine.send(None)
        coroutine.close()
        future.cancel()

    asyncio.run(host())

    assert (watch.ends, watch.posts) == ([("cancelled", entered, None)], posts)


def test_an_async_end_is_told_of_a_cancelled_call(manager: HookManager, add: Add) -> None:
    ends: list[Any] = []

    async def end(ctx: Any) -> None:
        await asyncio.sleep(0)
        ends.append(ctx.status)

    async def body(arguments: Any) -> None:
        await asyncio.Event().wait()

    add("tool_finished", end)

    async def host() -> None:
        await asyncio.wait_for(manager.acall_tool("x", {}, body), 0.01)

    with pytest.raises(asyncio.TimeoutError):
        asyncio.run(host())
    assert ends == ["cancelled"]


def test_a_failing_observer_of_the_end_hides_no_result(manager: HookManager, add: Add) -> None:
    add("tool_finished", lambda ctx: 1 / 0)

    assert manager.call_tool("x", {}, lambda arguments: "done") == "done"
