"""Nothing runs after its boundary has ended, and what is late has failed (B4, B6)."""

from __future__ import annotations

import asyncio
import contextlib
import threading
import time
from collections.abc import Callable
from typing import Any

import pytest

from hookcore import HookAborted, HookManager

from .kit import either

Add = Callable[..., str]


class Kept:
    """Wraps that keep ``call_next`` or what it gave, and the log of what the operation did."""

    def __init__(self) -> None:
        self.kept: list[Any] = []
        self.log: list[str] = []
        self.begun = threading.Event()

    async def body(self, arguments: Any) -> str:
        self.log.append("begun")
        self.begun.set()
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            self.log.append("cancelled")
            await asyncio.sleep(0)  # it takes its time
            self.log.append("over")
            raise
        return "done"

    async def denies(self, ctx: Any, call_next: Any) -> Any:
        self.kept.append(call_next)
        raise HookAborted("no")

    async def answers(self, ctx: Any, call_next: Any) -> Any:
        self.kept.append(call_next)
        return "early"

    async def keeps_the_coroutine(self, ctx: Any, call_next: Any) -> Any:
        self.kept.append(call_next())
        return "early"

    async def fails(self, ctx: Any, call_next: Any) -> Any:
        self.kept.append(call_next)
        raise ValueError

    async def starts_a_task(self, ctx: Any, call_next: Any) -> Any:
        self.kept.append(asyncio.ensure_future(call_next()))
        return "early"

    async def leaves_a_task(self, ctx: Any, call_next: Any) -> Any:
        self.kept.append(asyncio.ensure_future(call_next()))
        await asyncio.sleep(0)
        return "early"

    async def leaves_a_shielded_task(self, ctx: Any, call_next: Any) -> Any:
        inner = asyncio.ensure_future(call_next())
        self.kept.append(asyncio.ensure_future(asyncio.shield(inner)))
        await asyncio.sleep(0)
        raise HookAborted("no")

    async def leaves_a_task_of_its_own(self, ctx: Any, call_next: Any) -> Any:
        async def calls() -> Any:
            return await call_next()

        self.kept.append(asyncio.ensure_future(calls()))
        await asyncio.sleep(0)
        return "early"

    async def leaves_two(self, ctx: Any, call_next: Any) -> Any:
        self.kept += [asyncio.ensure_future(call_next({"n": n})) for n in range(2)]
        await asyncio.sleep(0)
        raise HookAborted("no")

    async def leaves_a_thread(self, ctx: Any, call_next: Any) -> Any:
        def run() -> None:
            with contextlib.suppress(asyncio.CancelledError):
                asyncio.run(wait(call_next))

        self.kept.append(threading.Thread(target=run))
        self.kept[-1].start()
        await asyncio.to_thread(self.begun.wait, 30)
        return "early"


@pytest.fixture
def kept() -> Kept:
    """Return the wraps."""
    return Kept()


@pytest.mark.parametrize("form", ["denies", "answers", "keeps_the_coroutine", "starts_a_task"])
@pytest.mark.parametrize("monitor", [True, False])
def test_a_call_after_the_end_is_an_error_and_runs_nothing(
    manager: HookManager, add: Add, kept: Kept, form: str, *, monitor: bool
) -> None:
    add("wrap_tool_call", getattr(kept, form), monitor=monitor)
    begun: list[Any] = []

    async def main() -> None:
        with contextlib.suppress(HookAborted):
            await manager.acall_tool("tool", {}, begun.append)
        ran = len(begun)
        (late,) = kept.kept
        if form == "starts_a_task" and monitor:
            await asyncio.wait({late}, timeout=30)
        else:
            with pytest.raises(RuntimeError, match="after its call has ended"):
                await asyncio.wait_for(late if asyncio.isfuture(late) else wait(late), 30)
        assert len(begun) == ran == monitor

    asyncio.run(main())


async def wait(late: Any) -> Any:
    return await (late() if callable(late) else late)


@pytest.mark.parametrize(
    "form",
    [
        "leaves_a_task",
        "leaves_a_shielded_task",
        "leaves_a_task_of_its_own",
        "leaves_two",
        "leaves_a_thread",
    ],
)
def test_what_is_still_running_has_ended_before_the_end_is_told(
    manager: HookManager, add: Add, kept: Kept, form: str
) -> None:
    add("wrap_tool_call", getattr(kept, form))
    add("tool_finished", lambda ctx: kept.log.append("told"))

    either(manager, kept.body, sync=False)

    count = 2 if form == "leaves_two" else 1
    assert sorted(kept.log[:count]) == ["begun"] * count
    assert kept.log[-1] == "told"
    assert (kept.log.count("over"), kept.log.count("told")) == (count, 1)


def test_a_cancellation_while_it_waits_for_that_ends_nothing_early(
    manager: HookManager, add: Add, kept: Kept
) -> None:
    add("wrap_tool_call", kept.leaves_a_task)
    add("tool_finished", lambda ctx: kept.log.append("told"))

    async def body(arguments: Any) -> None:
        try:
            await asyncio.sleep(60)
        finally:
            for _ in range(3):
                with contextlib.suppress(asyncio.CancelledError):
                    await asyncio.sleep(0.001)
            kept.log.append("over")

    async def main() -> None:
        task = asyncio.ensure_future(manager.acall_tool("tool", {}, body))
        while not task.done():
            await asyncio.sleep(0)
            task.cancel()

    asyncio.run(main())

    assert kept.log == ["over", "told"]


async def blocks(ctx: Any) -> None:
    time.sleep(0.05)  # noqa: ASYNC251 - what is tested


async def blocks_after_waiting(ctx: Any) -> None:
    await asyncio.sleep(0)
    time.sleep(0.05)  # noqa: ASYNC251


async def blocks_and_answers(ctx: Any) -> Any:
    time.sleep(0.05)  # noqa: ASYNC251
    return {"late": True}


async def swallows_its_timeout(ctx: Any) -> None:
    with contextlib.suppress(asyncio.CancelledError):
        await asyncio.sleep(60)


def sleeps(ctx: Any) -> None:
    time.sleep(0.05)


def sleeps_and_gives_a_coroutine(ctx: Any) -> Any:
    time.sleep(0.05)
    return blocks(ctx)


def gives_a_slow_coroutine(ctx: Any) -> Any:
    return blocks(ctx)


@pytest.mark.parametrize(
    "hook",
    [
        blocks,
        blocks_after_waiting,
        blocks_and_answers,
        swallows_its_timeout,
        sleeps,
        sleeps_and_gives_a_coroutine,
        gives_a_slow_coroutine,
    ],
)
@pytest.mark.parametrize("gate", [True, False])
@pytest.mark.parametrize("sync", [True, False])
def test_a_hook_that_answers_after_its_timeout_has_failed(
    manager: HookManager, add: Add, hook: Callable[[Any], Any], *, gate: bool, sync: bool
) -> None:
    events: list[Any] = []
    manager.subscribe(events.append)
    add("pre_tool_call", hook, timeout=0.01, on_error="deny", gate=gate)

    assert either(manager, lambda arguments: "ran", sync=sync) == "denied"
    assert [record.verdict for record in events[0].records] == ["timeout"]
    time.sleep(0.06)  # a thread that was left behind comes back, and leaks nothing
