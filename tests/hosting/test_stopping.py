"""A failure that must stop a run leaves it as it was raised, whatever a runtime makes of it."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest

from hookcore import HookAborted, HookManager
from hookcore.hosting import Raised, is_policy_failure, stop_if_failed, stoppable, stopping


class BrokenError(Exception):
    """A policy's failure."""


class RuntimesError(Exception):
    """The exception that a runtime makes of another."""


def fail(error: Exception, *signals: type[Exception]) -> None:
    with stopping(Raised(), *signals):
        raise error


def swallow(error: Exception) -> None:
    with suppress(type(error)):
        fail(error)


def run_of(manager: HookManager, body: Callable[[list[Exception]], None]) -> None:
    """Do something in a run that can be stopped."""
    with manager.run({}) as run, stoppable(run) as stopped:
        body(stopped)


@pytest.fixture
def broken() -> BrokenError:
    error = BrokenError()
    error.__cause__ = KeyError("the policy's own cause")
    return error


def test_a_failure_that_a_runtime_swallows_stops_the_run(
    manager: HookManager, broken: BrokenError
) -> None:
    with pytest.raises(BrokenError) as caught:
        run_of(manager, lambda _: swallow(broken))
    assert caught.value is broken


def test_what_must_stop_a_run_is_known_while_it_goes_on(
    manager: HookManager, broken: BrokenError
) -> None:
    known: list[list[Exception]] = []

    def body(stopped: list[Exception]) -> None:
        swallow(broken)
        known.append(list(stopped))

    with suppress(BrokenError):
        run_of(manager, body)
    assert known == [[broken]]


def test_a_failure_that_a_runtime_wraps_leaves_with_the_cause_that_it_had(
    manager: HookManager, broken: BrokenError
) -> None:
    def wrapped(_: Any) -> None:
        try:
            fail(broken)
        except BrokenError as error:
            raise RuntimesError from error

    with pytest.raises(BrokenError) as caught:
        run_of(manager, wrapped)
    assert isinstance(caught.value.__cause__, KeyError)


def test_a_model_is_not_asked_again_after_a_failure(
    manager: HookManager, broken: BrokenError
) -> None:
    def asking(_: Any) -> None:
        stop_if_failed()
        swallow(broken)
        with pytest.raises(BrokenError):
            stop_if_failed()

    with suppress(BrokenError):
        run_of(manager, asking)


def test_a_failure_stops_the_runs_around_the_one_that_it_is_raised_in(
    manager: HookManager, broken: BrokenError
) -> None:
    def outer(_: Any) -> None:
        with suppress(BrokenError):
            run_of(manager, lambda _: swallow(broken))

    with pytest.raises(BrokenError):
        run_of(manager, outer)


def test_a_denial_stops_only_the_run_that_it_was_said_in(manager: HookManager) -> None:
    def outer(stopped: list[Exception]) -> None:
        with pytest.raises(HookAborted):
            run_of(manager, lambda _: swallow(HookAborted("no")))
        assert not stopped

    run_of(manager, outer)


def test_the_first_failure_of_several_is_raised(manager: HookManager, broken: BrokenError) -> None:
    def body(_: Any) -> None:
        swallow(broken)
        swallow(ValueError("later"))

    with pytest.raises(BrokenError):
        run_of(manager, body)


def of_the_call(error: Exception) -> None:
    raised = Raised()
    with stopping(raised), raised:
        raise error


@pytest.mark.parametrize(
    "what",
    [
        pytest.param(lambda: fail(RuntimesError(), RuntimesError), id="a signal"),
        pytest.param(lambda: of_the_call(RuntimesError()), id="the call's own error"),
    ],
)
def test_what_is_the_runtimes_own_stops_nothing(
    manager: HookManager, what: Callable[[], None]
) -> None:
    def body(stopped: list[Exception]) -> None:
        with pytest.raises(RuntimesError):
            what()
        assert not stopped

    run_of(manager, body)


def test_an_error_that_equals_one_of_the_call_is_not_one_of_it() -> None:
    class Equal(Exception):  # noqa: N818 - what is tested
        def __eq__(self, other: object) -> bool:
            return isinstance(other, Equal)

        __hash__ = Exception.__hash__

    raised = Raised()
    with suppress(Equal), raised:
        raise Equal
    assert Equal() not in raised


def test_a_runs_own_error_leaves_it_where_nothing_must_stop_it(manager: HookManager) -> None:
    def body(_: Any) -> None:
        raise RuntimesError

    with pytest.raises(RuntimesError):
        run_of(manager, body)


def test_the_failure_of_a_policy_is_known_as_one(manager: HookManager, add: Any) -> None:
    def tool(given: Any) -> None:
        raise ValueError("the tool's own")

    add("pre_tool_call", fail_at_once, on_error="raise", tools=["broken"])
    with pytest.raises(BrokenError) as failed:
        manager.call_tool("broken", {}, tool)
    with pytest.raises(ValueError, match="own") as own:
        manager.call_tool("other", {}, tool)
    assert (is_policy_failure(failed.value), is_policy_failure(own.value)) == (True, False)


@pytest.mark.parametrize("point", ["pre_run", "post_run", "pre_tool_call", "tool_finished"])
def test_a_policys_failure_stops_the_runs_around_it_wherever_it_fails(
    manager: HookManager, add: Any, point: str
) -> None:
    add(point, lambda ctx: fail_at_once(ctx) if ctx.parent_run_id else None, on_error="raise")

    def inside(_: Any) -> None:
        manager.call_tool("work", {}, lambda given: "done")

    def outer(_: Any) -> None:
        with suppress(BrokenError):
            run_of(manager, inside)

    with pytest.raises(BrokenError):
        run_of(manager, outer)


def fail_at_once(_: Any) -> None:
    raise BrokenError


def test_outside_of_a_run_nothing_is_stopped(broken: BrokenError) -> None:
    with pytest.raises(BrokenError):
        fail(broken)
    stop_if_failed()
