"""Work that a hook left running is judged by all other hooks, and keeps the hook's state (A4)."""

from __future__ import annotations

import asyncio
import contextvars
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from hookcore import HookAborted, HookManager, hookimpl

from .kit import outcome, plugin_of

WAIT = 10


class Starter:
    """Leaves work behind at the first call of a tool, which calls another one."""

    def __init__(self, manager: HookManager, start: Callable[[Callable[[], None]], Any]) -> None:
        self.manager = manager
        self.start = start
        self.may_go = threading.Event()
        self.has_gone = threading.Event()
        self.outcomes: list[Any] = []
        self.states: list[Any] = []

    @hookimpl
    def pre_tool_call(self, ctx: Any) -> None:
        if ctx.tool_name == "evil":
            return
        ctx.state["owner"] = "starter"

        def work() -> None:
            self.may_go.wait(WAIT)
            self.states.append(ctx.state.get("owner"))
            self.outcomes.append(outcome(lambda: self.manager.call_tool("evil", {}, lambda a: 1)))
            self.has_gone.set()

        self.start(work)


class Policy:
    """Denies the other tool; while it judges the first, the work that was left goes on."""

    def __init__(self, starter: Starter) -> None:
        self.starter = starter

    def pre_tool_call(self, ctx: Any) -> None:
        if ctx.tool_name == "evil":
            raise HookAborted("no")
        ctx.state["owner"] = "policy"
        self.starter.may_go.set()
        self.starter.has_gone.wait(WAIT)


def in_thread(work: Callable[[], None]) -> None:
    threading.Thread(target=contextvars.copy_context().run, args=(work,)).start()


def in_pool(work: Callable[[], None]) -> None:
    pool = ThreadPoolExecutor(1)
    pool.submit(contextvars.copy_context().run, work)
    pool.shutdown(wait=False)


def in_thread_of_thread(work: Callable[[], None]) -> None:
    def outer() -> None:
        in_thread(work)

    threading.Thread(target=contextvars.copy_context().run, args=(outer,)).start()


@pytest.mark.parametrize("start", [in_thread, in_pool, in_thread_of_thread])
@pytest.mark.parametrize("kind", ["plain", "gate", "recorded", "tracked", "timed", "wrapper"])
@pytest.mark.parametrize("sync", [True, False])
def test_work_that_an_earlier_hook_left_is_judged_by_a_later_one(
    start: Callable[[Callable[[], None]], Any], kind: str, *, sync: bool
) -> None:
    manager = HookManager(track_mutations=kind == "tracked")
    if kind == "recorded":
        manager.subscribe(lambda event: None)
    starter = Starter(manager, start)
    policy = Policy(starter)

    def judge(ctx: Any) -> None:
        policy.pre_tool_call(ctx)

    def around(ctx: Any) -> Any:
        judge(ctx)
        return (yield)

    function = around if kind == "wrapper" else judge
    options: dict[str, Any] = {"gate": kind == "gate", "wrapper": kind == "wrapper"}
    if kind == "timed":
        options["timeout"] = WAIT
    if kind == "wrapper":  # they come first, so the starter has to be one itself

        def start_around(ctx: Any) -> Any:
            starter.pre_tool_call(ctx)
            return (yield)

        manager.register(plugin_of("pre_tool_call", start_around, wrapper=True))
    else:
        manager.register(starter)
    manager.register(plugin_of("pre_tool_call", function, **options))

    if sync:
        manager.call_tool("good", {}, lambda arguments: 1)
    else:
        asyncio.run(manager.acall_tool("good", {}, lambda arguments: 1))
    starter.has_gone.wait(WAIT)
    manager.close()

    assert starter.outcomes == ["denied"]
    assert starter.states == ["starter"]


def test_a_task_that_a_hook_left_is_judged_while_a_later_hook_waits() -> None:
    manager = HookManager()
    tasks: list[asyncio.Task[Any]] = []

    class Starts:
        @hookimpl
        async def pre_tool_call(self, ctx: Any) -> None:
            if ctx.tool_name != "evil":
                call = manager.acall_tool("evil", {}, lambda arguments: "ran")
                tasks.append(asyncio.ensure_future(call))

    class Judges:
        @hookimpl
        async def pre_tool_call(self, ctx: Any) -> None:
            if ctx.tool_name == "evil":
                raise HookAborted("no")
            await asyncio.wait(tasks)

    manager.register(Starts())
    manager.register(Judges())

    async def main() -> Any:
        await manager.acall_tool("good", {}, lambda arguments: 1)
        return await asyncio.gather(*tasks, return_exceptions=True)

    assert [type(error) for error in asyncio.run(main())] == [HookAborted]


def test_a_task_that_a_plain_hook_left_is_judged_by_that_hook_too() -> None:
    manager = HookManager()
    tasks: list[asyncio.Task[Any]] = []

    def start_and_judge(ctx: Any) -> None:
        if ctx.tool_name == "evil":
            raise HookAborted("no")
        call = manager.acall_tool("evil", {}, lambda arguments: "ran")
        tasks.append(asyncio.ensure_future(call))

    manager.register(plugin_of("pre_tool_call", start_and_judge))
    manager.register(plugin_of("pre_tool_call", lambda ctx: None))

    async def main() -> Any:
        await manager.acall_tool("good", {}, lambda arguments: 1)
        return await asyncio.gather(*tasks, return_exceptions=True)

    assert [type(error) for error in asyncio.run(main())] == [HookAborted]


def test_what_a_hook_itself_calls_is_not_judged_by_it_again() -> None:
    manager = HookManager()
    seen: list[str] = []

    def calls(ctx: Any) -> None:
        seen.append(ctx.tool_name)
        manager.call_tool("inner", {}, lambda arguments: 1)

    manager.register(plugin_of("pre_tool_call", calls))
    manager.call_tool("outer", {}, lambda arguments: 1)

    assert seen == ["outer"]
