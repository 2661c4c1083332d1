"""Each end reaches every observer once, on every exit of every boundary (B3)."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from itertools import product
from typing import Any

import anyio
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hookcore import HookAborted, HookManager, hookimpl

from .kit import outcome, plugin_of

BOUNDARIES = {
    "tool": ("pre_tool_call", "wrap_tool_call", "post_tool_call", "tool_finished"),
    "model": ("pre_model_call", "wrap_model_call", "post_model_call", "model_finished"),
    "run": ("pre_run", None, "post_run", "run_finished"),
    "turn": ("pre_turn", None, "post_turn", "turn_finished"),
    "step": ("pre_step", None, "post_step", "step_finished"),
}
PLACES = ("pre", "wrap", "body", "post", "observer")
EXITS = ("returns", "denies", "fails", "interrupts", "pauses", "waits")


class Pause(Exception):  # noqa: N818 - a host's control flow, not an error
    """Control flow of the host's."""


class Exit:
    """The happening at one place of a boundary."""

    def __init__(self, place: str, kind: str) -> None:
        self.place = place
        self.kind = kind

    def now(self, place: str) -> None:
        if place != self.place:
            return
        errors = {
            "denies": HookAborted("no"),
            "fails": ValueError("failed"),
            "interrupts": KeyboardInterrupt(),
            "pauses": Pause(),
        }
        if self.kind in errors:
            raise errors[self.kind]

    async def later(self, place: str) -> None:
        await asyncio.sleep(0)
        if place == self.place and self.kind == "waits":
            await asyncio.sleep(60)
        self.now(place)


class Bench:
    """A manager with hooks at all points of one boundary, and three observers of its end."""

    def __init__(self, boundary: str, leaving: Exit, *, sync: bool) -> None:
        self.manager = HookManager(control_flow=[Pause])
        self.boundary = boundary
        self.leaving = leaving
        self.told: list[tuple[int, Any]] = []
        pre, wrap, post, finished = BOUNDARIES[boundary]
        self._hook(pre, "pre", sync=sync)
        self._hook(post, "post", sync=sync)
        if wrap is not None:
            self._wrap(wrap, sync=sync)
        for number in range(3):
            self._observer(finished, number, sync=sync)

    def _hook(self, point: str, place: str, *, sync: bool) -> None:
        def plain(ctx: Any) -> None:
            self.leaving.now(place)

        async def slow(ctx: Any) -> None:
            await self.leaving.later(place)

        hook: Any = plain if sync else slow
        self.manager.register(plugin_of(point, hook, on_error="raise"))

    def _wrap(self, point: str, *, sync: bool) -> None:
        def plain(ctx: Any, call_next: Any) -> Any:
            self.leaving.now("wrap")
            return (yield)

        async def slow(ctx: Any, call_next: Any) -> Any:
            await self.leaving.later("wrap")
            return await call_next()

        hook: Any = plain if sync else slow
        self.manager.register(plugin_of(point, hook, on_error="raise"))

    def _observer(self, point: str, number: int, *, sync: bool) -> None:
        def plain(ctx: Any) -> None:
            self.told.append((number, ctx.status))
            self.leaving.now("observer")

        async def slow(ctx: Any) -> None:
            self.told.append((number, ctx.status))
            await self.leaving.later("observer")

        hook: Any = plain if sync else slow
        self.manager.register(plugin_of(point, hook))

    def run(self) -> None:
        """Run the boundary of a sync host."""

        def body(given: Any) -> str:
            self.leaving.now("body")
            return "value"

        manager = self.manager
        if self.boundary == "tool":
            manager.call_tool("tool", {}, body)
        elif self.boundary == "model":
            manager.call_model([], body)
        else:
            with self._lifetime():
                body(None)

    async def arun(self) -> None:
        """Run the boundary of an async host."""

        async def body(given: Any) -> str:
            await self.leaving.later("body")
            return "value"

        manager = self.manager
        if self.boundary == "tool":
            await manager.acall_tool("tool", {}, body)
        elif self.boundary == "model":
            await manager.acall_model([], body)
        else:
            async with self._lifetime():
                await body(None)

    def _lifetime(self) -> Any:
        lifetimes: dict[str, Callable[[], Any]] = {
            "run": self.manager.run,
            "turn": self.manager.turn,
            "step": self.manager.step,
        }
        return lifetimes[self.boundary]()

    def check(self) -> None:
        """See to it that each observer was told once, and all of them the same."""
        assert [number for number, _ in self.told] == [0, 1, 2], self.told
        assert len({status for _, status in self.told}) == 1, self.told
        self.manager.close()


def exits(boundary: str) -> list[tuple[str, str]]:
    has_wrap = BOUNDARIES[boundary][1] is not None
    return [(place, kind) for place, kind in product(PLACES, EXITS) if has_wrap or place != "wrap"]


ALL = [(boundary, *leaving) for boundary in BOUNDARIES for leaving in exits(boundary)]


@pytest.mark.parametrize(("boundary", "place", "kind"), ALL)
def test_each_end_is_told_once_in_a_sync_host(boundary: str, place: str, kind: str) -> None:
    bench = Bench(boundary, Exit(place, kind), sync=True)

    outcome(bench.run)

    bench.check()


@pytest.mark.parametrize(
    ("boundary", "place", "kind"), [item for item in ALL if item[2] != "waits"]
)
def test_each_end_is_told_once_in_an_async_host(boundary: str, place: str, kind: str) -> None:
    bench = Bench(boundary, Exit(place, kind), sync=False)

    outcome(bench.arun)

    bench.check()


async def cancelled_at(bench: Bench, steps: list[int]) -> None:
    """Run a boundary and cancel its task after so many steps of the loop, again and again."""
    task = asyncio.ensure_future(bench.arun())
    for count in steps:
        for _ in range(count):
            await asyncio.sleep(0)
        task.cancel()
    with suppress(asyncio.CancelledError):
        await task


@given(
    st.sampled_from(sorted(BOUNDARIES)),
    st.sampled_from(PLACES),
    st.lists(st.integers(1, 12), min_size=1, max_size=4),
)
def test_each_end_is_told_once_under_cancellations(
    boundary: str, place: str, steps: list[int]
) -> None:
    bench = Bench(boundary, Exit(place, "waits"), sync=False)
    # The last of them ends what is left of the waiting.
    asyncio.run(cancelled_at(bench, [*steps, *[12] * 4]))

    assert [number for number, _ in bench.told] in ([0, 1, 2], [])
    begun = sum(steps[:1]) > 1
    if begun:
        bench.check()
    bench.manager.close()


@pytest.mark.parametrize(("boundary", "place"), sorted({item[:2] for item in ALL}))
@pytest.mark.parametrize("limit", ["move_on_after", "fail_after", "group"])
def test_each_end_is_told_once_where_a_scope_of_anyio_ends(
    boundary: str, place: str, limit: str
) -> None:
    bench = Bench(boundary, Exit(place, "waits"), sync=False)

    async def main() -> None:
        if limit == "group":
            async with anyio.create_task_group() as group:
                group.start_soon(bench.arun)
                await anyio.wait_all_tasks_blocked()
                group.cancel_scope.cancel()
            return
        with suppress(TimeoutError), getattr(anyio, limit)(0.02):
            await bench.arun()

    asyncio.run(main())

    bench.check()


@pytest.mark.parametrize(("boundary", "place"), sorted({item[:2] for item in ALL}))
def test_each_end_is_told_once_where_the_call_is_closed(boundary: str, place: str) -> None:
    bench = Bench(boundary, Exit(place, "waits"), sync=False)

    async def main() -> None:
        task: Any = bench.arun()
        # Step by step, as an event loop that goes away before it is done would leave it.
        for _ in range(20):
            waiting = task.send(None)
            if waiting is not None:
                waiting.cancel()
                break
        bench.leaving.place = ""  # what is told of the end is told at once
        task.close()

    asyncio.run(main())

    bench.check()


def test_the_end_of_a_call_that_a_listener_interrupts_is_told_once() -> None:
    manager = HookManager()
    told: list[str] = []

    class Watch:
        @hookimpl
        async def hook_dispatched(self, ctx: Any) -> None:
            await asyncio.sleep(0)

        @hookimpl
        def post_tool_call(self, ctx: Any) -> None: ...

        @hookimpl
        def tool_finished(self, ctx: Any) -> None:
            told.append(ctx.status)

    manager.register(Watch())

    async def main(steps: int) -> None:
        task = asyncio.ensure_future(manager.acall_tool("tool", {}, lambda arguments: 1))
        for _ in range(steps):
            await asyncio.sleep(0)
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task

    for steps in range(1, 6):
        told.clear()
        asyncio.run(main(steps))
        assert len(told) == 1
    manager.close()
