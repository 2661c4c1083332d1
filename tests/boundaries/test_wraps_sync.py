"""Wraps that are plain generators with one yield, which every host can call."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import suppress
from typing import Any

import pytest

from hookcore import Abort, HookAborted, HookDispatchedEvent, HookManager, Replace, ToolCallContext
from hookcore.errors import RegistrationError

Add = Callable[..., str]
Events = list[HookDispatchedEvent]
POINT = "wrap_tool_call"


def call(manager: HookManager, body: Callable[[Any], Any], **payload: Any) -> Any:
    return manager.wrap(POINT, ToolCallContext(tool_name="x", payload=payload), body)


def passing(ctx: Any, call_next: Any) -> Generator[Any, Any, Any]:
    yield


def broken_before(ctx: Any, call_next: Any) -> Generator[Any, Any, Any]:
    raise ZeroDivisionError
    yield


def broken_after(ctx: Any, call_next: Any) -> Generator[Any, Any, Any]:
    yield
    raise ZeroDivisionError


class Body:
    """Counts its runs."""

    def __init__(self, *outcomes: Any) -> None:
        self.payloads: list[Any] = []
        self.outcomes = list(outcomes)

    def __call__(self, payload: Any) -> Any:
        self.payloads.append(payload)
        outcome = self.outcomes.pop(0) if self.outcomes else "result"
        if isinstance(outcome, BaseException):
            raise outcome
        return outcome


def test_a_yield_gives_the_result_of_the_operation(manager: HookManager, add: Add) -> None:
    seen: list[Any] = []

    def wrap(ctx: Any, call_next: Any) -> Generator[Any, Any, Any]:
        seen.append((yield))

    add(POINT, wrap)
    assert (call(manager, Body()), seen) == ("result", ["result"])


def test_what_the_generator_returns_replaces_the_result(manager: HookManager, add: Add) -> None:
    def wrap(ctx: Any, call_next: Any) -> Generator[Any, Any, Any]:
        result = yield
        return result.upper()

    add(POINT, wrap)
    assert call(manager, Body()) == "RESULT"


def test_replace_none_makes_the_result_none(manager: HookManager, add: Add) -> None:
    def wrap(ctx: Any, call_next: Any) -> Generator[Any, Any, Any]:
        yield
        return Replace(None)

    add(POINT, wrap)
    assert call(manager, Body()) is None


def test_a_yielded_payload_is_what_the_operation_gets(manager: HookManager, add: Add) -> None:
    def wrap(ctx: Any, call_next: Any) -> Generator[Any, Any, Any]:
        yield {"b": 2}

    add(POINT, wrap)
    body = Body()
    call(manager, body, a=1)
    assert body.payloads == [{"b": 2}]


def test_an_assigned_payload_is_what_the_operation_gets(manager: HookManager, add: Add) -> None:
    def wrap(ctx: Any, call_next: Any) -> Generator[Any, Any, Any]:
        ctx.payload = {"b": 2}
        yield

    add(POINT, wrap)
    body = Body()
    call(manager, body, a=1)
    assert body.payloads == [{"b": 2}]


def test_a_value_returned_before_the_yield_short_circuits(manager: HookManager, add: Add) -> None:
    def wrap(ctx: Any, call_next: Any) -> Generator[Any, Any, Any]:
        if ctx.payload:
            return "cached"
        yield

    add(POINT, wrap)
    body = Body()
    assert (call(manager, body, a=1), body.payloads) == ("cached", [])


def test_a_short_circuit_with_none_takes_replace(manager: HookManager, add: Add) -> None:
    def wrap(ctx: Any, call_next: Any) -> Generator[Any, Any, Any]:
        if ctx.payload:
            return Replace(None)
        yield

    add(POINT, wrap)
    body = Body()
    assert (call(manager, body, a=1), body.payloads) == (None, [])


@pytest.mark.parametrize("after", [False, True])
def test_a_returned_abort_aborts(manager: HookManager, add: Add, after: Any) -> None:
    def wrap(ctx: Any, call_next: Any) -> Generator[Any, Any, Any]:
        if after:
            yield
        return Abort("no")
        yield

    add(POINT, wrap, name="guard")
    with pytest.raises(HookAborted) as caught:
        call(manager, Body())
    assert (caught.value.reason, caught.value.source) == ("no", "guard.wrap")


@pytest.mark.parametrize("answer", [HookAborted("no"), HookAborted, Abort, Replace(Abort("no"))])
def test_a_near_miss_of_an_abort_is_a_failure(manager: HookManager, add: Add, answer: Any) -> None:
    def wrap(ctx: Any, call_next: Any) -> Generator[Any, Any, Any]:
        yield
        return answer

    add(POINT, wrap, name="guard", on_error="deny")
    with pytest.raises(HookAborted) as caught:
        call(manager, Body())
    assert caught.value.source == "guard"


def test_the_first_in_order_is_the_outermost(manager: HookManager, add: Add) -> None:
    steps: list[str] = []

    def named(name: str) -> Callable[..., Generator[Any, Any, Any]]:
        def wrap(ctx: Any, call_next: Any) -> Generator[Any, Any, Any]:
            steps.append(f"{name} in")
            yield
            steps.append(f"{name} out")

        return wrap

    add(POINT, named("c"), trylast=True)
    add(POINT, named("b"), priority=5)
    add(POINT, named("a"), tryfirst=True)
    call(manager, lambda payload: steps.append("body"))
    assert steps == ["a in", "b in", "c in", "body", "c out", "b out", "a out"]


def test_what_the_operation_raises_reaches_the_hook_and_the_host(
    manager: HookManager, add: Add
) -> None:
    seen: list[Any] = []

    def wrap(ctx: Any, call_next: Any) -> Generator[Any, Any, Any]:
        try:
            yield
        except LookupError as error:
            seen.append(error)
            raise

    add(POINT, wrap, on_error="deny")
    problem = LookupError("gone")
    with pytest.raises(LookupError) as caught:
        call(manager, Body(problem))
    assert caught.value is problem
    assert seen == [problem]


def test_what_the_operation_raises_is_no_failure_of_the_hook(
    manager: HookManager, add: Add, events: Events
) -> None:
    add(POINT, passing, on_error="deny")
    with pytest.raises(LookupError):
        call(manager, Body(LookupError()))
    [event] = events
    assert (event.outcome, event.error_count, event.hook_count) == ("proceeded", 0, 1)
    assert [record.verdict for record in event.records] == ["allow"]


def test_an_abort_of_the_operations_own_is_no_abort_of_the_dispatch(
    manager: HookManager, add: Add, events: Events
) -> None:
    add(POINT, passing)
    with pytest.raises(HookAborted):
        call(manager, Body(HookAborted("an inner call was denied")))
    assert [event.outcome for event in events] == ["proceeded"]


def test_a_hook_may_put_a_value_in_the_place_of_an_error(manager: HookManager, add: Add) -> None:
    def wrap(ctx: Any, call_next: Any) -> Generator[Any, Any, Any]:
        try:
            yield
        except LookupError:
            return "fallback"

    add(POINT, wrap)
    assert call(manager, Body(LookupError())) == "fallback"


def test_a_hook_that_swallows_an_error_leaves_none(manager: HookManager, add: Add) -> None:
    def wrap(ctx: Any, call_next: Any) -> Generator[Any, Any, Any]:
        with suppress(LookupError):
            yield

    add(POINT, wrap)
    assert call(manager, Body(LookupError())) is None


def test_a_hook_cannot_swallow_an_interrupt(manager: HookManager, add: Add) -> None:
    def wrap(ctx: Any, call_next: Any) -> Generator[Any, Any, Any]:
        try:
            yield
        except BaseException:  # noqa: BLE001 - this is the misbehaviour
            return "swallowed"

    add(POINT, wrap)
    with pytest.raises(KeyboardInterrupt):
        call(manager, Body(KeyboardInterrupt()))


@pytest.mark.parametrize("broken", [broken_before, broken_after])
def test_a_failure_under_allow_leaves_the_operation_as_it_is(
    manager: HookManager, add: Add, broken: Any, events: Events
) -> None:
    add(POINT, broken)
    body = Body()
    assert (call(manager, body), len(body.payloads)) == ("result", 1)
    [record] = events[0].records
    assert (record.verdict, record.effect) == ("error", "ignored")


@pytest.mark.parametrize(("broken", "runs"), [(broken_before, 0), (broken_after, 1)])
def test_a_failure_under_deny_is_an_abort(
    manager: HookManager, add: Add, broken: Any, runs: int, events: Events
) -> None:
    add(POINT, broken, name="guard", on_error="deny")
    body = Body()
    with pytest.raises(HookAborted) as caught:
        call(manager, body)
    assert (caught.value.source, len(body.payloads)) == ("guard", runs)
    assert [event.outcome for event in events] == ["aborted"]


@pytest.mark.parametrize("broken", [broken_before, broken_after])
def test_a_failure_under_raise_reaches_the_host(
    manager: HookManager, add: Add, broken: Any, events: Events
) -> None:
    add(POINT, broken, on_error="raise")
    with pytest.raises(ZeroDivisionError):
        call(manager, Body())
    assert (events[0].outcome, events[0].abort_reason) == ("aborted", "ZeroDivisionError")


def test_a_failure_after_the_operations_error_lets_that_error_stand(
    manager: HookManager, add: Add
) -> None:
    def wrap(ctx: Any, call_next: Any) -> Generator[Any, Any, Any]:
        try:
            yield
        except LookupError:
            raise ZeroDivisionError from None

    add(POINT, wrap)
    body = Body(LookupError())
    with pytest.raises(LookupError):
        call(manager, body)
    assert len(body.payloads) == 1


def test_what_a_failed_hook_assigned_does_not_reach_the_operation(
    manager: HookManager, add: Add
) -> None:
    def wrap(ctx: Any, call_next: Any) -> Generator[Any, Any, Any]:
        ctx.payload = {"b": 2}
        raise ZeroDivisionError
        yield

    add(POINT, wrap)
    body = Body()
    call(manager, body, a=1)
    assert body.payloads == [{"a": 1}]


def test_a_second_yield_is_a_failure_that_leaves_the_result(
    manager: HookManager, add: Add, events: Events
) -> None:
    def wrap(ctx: Any, call_next: Any) -> Generator[Any, Any, Any]:
        yield
        yield

    add(POINT, wrap)
    body = Body()
    assert (call(manager, body), len(body.payloads)) == ("result", 1)
    assert events[0].error_count == 1


def test_a_generator_that_ends_without_a_yield_or_a_value_has_failed(
    manager: HookManager, add: Add, events: Events
) -> None:
    def wrap(ctx: Any, call_next: Any) -> Generator[Any, Any, Any]:
        if not ctx.payload:
            yield

    add(POINT, wrap)
    body = Body()
    assert (call(manager, body, a=1), len(body.payloads)) == ("result", 1)
    assert events[0].error_count == 1


def test_a_generator_that_uses_call_next_has_failed(manager: HookManager, add: Add) -> None:
    def wrap(ctx: Any, call_next: Any) -> Generator[Any, Any, Any]:
        call_next()
        yield

    add(POINT, wrap, on_error="raise")
    with pytest.raises(RuntimeError, match="one yield"):
        call(manager, Body())


def test_the_parameters_may_stand_in_the_other_order(manager: HookManager, add: Add) -> None:
    def wrap(call_next: Any, ctx: Any) -> Generator[Any, Any, Any]:
        yield {"seen": ctx.tool_name}

    add(POINT, wrap, on_error="raise")
    body = Body()
    call(manager, body)
    assert body.payloads == [{"seen": "x"}]


def test_an_async_wrap_is_refused_at_the_call_of_a_sync_host(
    manager: HookManager, add: Add
) -> None:
    async def wrap(ctx: Any, call_next: Any) -> Any:
        return await call_next()

    add(POINT, wrap)
    body = Body()
    with pytest.raises(RegistrationError, match="one yield"):
        call(manager, body)
    assert body.payloads == []


async def _async_wrap(ctx: Any, call_next: Any) -> Any:
    return await call_next()


async def _stream_wrap(ctx: Any, call_next: Any) -> Any:
    async for event in call_next():
        yield event


@pytest.mark.parametrize("wrap", [_async_wrap, _stream_wrap])
def test_an_async_wrap_is_refused_where_a_sync_host_registers_it(
    wrap: Any, make_plugin: Any
) -> None:
    manager = HookManager(sync=True)
    with pytest.raises(RegistrationError, match="one yield"):
        manager.register(make_plugin(POINT, wrap))
    assert manager.plugins() == ()


# Monitor mode


def test_a_monitored_wrap_changes_nothing(manager: HookManager, add: Add, events: Events) -> None:
    def wrap(ctx: Any, call_next: Any) -> Generator[Any, Any, Any]:
        result = yield {"b": 2}
        result.append("edited")
        return "replaced"

    add(POINT, wrap, monitor=True)
    body = Body([])
    assert (call(manager, body, a=1), body.payloads) == ([], [{"a": 1}])
    [record] = events[0].records
    assert (record.verdict, record.effect) == ("modify", "observed")
    assert events[0].outcome == "proceeded"


def test_a_monitored_wrap_that_passes_everything_on_is_an_allow(
    manager: HookManager, add: Add, events: Events
) -> None:
    def wrap(ctx: Any, call_next: Any) -> Generator[Any, Any, Any]:
        return (yield)

    add(POINT, wrap, monitor=True)
    call(manager, Body(["a"]))
    assert [record.verdict for record in events[0].records] == ["allow"]


def test_a_monitored_wrap_that_aborts_stops_nothing(
    manager: HookManager, add: Add, events: Events
) -> None:
    def wrap(ctx: Any, call_next: Any) -> Generator[Any, Any, Any]:
        raise HookAborted("no")
        yield

    add(POINT, wrap, monitor=True)
    body = Body()
    assert (call(manager, body), len(body.payloads)) == ("result", 1)
    assert [record.verdict for record in events[0].records] == ["deny"]


def test_a_monitored_wrap_cannot_swallow_the_operations_error(
    manager: HookManager, add: Add
) -> None:
    def wrap(ctx: Any, call_next: Any) -> Generator[Any, Any, Any]:
        with suppress(LookupError):
            yield

    add(POINT, wrap, monitor=True)
    with pytest.raises(LookupError):
        call(manager, Body(LookupError()))


def test_the_operation_runs_once_inside_a_monitored_short_circuit(
    manager: HookManager, add: Add
) -> None:
    def wrap(ctx: Any, call_next: Any) -> Generator[Any, Any, Any]:
        if not ctx.payload:
            yield
        return "cached"

    add(POINT, wrap, monitor=True)
    body = Body(LookupError(), "second run")
    with pytest.raises(LookupError):
        call(manager, body, a=1)
    assert len(body.payloads) == 1


class Uncopyable:
    def __deepcopy__(self, memo: Any) -> Any:
        raise TypeError("there is one of me")


def test_a_monitored_wrap_that_cannot_be_given_a_copy_disturbs_nothing(
    manager: HookManager, add: Add, events: Events
) -> None:
    add(POINT, passing, monitor=True)
    body = Body()
    assert call(manager, body, one=Uncopyable()) == "result"
    assert [record.verdict for record in events[0].records] == ["error"]


def test_a_monitored_wrap_that_cannot_be_shown_the_result_disturbs_nothing(
    manager: HookManager, add: Add
) -> None:
    add(POINT, passing, monitor=True)
    result = Uncopyable()
    body = Body(result)
    assert call(manager, body) is result
    assert len(body.payloads) == 1


# Re-entrancy and telemetry


def test_the_operation_is_not_inside_the_hook(manager: HookManager, add: Add) -> None:
    depth: list[str] = []

    def wrap(ctx: Any, call_next: Any) -> Generator[Any, Any, Any]:
        depth.append(ctx.tool_name)
        yield

    add(POINT, wrap)
    manager.call_tool("outer", {}, lambda given: manager.call_tool("inner", {}, lambda given: 1))
    assert depth == ["outer", "inner"]


def test_a_call_that_a_wrap_makes_itself_does_not_reach_it_again(
    manager: HookManager, add: Add, events: Events
) -> None:
    depth: list[str] = []

    def wrap(ctx: Any, call_next: Any) -> Generator[Any, Any, Any]:
        depth.append(ctx.tool_name)
        manager.call_tool("lookup", {}, lambda given: 1)
        yield

    add(POINT, wrap)
    manager.call_tool("outer", {}, lambda given: 1)
    assert depth == ["outer"]
    assert [event.tool for event in events] == ["outer"]


def test_one_event_tells_of_all_layers(manager: HookManager, add: Add, events: Events) -> None:
    def changing(ctx: Any, call_next: Any) -> Generator[Any, Any, Any]:
        yield
        return "other"

    add(POINT, passing, name="a")
    add(POINT, changing, name="b")
    add(POINT, passing, name="c")
    call(manager, Body())
    [event] = events
    assert (event.interception_point, event.outcome, event.hook_count) == (POINT, "modified", 3)
    assert {record.plugin: record.verdict for record in event.records} == {
        "a": "allow",
        "b": "modify",
        "c": "allow",
    }


def test_an_abort_of_an_inner_hook_is_an_allow_of_the_outer_one(
    manager: HookManager, add: Add, events: Events
) -> None:
    def stopping(ctx: Any, call_next: Any) -> Generator[Any, Any, Any]:
        raise HookAborted("no")
        yield

    add(POINT, passing, name="outer")
    add(POINT, stopping, name="inner")
    with pytest.raises(HookAborted):
        call(manager, Body())
    assert events[0].outcome == "aborted"
    assert [(record.plugin, record.verdict) for record in events[0].records] == [
        ("inner", "deny"),
        ("outer", "allow"),
    ]


def test_an_edit_of_the_result_in_place_is_told_where_edits_are_tracked(
    make_plugin: Any,
) -> None:
    def wrap(ctx: Any, call_next: Any) -> Generator[Any, Any, Any]:
        result = yield
        result.append("edited")

    manager = HookManager(track_mutations=True)
    manager.register(make_plugin(POINT, wrap))
    seen: Events = []
    manager.subscribe(seen.append)
    assert call(manager, Body([])) == ["edited"]
    assert [event.outcome for event in seen] == ["modified"]
