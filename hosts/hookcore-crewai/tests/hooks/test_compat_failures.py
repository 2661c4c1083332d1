"""Hooks that fail, abort, or let pass what no hook may keep."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from hookcore import HookAborted, HookDispatchedEvent
from hookcore.errors import RegistrationError
from hookcore_crewai.hooks import (
    InterceptionPoint,
    ToolCallHookContext,
    dispatch,
    on,
    register_hook,
)
from hookcore_crewai.hooks.contexts import OutputContext, StepContext
from hookcore_crewai.hooks.tool_hooks import run_before_tool_call_hooks

P = InterceptionPoint
YELLOW = "\033[93m"


def fail(ctx: Any) -> None:
    raise ValueError("a bug")


def test_a_failure_is_swallowed_and_later_hooks_run() -> None:
    register_hook(P.OUTPUT, fail)
    register_hook(P.OUTPUT, lambda ctx: "new")
    assert dispatch(P.OUTPUT, OutputContext(payload="old")).payload == "new"


def test_a_failure_is_printed_in_yellow(capsys: pytest.CaptureFixture[str]) -> None:
    register_hook(P.OUTPUT, fail)
    dispatch(P.OUTPUT, OutputContext())
    out = capsys.readouterr().out
    assert YELLOW in out
    assert "output" in out
    assert "a bug" in out


def test_without_verbose_a_failure_is_not_printed(capsys: pytest.CaptureFixture[str]) -> None:
    register_hook(P.OUTPUT, fail)
    dispatch(P.OUTPUT, OutputContext(), verbose=False)
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize("verbose", [True, False])
def test_at_a_tool_call_the_agents_verbosity_counts(
    *, verbose: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    register_hook(P.PRE_TOOL_CALL, fail)
    agent = SimpleNamespace(role="Worker", verbose=verbose)
    run_before_tool_call_hooks(ToolCallHookContext("t", {}, None, agent))
    assert ("a bug" in capsys.readouterr().out) is verbose


def test_a_failure_is_logged_and_counted(
    caplog: pytest.LogCaptureFixture, events: list[HookDispatchedEvent]
) -> None:
    register_hook(P.OUTPUT, fail)
    dispatch(P.OUTPUT, OutputContext(), verbose=False)
    assert "hook fail at output failed" in caplog.text
    assert (events[0].outcome, events[0].error_count) == ("proceeded", 1)


def test_a_failing_hook_lets_the_tool_run() -> None:
    register_hook(P.PRE_TOOL_CALL, fail)
    assert run_before_tool_call_hooks(ToolCallHookContext("t", {}, None)) is False


def test_what_a_failing_hook_had_assigned_is_discarded() -> None:
    def half(ctx: Any) -> None:
        ctx.payload = "half done"
        raise ValueError("a bug")

    register_hook(P.OUTPUT, half)
    assert dispatch(P.OUTPUT, OutputContext(payload="old"), verbose=False).payload == "old"


def test_an_abort_without_a_source_names_the_hook() -> None:
    def guard(ctx: Any) -> None:
        raise HookAborted("no")

    register_hook(P.PRE_STEP, guard)
    with pytest.raises(HookAborted) as caught:
        dispatch(P.PRE_STEP, StepContext())
    assert caught.value.source is guard


def test_an_abort_of_a_filtered_hook_names_the_function_itself(
    events: list[HookDispatchedEvent],
) -> None:
    @on(P.PRE_TOOL_CALL, tools=["t"])
    def guard(ctx: Any) -> None:
        raise HookAborted("no")

    assert run_before_tool_call_hooks(ToolCallHookContext("t", {}, None)) is True
    assert (events[0].abort_reason, events[0].abort_source) == ("no", "guard")


def test_a_source_that_the_hook_gives_stays() -> None:
    def guard(ctx: Any) -> None:
        raise HookAborted("no", source="policy")

    register_hook(P.PRE_STEP, guard)
    with pytest.raises(HookAborted) as caught:
        dispatch(P.PRE_STEP, StepContext())
    assert caught.value.source == "policy"


@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit, GeneratorExit])
def test_what_is_no_ordinary_exception_passes_and_shows(
    error: type[BaseException], events: list[HookDispatchedEvent]
) -> None:
    def stop(ctx: Any) -> None:
        raise error

    register_hook(P.PRE_STEP, stop)
    with pytest.raises(error):
        dispatch(P.PRE_STEP, StepContext())
    assert (events[0].outcome, events[0].abort_reason) == ("aborted", error.__name__)


def test_points_may_be_given_as_strings(
    events: list[HookDispatchedEvent], capsys: pytest.CaptureFixture[str]
) -> None:
    register_hook("input", fail)
    dispatch("input", StepContext(payload="x"))
    assert "a bug" in capsys.readouterr().out
    assert [event.interception_point for event in events] == ["input"]


def test_a_hook_that_cannot_take_a_context_is_refused_at_once() -> None:
    def hook(ctx: Any, other: Any) -> None: ...

    with pytest.raises(RegistrationError, match="must take 1 argument"):
        register_hook(P.PRE_STEP, hook)


def test_a_refused_hook_is_not_listed() -> None:
    from hookcore_crewai.hooks import get_hooks

    def hook(ctx: Any, other: Any) -> None: ...

    with pytest.raises(RegistrationError):
        register_hook(P.PRE_STEP, hook)
    assert get_hooks(P.PRE_STEP) == []
