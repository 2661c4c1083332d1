"""Wraps around streams: what passes, what a failure leaves, and that everything is closed."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Generator
from contextlib import aclosing
from typing import Any

import pytest

from hookcore import Abort, HookAborted, HookDispatchedEvent, HookManager, ModelCallContext

from ..waiting import settle

pytestmark = pytest.mark.asyncio

Add = Callable[..., str]
Events = list[HookDispatchedEvent]
POINT = "wrap_model_call"


def stream(manager: HookManager, call: Callable[[Any], Any], messages: Any = None) -> Any:
    return manager.awrap_stream(POINT, ModelCallContext(messages=messages or []), call)


async def passing(ctx: Any, call_next: Any) -> AsyncIterator[Any]:
    async for event in call_next():
        yield event


async def upper(ctx: Any, call_next: Any) -> AsyncIterator[Any]:
    async for event in call_next():
        yield event.upper()


class Source:
    """A model whose stream tells how often it was opened and closed."""

    def __init__(self, *items: Any) -> None:
        self.items = items or ("a", "b", "c")
        self.opened: list[Any] = []
        self.closed = 0

    async def __call__(self, messages: Any) -> AsyncIterator[Any]:
        return self._events(messages)

    async def _events(self, messages: Any) -> AsyncIterator[Any]:
        self.opened.append(messages)
        try:
            for item in self.items:
                await asyncio.sleep(0)
                if isinstance(item, BaseException):
                    raise item
                yield item
        finally:
            await asyncio.sleep(0)
            self.closed += 1


# What passes


async def test_a_stream_without_hooks_passes_as_it_is(manager: HookManager, drain: Any) -> None:
    source = Source()
    assert await drain(stream(manager, source)) == ["a", "b", "c"]
    assert source.closed == 1


async def test_an_async_generator_transforms_each_event(
    manager: HookManager, add: Add, drain: Any
) -> None:
    add(POINT, upper)
    assert await drain(stream(manager, Source())) == ["A", "B", "C"]


async def test_a_coroutine_may_return_the_iterator(
    manager: HookManager, add: Add, drain: Any
) -> None:
    async def wrap(ctx: Any, call_next: Any) -> Any:
        events = await call_next(["other"])
        return (event.upper() async for event in events)

    add(POINT, wrap)
    source = Source()
    assert await drain(stream(manager, source)) == ["A", "B", "C"]
    assert source.opened == [["other"]]


async def test_a_coroutine_may_return_what_call_next_gave(
    manager: HookManager, add: Add, drain: Any, events: Events
) -> None:
    async def wrap(ctx: Any, call_next: Any) -> Any:
        return call_next()

    add(POINT, wrap)
    assert await drain(stream(manager, Source())) == ["a", "b", "c"]
    assert events[0].outcome == "proceeded"


async def test_a_generator_with_one_yield_stands_around_the_whole_stream(
    manager: HookManager, add: Add, drain: Any
) -> None:
    steps: list[str] = []

    def wrap(ctx: Any, call_next: Any) -> Generator[Any, Any, Any]:
        steps.append("in")
        yield ["other"]
        steps.append("out")

    add(POINT, wrap)
    source = Source()
    async for event in stream(manager, source):
        steps.append(event)  # noqa: PERF401 - the order is the point
    assert (steps, source.opened) == (["in", "a", "b", "c", "out"], [["other"]])


async def test_the_first_in_order_is_the_outermost(
    manager: HookManager, add: Add, drain: Any
) -> None:
    def marking(mark: str) -> Callable[..., AsyncIterator[Any]]:
        async def wrap(ctx: Any, call_next: Any) -> AsyncIterator[Any]:
            async for event in call_next():
                yield f"{mark}({event})"

        return wrap

    add(POINT, marking("inner"), priority=2)
    add(POINT, marking("outer"), priority=1)
    assert await drain(stream(manager, Source("a"))) == ["outer(inner(a))"]


async def test_an_async_generator_that_does_not_call_short_circuits(
    manager: HookManager, add: Add, drain: Any, events: Events
) -> None:
    async def wrap(ctx: Any, call_next: Any) -> AsyncIterator[Any]:
        yield "cached"

    add(POINT, wrap)
    source = Source()
    assert (await drain(stream(manager, source)), source.opened) == (["cached"], [])
    assert events[0].outcome == "modified"


async def test_a_generator_that_returns_a_stream_before_its_yield_short_circuits(
    manager: HookManager, add: Add, drain: Any, streaming: Any
) -> None:
    def wrap(ctx: Any, call_next: Any) -> Generator[Any, Any, Any]:
        if not ctx.messages:
            return streaming("cached")(None)
        yield

    add(POINT, wrap)
    source = Source()
    assert (await drain(stream(manager, source)), source.opened) == (["cached"], [])


async def test_a_hook_may_stop_the_stream_early(
    manager: HookManager, add: Add, drain: Any, events: Events
) -> None:
    async def wrap(ctx: Any, call_next: Any) -> AsyncIterator[Any]:
        async for event in call_next():
            yield event
            return

    add(POINT, wrap)
    source = Source()
    assert (await drain(stream(manager, source)), source.closed) == (["a"], 1)
    assert events[0].outcome == "modified"


async def test_a_hook_that_withholds_the_last_event_has_modified(
    manager: HookManager, add: Add, drain: Any, events: Events
) -> None:
    async def wrap(ctx: Any, call_next: Any) -> AsyncIterator[Any]:
        async for event in call_next():
            if event != "c":
                yield event

    add(POINT, wrap)
    assert await drain(stream(manager, Source())) == ["a", "b"]
    assert events[0].outcome == "modified"


async def test_a_hook_that_passes_late_but_everything_has_modified_nothing(
    manager: HookManager, add: Add, drain: Any, events: Events
) -> None:
    async def wrap(ctx: Any, call_next: Any) -> AsyncIterator[Any]:
        collected = [event async for event in call_next()]
        for event in collected:
            yield event

    add(POINT, wrap)
    assert await drain(stream(manager, Source())) == ["a", "b", "c"]
    assert events[0].outcome == "proceeded"


async def test_a_hook_may_call_again_after_an_error(
    manager: HookManager, add: Add, drain: Any
) -> None:
    async def wrap(ctx: Any, call_next: Any) -> AsyncIterator[Any]:
        try:
            async for event in call_next():
                yield event
        except ConnectionError:
            async for event in call_next():
                yield event.upper()

    attempts = iter([("a", ConnectionError()), ("a", "b")])
    add(POINT, wrap)
    result = stream(manager, lambda messages: Source(*next(attempts))._events(messages))
    assert await drain(result) == ["a", "A", "B"]


async def test_a_returned_abort_aborts(manager: HookManager, add: Add, drain: Any) -> None:
    async def wrap(ctx: Any, call_next: Any) -> Any:
        return Abort("no")

    add(POINT, wrap)
    source = Source()
    with pytest.raises(HookAborted, match="no"):
        await drain(stream(manager, source))
    assert source.opened == []


# Failures


async def test_a_failure_before_the_call_leaves_the_stream_as_it_is(
    manager: HookManager, add: Add, drain: Any
) -> None:
    async def wrap(ctx: Any, call_next: Any) -> AsyncIterator[Any]:
        raise ZeroDivisionError
        yield

    add(POINT, wrap)
    source = Source()
    assert await drain(stream(manager, source)) == ["a", "b", "c"]
    assert len(source.opened) == 1


async def test_what_a_failed_hook_had_consumed_still_passes(
    manager: HookManager, add: Add, drain: Any, events: Events
) -> None:
    async def wrap(ctx: Any, call_next: Any) -> AsyncIterator[Any]:
        count = 0
        async for event in call_next():
            count += 1
            if count == 1:
                yield event
            if count == 3:
                raise ZeroDivisionError

    add(POINT, wrap)
    source = Source("a", "b", "c", "d")
    assert await drain(stream(manager, source)) == ["a", "b", "c", "d"]
    assert (len(source.opened), source.closed) == (1, 1)
    assert [(r.verdict, r.effect) for r in events[0].records] == [("error", "ignored")]


async def test_what_a_failed_hook_had_collected_and_begun_to_pass_still_passes(
    manager: HookManager, add: Add, drain: Any
) -> None:
    async def wrap(ctx: Any, call_next: Any) -> AsyncIterator[Any]:
        collected = [event async for event in call_next()]
        yield collected[0]
        raise ZeroDivisionError

    add(POINT, wrap)
    assert await drain(stream(manager, Source())) == ["a", "b", "c"]


async def test_a_failed_retry_repeats_nothing_of_the_first_try(
    manager: HookManager, add: Add, drain: Any
) -> None:
    async def wrap(ctx: Any, call_next: Any) -> AsyncIterator[Any]:
        first = [event async for event in call_next()]
        async for _ in call_next():
            raise ZeroDivisionError
        yield first

    add(POINT, wrap)
    assert await drain(stream(manager, Source())) == ["a", "b", "c"]


@pytest.mark.parametrize("on_error", ["deny", "raise"])
async def test_a_failure_that_counts_ends_the_stream(
    manager: HookManager, add: Add, drain: Any, on_error: str, events: Events
) -> None:
    async def wrap(ctx: Any, call_next: Any) -> AsyncIterator[Any]:
        async for event in call_next():
            yield event
            raise ZeroDivisionError

    add(POINT, wrap, name="guard", on_error=on_error)
    source, passed = Source(), list[Any]()
    with pytest.raises(HookAborted if on_error == "deny" else ZeroDivisionError):
        await drain(stream(manager, source), passed)
    assert (passed, source.closed) == (["a"], 1)
    assert events[0].outcome == "aborted"


async def test_an_abort_in_mid_stream_ends_it(manager: HookManager, add: Add, drain: Any) -> None:
    async def wrap(ctx: Any, call_next: Any) -> AsyncIterator[Any]:
        async for event in call_next():
            if event == "b":
                raise HookAborted("no b")
            yield event

    add(POINT, wrap)
    source, passed = Source(), list[Any]()
    with pytest.raises(HookAborted, match="no b"):
        await drain(stream(manager, source), passed)
    assert (passed, source.closed) == (["a"], 1)


@pytest.mark.parametrize("form", [passing, "around"])
async def test_what_the_stream_raises_is_no_failure_of_the_hook(
    manager: HookManager, add: Add, drain: Any, events: Events, form: Any
) -> None:
    def around(ctx: Any, call_next: Any) -> Generator[Any, Any, Any]:
        yield

    add(POINT, around if form == "around" else form, on_error="deny")
    problem, passed = LookupError(), list[Any]()
    with pytest.raises(LookupError) as caught:
        await drain(stream(manager, Source("a", problem)), passed)
    assert (caught.value, passed) == (problem, ["a"])
    assert (events[0].error_count, events[0].hook_count) == (0, 1)


async def test_a_time_limit_of_the_hooks_own_is_no_cancellation_of_the_host(
    manager: HookManager, add: Add, drain: Any
) -> None:
    async def wrap(ctx: Any, call_next: Any) -> AsyncIterator[Any]:
        events = call_next().__aiter__()
        while True:
            yield await asyncio.wait_for(events.__anext__(), 0.01)

    async def slow(messages: Any) -> AsyncIterator[Any]:
        yield "a"
        await asyncio.Event().wait()

    add(POINT, wrap)
    with pytest.raises(asyncio.TimeoutError):
        await drain(stream(manager, slow))


@pytest.mark.parametrize("late", [False, True])
async def test_a_generator_hook_that_fails_leaves_the_stream(
    manager: HookManager, add: Add, drain: Any, late: Any, events: Events
) -> None:
    def wrap(ctx: Any, call_next: Any) -> Generator[Any, Any, Any]:
        if late:
            yield
        raise ZeroDivisionError
        yield

    add(POINT, wrap)
    source = Source()
    assert await drain(stream(manager, source)) == ["a", "b", "c"]
    assert (len(source.opened), events[0].error_count) == (1, 1)


# Monitor mode


async def test_a_monitored_hook_changes_nothing(
    manager: HookManager, add: Add, drain: Any, events: Events
) -> None:
    async def wrap(ctx: Any, call_next: Any) -> AsyncIterator[Any]:
        async for event in call_next(["other"]):
            event["text"] = "edited"
            yield event
            yield "more"

    add(POINT, wrap, monitor=True)
    source = Source({"text": "a"}, {"text": "b"})
    assert await drain(stream(manager, source)) == [{"text": "a"}, {"text": "b"}]
    assert source.opened == [[]]
    assert [(r.verdict, r.effect) for r in events[0].records] == [("modify", "observed")]


async def test_a_monitored_hook_that_passes_everything_on_is_an_allow(
    manager: HookManager, add: Add, drain: Any, events: Events
) -> None:
    add(POINT, passing, monitor=True)
    assert await drain(stream(manager, Source({"text": "a"}))) == [{"text": "a"}]
    assert [record.verdict for record in events[0].records] == ["allow"]


async def test_a_monitored_short_circuit_leaves_the_stream(
    manager: HookManager, add: Add, drain: Any
) -> None:
    async def wrap(ctx: Any, call_next: Any) -> AsyncIterator[Any]:
        yield "cached"

    add(POINT, wrap, monitor=True)
    source = Source()
    assert await drain(stream(manager, source)) == ["a", "b", "c"]
    assert len(source.opened) == 1


async def test_a_monitored_retry_opens_the_stream_once(
    manager: HookManager, add: Add, drain: Any
) -> None:
    async def wrap(ctx: Any, call_next: Any) -> AsyncIterator[Any]:
        async for event in call_next():
            yield event
            break
        async for event in call_next():
            yield event

    add(POINT, wrap, monitor=True)
    source = Source()
    assert await drain(stream(manager, source)) == ["a", "b", "c"]
    assert len(source.opened) == 1


async def test_a_monitored_abort_in_mid_stream_stops_nothing(
    manager: HookManager, add: Add, drain: Any, events: Events
) -> None:
    async def wrap(ctx: Any, call_next: Any) -> AsyncIterator[Any]:
        async for event in call_next():
            yield event
            raise HookAborted("no more")

    add(POINT, wrap, monitor=True)
    assert await drain(stream(manager, Source())) == ["a", "b", "c"]
    assert [record.verdict for record in events[0].records] == ["deny"]


async def test_a_monitored_generator_leaves_the_events_alone(
    manager: HookManager, add: Add, drain: Any, events: Events
) -> None:
    def wrap(ctx: Any, call_next: Any) -> Generator[Any, Any, Any]:
        yield ["other"]

    add(POINT, wrap, monitor=True)
    source = Source()
    assert (await drain(stream(manager, source)), source.opened) == (["a", "b", "c"], [[]])
    assert [record.verdict for record in events[0].records] == ["modify"]


# Closing


class Watching:
    """A streaming hook that tells how it was left."""

    def __init__(self, *, failing: bool = False) -> None:
        self.left: list[str] = []
        self.failing = failing

    async def __call__(self, ctx: Any, call_next: Any) -> AsyncGenerator[Any, None]:
        try:
            async for event in call_next():
                yield event
            self.left.append("end")
        except BaseException as error:
            self.left.append(type(error).__name__)
            raise
        finally:
            await asyncio.sleep(0)
            if self.failing:
                raise ZeroDivisionError


@pytest.fixture
def watched(add: Add) -> Watching:
    made = Watching()

    async def wrap(ctx: Any, call_next: Any) -> AsyncIterator[Any]:
        async with aclosing(made(ctx, call_next)) as events:
            async for event in events:
                yield event

    add(POINT, wrap)
    return made


async def test_all_is_closed_when_the_consumer_closes(
    manager: HookManager, watched: Watching
) -> None:
    source = Source()
    before = asyncio.all_tasks()
    events = stream(manager, source)
    assert await anext(events) == "a"
    await events.aclose()
    assert (source.closed, watched.left) == (1, ["GeneratorExit"])
    await asyncio.sleep(0)
    assert asyncio.all_tasks() == before


async def test_all_is_closed_when_another_task_closes(
    manager: HookManager, watched: Watching
) -> None:
    source = Source()
    events = stream(manager, source)
    assert await anext(events) == "a"
    await asyncio.create_task(events.aclose())
    assert (source.closed, watched.left) == (1, ["GeneratorExit"])


async def test_all_is_closed_when_the_consumer_fails(
    manager: HookManager, watched: Watching
) -> None:
    source = Source()

    async def consume() -> None:
        async with aclosing(stream(manager, source)) as events:
            async for _ in events:
                raise LookupError

    with pytest.raises(LookupError):
        await consume()
    assert (source.closed, watched.left) == (1, ["GeneratorExit"])


async def test_all_is_closed_when_the_consumer_is_cancelled(
    manager: HookManager, watched: Watching, drain: Any
) -> None:
    source = Source(*"abc" * 1000)
    task = asyncio.ensure_future(drain(stream(manager, source)))
    await settle()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert (source.closed, watched.left) == (1, ["CancelledError"])


async def test_all_is_closed_when_nobody_holds_the_stream_any_more(
    manager: HookManager, watched: Watching
) -> None:
    source = Source()
    before = asyncio.all_tasks()
    events = stream(manager, source)
    assert await anext(events) == "a"
    del events
    gc.collect()
    for _ in range(20):
        await asyncio.sleep(0)
    assert (source.closed, watched.left) == (1, ["GeneratorExit"])
    assert asyncio.all_tasks() == before


async def test_a_stream_that_nobody_began_leaves_nothing(
    manager: HookManager, watched: Watching
) -> None:
    source = Source()
    events = stream(manager, source)
    del events
    gc.collect()
    assert (source.opened, watched.left) == ([], [])


@pytest.mark.parametrize("on_error", ["allow", "deny", "raise"])
async def test_a_hook_that_fails_while_it_is_closed_is_logged_and_no_more(
    manager: HookManager, add: Add, on_error: str, events: Events
) -> None:
    made = Watching(failing=True)

    async def wrap(ctx: Any, call_next: Any) -> AsyncIterator[Any]:
        async with aclosing(made(ctx, call_next)) as inner:
            async for event in inner:
                yield event

    add(POINT, wrap, on_error=on_error)
    source = Source()
    passing_on = stream(manager, source)
    assert await anext(passing_on) == "a"
    await passing_on.aclose()
    assert source.closed == 1
    assert [record.verdict for record in events[0].records] == ["error"]


async def test_an_event_tells_of_a_stream_that_was_closed_early(
    manager: HookManager, add: Add, events: Events
) -> None:
    add(POINT, passing)
    early = stream(manager, Source())
    await anext(early)
    await early.aclose()
    assert (events[0].outcome, events[0].abort_reason) == ("aborted", "GeneratorExit")


async def test_an_iterator_that_cannot_be_closed_is_streamed_too(
    manager: HookManager, add: Add, drain: Any
) -> None:
    class Count:
        def __init__(self) -> None:
            self.count = 0

        def __aiter__(self) -> Count:
            return self

        async def __anext__(self) -> str:
            self.count += 1
            if self.count > 2:
                raise StopAsyncIteration
            return str(self.count)

    add(POINT, passing)
    assert await drain(stream(manager, lambda messages: Count())) == ["1", "2"]


# What call_next() gives


@pytest.mark.parametrize("monitor", [False, True])
@pytest.mark.parametrize("before", ["none", "await"])
async def test_call_next_gives_an_async_generator(
    manager: HookManager, add: Add, drain: Any, *, monitor: bool, before: str
) -> None:
    seen: list[Any] = []

    async def wrap(ctx: Any, call_next: Any) -> AsyncIterator[Any]:
        events = call_next()
        seen.append(isinstance(events, AsyncGenerator))
        async with aclosing(events):
            seen.append(await anext(events))
            yield "other"
            async for event in events:
                seen.append(event)
                yield event

    async def handing_on(ctx: Any, call_next: Any) -> Any:
        events = await call_next()
        seen.append(isinstance(events, AsyncGenerator))
        seen.append(await anext(events))
        seen.append(await events.asend(None))
        return events

    add(POINT, handing_on if before == "await" else wrap, monitor=monitor)
    left = await drain(stream(manager, Source()))
    if monitor:
        assert left == ["a", "b", "c"]
    else:
        assert left == (["c"] if before == "await" else ["other", "b", "c"])
    assert seen == [True, "a", "b"] + ([] if before == "await" else ["c"])


@pytest.mark.parametrize("monitor", [False, True])
async def test_a_signal_in_a_stream_goes_on_whatever_a_wrap_does(
    manager: HookManager, add: Add, drain: Any, *, monitor: bool
) -> None:
    class Pause(Exception):  # noqa: N818 - a host's own signal
        pass

    async def wrap(ctx: Any, call_next: Any) -> AsyncIterator[Any]:
        try:
            async for event in call_next():
                yield event
        except Exception:  # noqa: BLE001 - the point of the test
            yield "fallback"

    manager.add_control_flow(Pause)
    add(POINT, wrap, monitor=monitor)
    left: list[Any] = []
    with pytest.raises(Pause):
        await drain(stream(manager, Source("a", Pause())), left)
    assert left[:1] == ["a"]
