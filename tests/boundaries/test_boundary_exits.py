"""Each boundary that was begun ends exactly once, on every exit, and says how."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

import pytest

from hookcore import Denied, HookAborted, HookManager, Replace

Add = Callable[..., str]
KINDS = ("tool", "tool async", "model", "model async", "stream", "run", "turn", "step")
BLOCKS = ("run", "turn", "step")
POINTS = {
    "tool": ("pre_tool_call", "post_tool_call", "tool_finished"),
    "model": ("pre_model_call", "post_model_call", "model_finished"),
    "stream": ("pre_model_call", "post_model_call", "model_finished"),
    "run": ("pre_run", "post_run", "run_finished"),
    "turn": ("pre_turn", "post_turn", "turn_finished"),
    "step": ("pre_step", "post_step", "step_finished"),
}


def abort(ctx: Any) -> None:
    raise HookAborted("no")


class Bench:
    """Runs one boundary of a kind around a body, and watches its end."""

    def __init__(self, manager: HookManager, kind: str, finished: Any) -> None:
        self.manager = manager
        self.kind = kind
        self.pre, self.post, self.end = POINTS[kind.partition(" ")[0]]
        self.ends: list[Any] = finished(self.end)

    async def go(self, body: Callable[[], Any]) -> Any:
        """Run the boundary; ``body`` gives the result, or raises."""
        manager = self.manager
        if self.kind == "tool":
            return manager.call_tool("x", {}, lambda given: body())
        if self.kind == "model":
            return manager.call_model([], lambda messages: body())
        if self.kind == "stream":
            return await self._stream(body)

        async def abody(given: Any) -> Any:
            await asyncio.sleep(0)
            return body()

        if self.kind == "tool async":
            return await manager.acall_tool("x", {}, abody)
        if self.kind == "model async":
            return await manager.acall_model([], abody)
        return await self._block(body)

    async def _stream(self, body: Callable[[], Any]) -> Any:
        async def model(messages: Any) -> Any:
            yield "a"
            yield body()

        return [event async for event in self.manager.astream_model([], model)][-1]

    async def _block(self, body: Callable[[], Any]) -> Any:
        block: Any = getattr(self.manager, self.kind)()
        name = {"run": "result", "turn": "opening", "step": "output"}[self.kind]
        async with block:
            setattr(block, name, body())
        return getattr(block, name)


@pytest.fixture(params=KINDS)
def bench(request: Any, manager: HookManager, finished: Any) -> Bench:
    return Bench(manager, request.param, finished)


def raising(error: BaseException) -> Callable[[], Any]:
    def body() -> Any:
        raise error

    return body


def test_a_normal_end_is_ok(bench: Bench) -> None:
    assert asyncio.run(bench.go(lambda: "done")) == "done"
    assert bench.ends == [("ok", True)]


def test_a_denial_before_the_body_is_denied_and_not_entered(bench: Bench, add: Add) -> None:
    ran: list[int] = []
    looked: list[int] = []
    add(bench.pre, abort)
    add(bench.post, lambda ctx: looked.append(1))
    with pytest.raises(HookAborted, match="no"):
        asyncio.run(bench.go(lambda: ran.append(1)))
    assert (bench.ends, ran, looked) == ([("denied", False)], [], [])


def test_a_denial_after_the_body_is_denied(bench: Bench, add: Add) -> None:
    add(bench.post, abort)
    with pytest.raises(HookAborted, match="no"):
        asyncio.run(bench.go(lambda: "done"))
    assert bench.ends == [("denied", True)]


def test_an_error_of_the_body_is_an_error_and_the_same_object(bench: Bench) -> None:
    problem = LookupError("gone")
    with pytest.raises(LookupError) as caught:
        asyncio.run(bench.go(raising(problem)))
    assert caught.value is problem
    assert bench.ends == [("error", True)]


def test_an_abort_from_inside_the_body_is_its_error(bench: Bench) -> None:
    with pytest.raises(HookAborted, match="inner"):
        asyncio.run(bench.go(raising(HookAborted("inner"))))
    assert bench.ends == [("error", True)]


def test_a_hook_after_the_body_sees_its_error(bench: Bench, add: Add) -> None:
    problem = LookupError("gone")
    seen: list[Any] = []
    add(bench.post, lambda ctx: seen.append((ctx.error, ctx.payload)))
    with suppress(LookupError):
        asyncio.run(bench.go(raising(problem)))
    assert seen == [(problem, None)]


@pytest.mark.parametrize("value", ["instead", None])
def test_a_hook_after_the_body_may_put_a_value_in_the_errors_place(
    bench: Bench, add: Add, value: Any
) -> None:
    add(bench.post, lambda ctx: Replace(value))
    assert asyncio.run(bench.go(raising(LookupError()))) == value
    assert bench.ends == [("ok", True)]


def test_an_observer_of_the_error_leaves_it(bench: Bench, add: Add) -> None:
    add(bench.post, lambda ctx: None)
    with pytest.raises(LookupError):
        asyncio.run(bench.go(raising(LookupError())))
    assert bench.ends == [("error", True)]


@pytest.mark.parametrize("signal", [KeyboardInterrupt, asyncio.CancelledError])
def test_an_interrupt_is_cancelled_and_no_hook_may_swallow_it(
    bench: Bench, add: Add, signal: Any
) -> None:
    looked: list[int] = []
    add(bench.post, lambda ctx: looked.append(1))

    async def main() -> None:
        # Caught in here: the loop makes something of its own out of a KeyboardInterrupt.
        with pytest.raises(signal):
            await bench.go(raising(signal()))

    asyncio.run(main())
    assert (bench.ends, looked) == ([("cancelled", True)], [])


class Paused(Exception):  # noqa: N818 - it is no error
    """A host's own control flow."""


@pytest.mark.parametrize("kind", KINDS)
def test_a_signal_that_the_host_names_passes_as_it_is(kind: str, make_plugin: Any) -> None:
    manager = HookManager(control_flow=(Paused,))
    ends: list[Any] = []
    bench = Bench(manager, kind, lambda point: [])
    manager.register(make_plugin(bench.post, lambda ctx: Replace("swallowed")))
    manager.register(make_plugin(bench.end, lambda ctx: ends.append(ctx.status)))
    with pytest.raises(Paused):
        asyncio.run(bench.go(raising(Paused())))
    assert ends == ["cancelled"]


@pytest.mark.parametrize("where", ["pre", "body", "post", "end"])
@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind not in ("tool", "model")])
def test_a_cancelled_task_ends_its_boundary_once(
    manager: HookManager, add: Add, finished: Any, kind: str, where: str
) -> None:
    bench = Bench(manager, kind, finished)
    began = asyncio.Event()

    async def wait(ctx: Any = None) -> None:
        began.set()
        await asyncio.Event().wait()

    if where != "body":
        add(getattr(bench, where), wait)

    async def main() -> None:
        task = asyncio.ensure_future(_cancellable(bench, wait if where == "body" else None))
        await began.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(main())
    status = "ok" if where == "end" else "cancelled"
    assert bench.ends == [(status, where != "pre")]


async def _cancellable(bench: Bench, wait: Any) -> None:
    """Run the boundary around a body that waits, when it is given something to wait for."""
    manager = bench.manager

    async def body(given: Any) -> Any:
        if wait is not None:
            await wait()
        return "done"

    async def chunks(given: Any) -> Any:
        yield "a"
        await body(given)

    if bench.kind == "tool async":
        await manager.acall_tool("x", {}, body)
    elif bench.kind == "model async":
        await manager.acall_model([], body)
    elif bench.kind == "stream":
        async for _ in manager.astream_model([], chunks):
            pass
    else:
        async with getattr(manager, bench.kind)():
            await body(None)


def test_a_boundary_that_was_cancelled_before_it_began_has_no_end(
    manager: HookManager, finished: Any
) -> None:
    ends = finished("tool_finished")

    async def main() -> None:
        task = asyncio.ensure_future(manager.acall_tool("x", {}, lambda given: 1))
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(main())
    assert ends == []


@pytest.mark.parametrize("kind", ["tool async", "model async", *BLOCKS])
def test_a_coroutine_that_is_closed_ends_its_boundary(
    manager: HookManager, finished: Any, kind: str
) -> None:
    bench = Bench(manager, kind, finished)

    async def forever(ctx: Any = None) -> None:
        await asyncio.Event().wait()

    async def main() -> None:
        coroutine = _cancellable(bench, forever)
        coroutine.send(None)
        coroutine.close()

    asyncio.run(main())
    assert bench.ends == [("cancelled", True)]


def test_a_stream_that_is_closed_early_is_cancelled(
    manager: HookManager, finished: Any, streaming: Any
) -> None:
    ends = finished("model_finished")

    async def main() -> None:
        events = manager.astream_model([], streaming("a", "b"))
        assert await anext(events) == "a"
        await events.aclose()

    asyncio.run(main())
    assert ends == [("cancelled", True)]


def test_a_stream_that_is_only_dropped_is_ended_too(
    manager: HookManager, finished: Any, streaming: Any
) -> None:
    ends = finished("model_finished")

    async def main() -> None:
        events = manager.astream_model([], streaming("a", "b"))
        assert await anext(events) == "a"
        del events
        for _ in range(20):
            await asyncio.sleep(0)
        assert ends == [("cancelled", True)]

    asyncio.run(main())


def test_a_stream_that_nobody_began_has_no_end(
    manager: HookManager, finished: Any, streaming: Any
) -> None:
    ends = finished("model_finished")
    manager.astream_model([], streaming("a"))
    assert ends == []


@pytest.mark.parametrize("kind", ["tool", "model"])
def test_a_denial_by_a_wrap_is_denied(
    manager: HookManager, add: Add, finished: Any, kind: str
) -> None:
    def wrap(ctx: Any, call_next: Any) -> Iterator[Any]:
        raise HookAborted("no")
        yield

    bench = Bench(manager, kind, finished)
    add(f"wrap_{kind}_call", wrap)
    with pytest.raises(HookAborted):
        asyncio.run(bench.go(lambda: "done"))
    assert bench.ends == [("denied", False)]


@pytest.mark.parametrize("point", ["pre", "post"])
@pytest.mark.parametrize("kind", ["tool", "tool async", "model", "model async"])
def test_a_host_may_ask_for_the_denial_as_a_value(
    manager: HookManager, add: Add, finished: Any, kind: str, point: str
) -> None:
    bench = Bench(manager, kind, finished)
    add(getattr(bench, point), abort, name="guard")
    call: Any = {
        "tool": lambda: manager.call_tool("x", {}, lambda given: 1, on_denied="return"),
        "tool async": lambda: asyncio.run(
            manager.acall_tool("x", {}, lambda given: 1, on_denied="return")
        ),
        "model": lambda: manager.call_model([], lambda messages: 1, on_denied="return"),
        "model async": lambda: asyncio.run(
            manager.acall_model([], lambda messages: 1, on_denied="return")
        ),
    }[kind]
    denied = call()
    assert isinstance(denied, Denied)
    assert (denied.reason, denied.point) == ("no", getattr(bench, point))
    assert bench.ends == [("denied", point == "post")]


def test_an_observer_that_raises_does_not_hide_how_a_boundary_ended(bench: Bench, add: Add) -> None:
    def broken(ctx: Any) -> None:
        raise ZeroDivisionError

    add(bench.end, broken, on_error="raise")

    async def main() -> None:
        with pytest.raises(asyncio.CancelledError):
            await bench.go(raising(asyncio.CancelledError()))

    asyncio.run(main())
    assert bench.ends == [("cancelled", True)]


def test_an_observer_that_raises_reaches_the_host_when_nothing_else_does(
    bench: Bench, add: Add
) -> None:
    def broken(ctx: Any) -> None:
        raise ZeroDivisionError

    add(bench.end, broken, on_error="raise")
    with pytest.raises(ZeroDivisionError):
        asyncio.run(bench.go(lambda: "done"))
    assert bench.ends == [("ok", True)]


def test_a_model_that_was_never_called_was_not_entered(
    manager: HookManager, add: Add, finished: Any
) -> None:
    def broken(ctx: Any) -> None:
        raise ZeroDivisionError

    ends = finished("model_finished")
    add("model_input", broken, on_error="raise")
    with pytest.raises(ZeroDivisionError):
        manager.call_model([], lambda messages: 1)
    assert ends == [("error", False)]
