"""Runs, turns and steps: their ids, their state, their scope, and the end of an execution."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from typing import Any

import pytest

from hookcore import HookAborted, HookManager
from hookcore.testing import kept_runs

Add = Callable[..., str]


def abort(ctx: Any) -> None:
    raise HookAborted("no")


@pytest.fixture
def ends(add: Add) -> list[Any]:
    """Return what execution_end and run_finished tell."""
    seen: list[Any] = []
    add("execution_end", lambda ctx: seen.append(("execution_end", ctx.status)))
    add("run_finished", lambda ctx: seen.append(("run_finished", ctx.status)))
    return seen


# execution_end and run_finished


def test_a_run_that_gave_a_result_is_completed(manager: HookManager, ends: list[Any]) -> None:
    with manager.run() as run:
        run.result = 1
    assert ends == [("execution_end", "completed"), ("run_finished", "ok")]


@pytest.mark.parametrize("point", ["input", "pre_run"])
def test_a_run_denied_before_its_body_has_failed(
    manager: HookManager, add: Add, ends: list[Any], point: str
) -> None:
    add(point, abort)
    with pytest.raises(HookAborted), manager.run():
        pytest.fail("the body was entered")
    assert ends == [("execution_end", "failed"), ("run_finished", "denied")]


def test_a_run_that_never_started_has_no_end_of_execution(
    manager: HookManager, add: Add, ends: list[Any]
) -> None:
    add("execution_start", abort)
    with pytest.raises(HookAborted), manager.run():
        pytest.fail("the body was entered")
    assert ends == [("run_finished", "denied")]


@pytest.mark.parametrize("point", ["post_run", "output"])
def test_a_run_denied_after_its_body_has_failed(
    manager: HookManager, add: Add, ends: list[Any], point: str
) -> None:
    add(point, abort)
    with pytest.raises(HookAborted), manager.run():
        pass
    assert ends == [("execution_end", "failed"), ("run_finished", "denied")]


def test_a_denial_at_the_end_of_the_execution_is_not_told_there_again(
    manager: HookManager, add: Add, ends: list[Any]
) -> None:
    add("execution_end", abort)
    with pytest.raises(HookAborted), manager.run():
        pass
    assert ends == [("execution_end", "completed"), ("run_finished", "denied")]


def test_a_run_whose_body_raises_has_failed(manager: HookManager, ends: list[Any]) -> None:
    with pytest.raises(LookupError), manager.run():
        raise LookupError
    assert ends == [("execution_end", "failed"), ("run_finished", "error")]


def test_a_run_that_is_interrupted_is_cancelled(manager: HookManager, ends: list[Any]) -> None:
    with pytest.raises(KeyboardInterrupt), manager.run():
        raise KeyboardInterrupt
    assert ends == [("execution_end", "cancelled"), ("run_finished", "cancelled")]


def test_an_error_that_a_hook_replaces_completes_the_run(
    manager: HookManager, add: Add, ends: list[Any]
) -> None:
    add("post_run", lambda ctx: None if ctx.error is None else "apology")
    with manager.run() as run:
        raise LookupError
    assert run.result == "apology"
    assert ends == [("execution_end", "completed"), ("run_finished", "ok")]


def test_the_end_of_a_failed_execution_sees_the_error(manager: HookManager, add: Add) -> None:
    seen: list[Any] = []
    problem = LookupError()
    add("execution_end", lambda ctx: seen.append((ctx.error, ctx.payload)))
    with pytest.raises(LookupError), manager.run():
        raise problem
    assert seen == [(problem, None)]


def test_a_denial_at_the_end_of_a_failed_execution_leaves_the_first_error(
    manager: HookManager, add: Add, ends: list[Any]
) -> None:
    add("execution_end", abort)
    with pytest.raises(LookupError), manager.run():
        raise LookupError
    assert ends == [("execution_end", "failed"), ("run_finished", "error")]


def test_a_run_cancelled_at_the_end_of_its_failure_is_finished_all_the_same(
    manager: HookManager, add: Add, ends: list[Any]
) -> None:
    began = asyncio.Event()

    async def wait(ctx: Any) -> None:
        began.set()
        await asyncio.Event().wait()

    async def run() -> None:
        async with manager.run():
            raise LookupError

    async def main() -> None:
        task = asyncio.ensure_future(run())
        await began.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    add("execution_end", wait)
    asyncio.run(main())
    assert ends == [("execution_end", "failed"), ("run_finished", "cancelled")]


# Ids


def test_the_boundaries_in_a_run_take_its_ids_and_agent(manager: HookManager, add: Add) -> None:
    seen: list[Any] = []

    def note(ctx: Any) -> None:
        seen.append((ctx.run_id, ctx.session_id, ctx.agent, ctx.attributes))

    for point in ("pre_turn", "pre_step", "pre_model_call", "pre_tool_call"):
        add(point, note)
    fields: Any = {"session_id": "s", "agent": "ann", "attributes": {"tenant": "t"}}
    with manager.run(run_id="r", **fields), manager.turn(), manager.step():
        manager.call_model([], lambda messages: 1)
        manager.call_tool("x", {}, lambda given: 1)
    assert seen == [("r", "s", "ann", {"tenant": "t"})] * 4


def test_a_sub_run_names_its_parent(manager: HookManager, add: Add) -> None:
    seen: list[Any] = []
    add("pre_run", lambda ctx: seen.append((ctx.run_id, ctx.parent_run_id)))
    with manager.run(run_id="a"), manager.run(run_id="b"), manager.run(run_id="c"):
        pass
    assert seen == [("a", None), ("b", "a"), ("c", "b")]


def test_a_sub_run_inside_a_tool_names_its_parent(manager: HookManager, add: Add) -> None:
    seen: list[Any] = []
    add("pre_run", lambda ctx: seen.append(ctx.parent_run_id))

    def sub_agent(given: Any) -> None:
        with manager.run():
            pass

    with manager.run(run_id="outer"):
        manager.call_tool("delegate", {}, sub_agent)
    assert seen == [None, "outer"]


def test_every_run_has_an_id_of_its_own(manager: HookManager) -> None:
    with manager.run() as first, manager.run() as second:
        assert first.run_id != second.run_id
    assert first.run_id


def test_a_sibling_run_has_no_parent(manager: HookManager, add: Add) -> None:
    seen: list[Any] = []
    add("pre_run", lambda ctx: seen.append(ctx.parent_run_id))
    for _ in range(2):
        with manager.run():
            pass
    assert seen == [None, None]


def test_runs_of_parallel_tasks_do_not_mix(manager: HookManager, add: Add) -> None:
    seen: set[Any] = set()
    add("pre_tool_call", lambda ctx: seen.add((ctx.run_id, ctx.payload["of"])))

    async def run(name: str) -> None:
        async with manager.run(run_id=name):
            await asyncio.sleep(0)
            await manager.acall_tool("x", {"of": name}, lambda given: 1)

    async def main() -> None:
        await asyncio.gather(run("a"), run("b"))

    asyncio.run(main())
    assert seen == {("a", "a"), ("b", "b")}


def test_a_denied_run_leaves_no_run_behind(manager: HookManager, add: Add) -> None:
    seen: list[Any] = []
    add("pre_run", abort)
    add("pre_tool_call", lambda ctx: seen.append(ctx.run_id))
    with pytest.raises(HookAborted), manager.run():
        pass
    manager.call_tool("x", {}, lambda given: 1)
    assert seen == [None]


# State


def test_state_is_kept_for_the_run_and_dropped_at_its_end(manager: HookManager, add: Add) -> None:
    seen: list[Any] = []

    def count(ctx: Any) -> None:
        ctx.state["count"] = ctx.state.get("count", 0) + 1
        seen.append(ctx.state["count"])

    add("pre_tool_call", count)
    for _ in range(2):
        with manager.run(run_id="same"):
            for _ in range(2):
                manager.call_tool("x", {}, lambda given: 1)
    assert seen == [1, 2, 1, 2]


def test_state_is_there_until_the_run_is_finished(manager: HookManager, make_plugin: Any) -> None:
    from hookcore import hookimpl

    seen: list[Any] = []

    class Counter:
        @hookimpl
        def pre_run(self, ctx: Any) -> None:
            ctx.state["mark"] = 1

        @hookimpl
        def run_finished(self, ctx: Any) -> None:
            seen.append(dict(ctx.state))

    manager.register(Counter())
    with manager.run():
        pass
    assert seen == [{"mark": 1}]


def test_a_run_that_ended_in_any_way_leaves_no_state(manager: HookManager, add: Add) -> None:
    def keep(ctx: Any) -> None:
        ctx.state["big"] = 1

    add("execution_start", keep)
    for error in (LookupError, KeyboardInterrupt, HookAborted("no")):
        with pytest.raises(BaseException), manager.run():  # noqa: B017, PT011 - any of them
            raise error
    assert kept_runs(manager) == 0


# Scope


def test_a_sub_run_keeps_every_outer_policy(
    manager: HookManager, add: Add, make_plugin: Any
) -> None:
    judged: list[str] = []
    with (
        manager.scope(make_plugin("pre_tool_call", lambda ctx: judged.append("outer"))),
        manager.run(),
        manager.scope(make_plugin("pre_tool_call", lambda ctx: judged.append("inner"))),
        manager.run(),
    ):
        manager.call_tool("x", {}, lambda given: 1)
    assert judged == ["outer", "inner"]


def test_a_sub_run_in_a_task_keeps_every_outer_policy(
    manager: HookManager, make_plugin: Any
) -> None:
    judged: list[Any] = []
    policy = make_plugin("pre_tool_call", lambda ctx: judged.append(ctx.parent_run_id))

    async def sub_agent() -> None:
        async with manager.run():
            await manager.acall_tool("x", {}, lambda given: 1)

    async def main() -> None:
        with manager.scope(policy):
            async with manager.run(run_id="outer"):
                await asyncio.gather(sub_agent(), sub_agent())

    asyncio.run(main())
    assert judged == ["outer", "outer"]


# Hosts with and without a loop


async def _async_hook(ctx: Any) -> None:
    await asyncio.sleep(0)


def test_with_works_on_a_host_without_a_loop(manager: HookManager, add: Add) -> None:
    seen: list[Any] = []

    async def hook(ctx: Any) -> None:
        await asyncio.sleep(0)
        seen.append(ctx.payload)

    add("post_run", hook)
    with manager.run() as run:
        run.result = 1
    assert seen == [1]


def test_with_works_under_a_running_loop(manager: HookManager, add: Add) -> None:
    seen: list[Any] = []

    async def hook(ctx: Any) -> None:
        await asyncio.sleep(0)
        seen.append(threading.current_thread() is threading.main_thread())

    async def main() -> None:
        with manager.run():
            pass
        async with manager.run():
            pass

    add("post_run", hook)
    asyncio.run(main())
    assert seen == [False, True]


def test_a_block_in_a_generator_that_is_dropped_is_ended(
    manager: HookManager, add: Add, finished: Any
) -> None:
    ends = finished("step_finished")
    add("step_finished", _async_hook)

    def work() -> Any:
        with manager.step():
            yield 1
            yield 2

    for _ in work():
        break
    assert ends == [("cancelled", True)]
