"""Wraps around awaited operations: ``async def``, and the other forms under an async host."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import AsyncIterator, Callable, Generator
from typing import Any

import pytest

from hookcore import (
    Abort,
    HookAborted,
    HookDispatchedEvent,
    HookManager,
    Replace,
    ToolCallContext,
    hookimpl,
)

from ..waiting import settle

pytestmark = pytest.mark.asyncio


class Paused(Exception):  # noqa: N818 - it is no error
    """A host's own control flow."""


Add = Callable[..., str]
Events = list[HookDispatchedEvent]
POINT = "wrap_tool_call"


class Body:
    """An async operation that counts its runs."""

    def __init__(self, *outcomes: Any) -> None:
        self.payloads: list[Any] = []
        self.outcomes = list(outcomes)

    async def __call__(self, payload: Any) -> Any:
        self.payloads.append(payload)
        await asyncio.sleep(0)
        outcome = self.outcomes.pop(0) if self.outcomes else "result"
        if isinstance(outcome, BaseException):
            raise outcome
        if callable(outcome):
            return await outcome()
        return outcome


async def acall(manager: HookManager, body: Callable[[Any], Any], **payload: Any) -> Any:
    return await manager.awrap(POINT, ToolCallContext(tool_name="x", payload=payload), body)


async def passing(ctx: Any, call_next: Any) -> Any:
    return await call_next()


async def broken_before(ctx: Any, call_next: Any) -> Any:
    raise ZeroDivisionError


async def broken_after(ctx: Any, call_next: Any) -> Any:
    await call_next()
    raise ZeroDivisionError


async def test_what_the_hook_returns_is_the_result(manager: HookManager, add: Add) -> None:
    async def wrap(ctx: Any, call_next: Any) -> Any:
        return (await call_next()).upper()

    add(POINT, wrap)
    assert await acall(manager, Body()) == "RESULT"


async def test_a_plain_operation_can_be_wrapped_too(manager: HookManager, add: Add) -> None:
    add(POINT, passing)
    assert await acall(manager, lambda payload: "plain") == "plain"


async def test_call_next_without_a_payload_passes_on_the_hooks_own(
    manager: HookManager, add: Add
) -> None:
    async def wrap(ctx: Any, call_next: Any) -> Any:
        await call_next({"b": 2})
        return await call_next()

    add(POINT, wrap)
    body = Body()
    await acall(manager, body, a=1)
    assert body.payloads == [{"b": 2}, {"a": 1}]


async def test_not_calling_short_circuits(manager: HookManager, add: Add) -> None:
    async def wrap(ctx: Any, call_next: Any) -> Any:
        return "cached"

    add(POINT, wrap)
    body = Body()
    assert (await acall(manager, body), body.payloads) == ("cached", [])


async def test_a_short_circuit_with_none_never_runs_the_operation(
    manager: HookManager, add: Add
) -> None:
    async def wrap(ctx: Any, call_next: Any) -> Any:
        return None

    add(POINT, wrap)
    body = Body()
    assert (await acall(manager, body), body.payloads) == (None, [])


@pytest.mark.parametrize("value", [None, "other"])
async def test_replace_is_taken_for_its_value(manager: HookManager, add: Add, value: Any) -> None:
    async def wrap(ctx: Any, call_next: Any) -> Any:
        await call_next()
        return Replace(value)

    add(POINT, wrap)
    assert await acall(manager, Body()) == value


async def test_a_returned_abort_aborts(manager: HookManager, add: Add) -> None:
    async def wrap(ctx: Any, call_next: Any) -> Any:
        return Abort("no")

    add(POINT, wrap)
    body = Body()
    with pytest.raises(HookAborted, match="no"):
        await acall(manager, body)
    assert body.payloads == []


async def test_all_forms_stand_in_one_onion(manager: HookManager, add: Add) -> None:
    async def awaited(ctx: Any, call_next: Any) -> Any:
        return f"a({await call_next()})"

    def around(ctx: Any, call_next: Any) -> Generator[Any, Any, Any]:
        return f"b({(yield)})"

    async def streamed(ctx: Any, call_next: Any) -> AsyncIterator[Any]:
        async for event in call_next():
            yield f"c({event})"

    add(POINT, awaited)
    add(POINT, around)
    add(POINT, streamed)
    assert await acall(manager, Body()) == "a(b(c(result)))"


async def test_a_callable_object_may_be_the_hook(manager: HookManager) -> None:
    class Wrap:
        @hookimpl(specname=POINT)
        async def anything(self, ctx: Any, call_next: Any) -> Any:
            return [await call_next()]

    manager.register(Wrap())
    assert await acall(manager, Body()) == ["result"]


async def test_a_retry_runs_the_operation_again(manager: HookManager, add: Add) -> None:
    async def wrap(ctx: Any, call_next: Any) -> Any:
        try:
            return await call_next()
        except ConnectionError:
            return await call_next()

    add(POINT, wrap)
    body = Body(ConnectionError())
    assert (await acall(manager, body), len(body.payloads)) == ("result", 2)


@pytest.mark.parametrize("broken", [broken_before, broken_after])
async def test_a_failure_under_allow_leaves_the_operation_as_it_is(
    manager: HookManager, add: Add, broken: Any
) -> None:
    add(POINT, broken)
    body = Body()
    assert (await acall(manager, body), len(body.payloads)) == ("result", 1)


@pytest.mark.parametrize(("broken", "runs"), [(broken_before, 0), (broken_after, 1)])
async def test_a_failure_under_deny_is_an_abort(
    manager: HookManager, add: Add, broken: Any, runs: int
) -> None:
    add(POINT, broken, name="guard", on_error="deny")
    body = Body()
    with pytest.raises(HookAborted) as caught:
        await acall(manager, body)
    assert (caught.value.source, len(body.payloads)) == ("guard", runs)


@pytest.mark.parametrize("broken", [broken_before, broken_after])
async def test_a_failure_under_raise_reaches_the_host(
    manager: HookManager, add: Add, broken: Any
) -> None:
    add(POINT, broken, on_error="raise")
    with pytest.raises(ZeroDivisionError):
        await acall(manager, Body())


async def test_a_failed_retry_leaves_the_last_outcome(manager: HookManager, add: Add) -> None:
    async def wrap(ctx: Any, call_next: Any) -> Any:
        await call_next()
        await call_next()
        raise ZeroDivisionError

    add(POINT, wrap)
    assert await acall(manager, Body("first", "second")) == "second"


async def test_a_time_limit_of_the_hooks_own_is_no_cancellation_of_the_host(
    manager: HookManager, add: Add
) -> None:
    async def wrap(ctx: Any, call_next: Any) -> Any:
        return await asyncio.wait_for(call_next(), 0.01)

    add(POINT, wrap)
    body = Body(lambda: asyncio.Event().wait())
    with pytest.raises(asyncio.TimeoutError):
        await acall(manager, body)
    assert len(body.payloads) == 1


async def test_an_operation_that_runs_on_when_its_hook_fails_is_cancelled_and_awaited(
    manager: HookManager, add: Add
) -> None:
    tasks: list[asyncio.Task[Any]] = []

    async def wrap(ctx: Any, call_next: Any) -> Any:
        tasks.append(asyncio.ensure_future(call_next()))
        await asyncio.sleep(0)
        raise ZeroDivisionError

    add(POINT, wrap)
    with pytest.raises(ZeroDivisionError):
        await acall(manager, Body(lambda: settle("late")))
    assert tasks[0].cancelled()


async def test_a_cancellation_passes_through_as_it_is(
    manager: HookManager, add: Add, events: Events
) -> None:
    add(POINT, passing, on_error="deny")
    task = asyncio.ensure_future(acall(manager, Body(lambda: asyncio.Event().wait())))
    await settle()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert (events[0].outcome, events[0].abort_reason) == ("aborted", "CancelledError")


@pytest.mark.skipif(not hasattr(asyncio.Task, "cancelling"), reason="Task.cancelling is 3.11's")
async def test_a_hook_that_fails_at_a_cancellation_does_not_hide_it(
    manager: HookManager, add: Add
) -> None:
    async def wrap(ctx: Any, call_next: Any) -> Any:
        try:
            return await call_next()
        finally:
            raise ZeroDivisionError

    add(POINT, wrap)
    task = asyncio.ensure_future(acall(manager, Body(lambda: asyncio.Event().wait())))
    await settle()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


async def test_a_signal_that_the_host_names_passes_through_every_policy(
    make_plugin: Any,
) -> None:
    def swallowing(ctx: Any, call_next: Any) -> Generator[Any, Any, Any]:
        try:
            yield
        except Paused:
            return "swallowed"

    manager = HookManager(control_flow=(Paused,))
    manager.register(make_plugin(POINT, swallowing))
    with pytest.raises(Paused):
        await acall(manager, Body(Paused()))


async def test_a_streaming_hook_that_stops_early_leaves_no_generator_behind(
    manager: HookManager, add: Add
) -> None:
    async def first(ctx: Any, call_next: Any) -> AsyncIterator[Any]:
        async for event in call_next():
            yield event
            return

    add(POINT, first)
    before = asyncio.all_tasks()
    assert await acall(manager, Body()) == "result"
    await asyncio.sleep(0)
    assert asyncio.all_tasks() == before


async def test_a_hook_sees_its_own_payload_again_after_call_next(
    manager: HookManager, add: Add
) -> None:
    seen: list[Any] = []

    async def wrap(ctx: Any, call_next: Any) -> Any:
        result = await call_next({"b": 2})
        seen.append(ctx.payload)
        return result

    add(POINT, wrap)
    await acall(manager, Body(), a=1)
    assert seen == [{"a": 1}]


# Monitor mode


async def test_a_monitored_wrap_changes_nothing(
    manager: HookManager, add: Add, events: Events
) -> None:
    async def wrap(ctx: Any, call_next: Any) -> Any:
        (await call_next({"b": 2})).append("edited")
        return "replaced"

    add(POINT, wrap, monitor=True)
    body = Body([])
    assert (await acall(manager, body, a=1), body.payloads) == ([], [{"a": 1}])
    assert events[0].records[0].verdict == "modify"


async def test_a_monitored_wrap_that_passes_everything_on_is_an_allow(
    manager: HookManager, add: Add, events: Events
) -> None:
    add(POINT, passing, monitor=True)
    await acall(manager, Body(["a"]))
    assert [record.verdict for record in events[0].records] == ["allow"]


async def test_a_monitored_retry_runs_the_operation_once(manager: HookManager, add: Add) -> None:
    async def wrap(ctx: Any, call_next: Any) -> Any:
        try:
            return await call_next()
        except ConnectionError:
            return await call_next()

    add(POINT, wrap, monitor=True)
    body = Body(ConnectionError())
    with pytest.raises(ConnectionError):
        await acall(manager, body)
    assert len(body.payloads) == 1


async def test_a_time_limit_of_a_monitored_wrap_does_not_end_the_operation(
    manager: HookManager, add: Add, events: Events
) -> None:
    late = asyncio.Event()

    async def wrap(ctx: Any, call_next: Any) -> Any:
        try:
            return await asyncio.wait_for(call_next(), 0.01)
        finally:
            late.set()

    async def slow() -> str:
        await late.wait()
        return "slow"

    add(POINT, wrap, monitor=True)
    body = Body(slow)
    assert (await acall(manager, body), len(body.payloads)) == ("slow", 1)
    assert [record.verdict for record in events[0].records] == ["error"]


async def test_a_monitored_wrap_that_calls_twice_at_once_runs_the_operation_once(
    manager: HookManager, add: Add
) -> None:
    async def wrap(ctx: Any, call_next: Any) -> Any:
        return (await asyncio.gather(call_next(), call_next()))[0]

    add(POINT, wrap, monitor=True)
    body = Body()
    assert (await acall(manager, body), len(body.payloads)) == ("result", 1)


async def test_the_operation_inside_a_monitored_wrap_stays_in_the_hosts_task(
    manager: HookManager, add: Add
) -> None:
    tasks: list[Any] = []

    def body(payload: Any) -> None:
        tasks.append(asyncio.current_task())

    add(POINT, passing, monitor=True)
    await acall(manager, body)
    assert tasks == [asyncio.current_task()]


async def test_a_cancellation_ends_a_monitored_wrap_too(manager: HookManager, add: Add) -> None:
    left: list[str] = []

    async def wrap(ctx: Any, call_next: Any) -> Any:
        try:
            return await call_next()
        except asyncio.CancelledError:
            left.append("cancelled")
            raise

    add(POINT, wrap, monitor=True)
    before = asyncio.all_tasks()
    task = asyncio.ensure_future(acall(manager, Body(lambda: asyncio.Event().wait())))
    await settle()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await asyncio.sleep(0)
    assert (left, asyncio.all_tasks()) == (["cancelled"], before)


# Re-entrancy and context


async def test_the_calls_of_a_sub_agent_are_judged(manager: HookManager, add: Add) -> None:
    judged: list[str] = []

    async def wrap(ctx: Any, call_next: Any) -> Any:
        judged.append(ctx.tool_name)
        return await call_next()

    async def sub_agent(given: Any) -> Any:
        return await manager.acall_tool("inner", {}, lambda given: 1)

    add(POINT, wrap)
    await manager.acall_tool("outer", {}, sub_agent)
    assert judged == ["outer", "inner"]


async def test_a_scope_that_a_wrap_enters_holds_for_the_operation(
    manager: HookManager, add: Add, make_plugin: Any
) -> None:
    judged: list[str] = []
    policy = make_plugin("pre_tool_call", lambda ctx: judged.append(ctx.tool_name))

    async def wrap(ctx: Any, call_next: Any) -> Any:
        with manager.scope(policy):
            return await call_next()

    async def body(given: Any) -> Any:
        return await manager.acall_tool("inner", {}, lambda given: 1)

    add(POINT, wrap, tools=["outer"])
    await manager.acall_tool("outer", {}, body)
    await manager.acall_tool("later", {}, lambda given: 1)
    assert judged == ["inner"]


async def test_plugin_state_is_there_before_and_after_the_operation(
    manager: HookManager, add: Add
) -> None:
    seen: list[Any] = []

    async def wrap(ctx: Any, call_next: Any) -> Any:
        ctx.state["count"] = ctx.state.get("count", 0) + 1
        result = await call_next()
        seen.append(dict(ctx.state))
        return result

    add(POINT, wrap)
    async with manager.run():
        for _ in range(2):
            await manager.acall_tool("x", {}, lambda given: 1)
    assert seen == [{"count": 1}, {"count": 2}]


async def test_an_operation_in_another_thread_ends_with_the_hook_that_has_not_waited(
    manager: HookManager, add: Add
) -> None:
    begun, log, threads = threading.Event(), [], []

    async def body(payload: Any) -> None:
        begun.set()
        try:
            await asyncio.sleep(60)
        finally:
            log.append("over")

    async def wrap(ctx: Any, call_next: Any) -> Any:
        def run() -> None:
            with contextlib.suppress(asyncio.CancelledError):
                asyncio.run(call_next())

        threads.append(threading.Thread(target=run))
        threads[0].start()
        begun.wait(30)
        return "early"

    add(POINT, wrap)

    assert await acall(manager, body) == "early"
    assert log == ["over"]
    threads[0].join(30)
