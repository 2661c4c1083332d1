"""A hook that fails: what its ``on_error`` makes of it, and what is told of it (rule 4)."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from hookcore import Abort, HookAborted, HookManager, ToolCallContext

Add = Callable[..., str]
Call = Callable[..., ToolCallContext]


def broken(ctx: Any) -> None:
    raise ZeroDivisionError("the secret is 42")


async def broken_async(ctx: Any) -> None:
    await asyncio.sleep(0)
    raise ZeroDivisionError("the secret is 42")


class PauseError(Exception):
    """A host's control flow."""


@pytest.mark.parametrize("function", [broken, broken_async])
def test_under_allow_the_chain_goes_on(
    manager: HookManager, add: Add, call: Call, function: Any
) -> None:
    add("pre_tool_call", function)
    add("pre_tool_call", lambda ctx: {"seen": True})

    assert manager.dispatch("pre_tool_call", call()).payload == {"seen": True}


@pytest.mark.parametrize("function", [broken, broken_async])
def test_under_deny_the_dispatch_aborts_with_the_plugin_as_source(
    manager: HookManager, add: Add, call: Call, function: Any
) -> None:
    add("pre_tool_call", function, name="guard", on_error="deny")

    with pytest.raises(HookAborted) as caught:
        manager.dispatch("pre_tool_call", call())

    assert caught.value.source == "guard"
    assert isinstance(caught.value.__cause__, ZeroDivisionError)
    assert "secret" not in caught.value.reason


@pytest.mark.parametrize("function", [broken, broken_async])
def test_under_raise_the_exception_reaches_the_host(
    manager: HookManager, add: Add, call: Call, function: Any
) -> None:
    add("pre_tool_call", function, on_error="raise")

    with pytest.raises(ZeroDivisionError):
        manager.dispatch("pre_tool_call", call())


def test_a_gate_denies_by_default(manager: HookManager, add: Add, call: Call) -> None:
    add("pre_tool_call", broken, gate=True, name="gate")

    with pytest.raises(HookAborted) as caught:
        manager.dispatch("pre_tool_call", call())
    assert caught.value.source == "gate"


def test_a_gate_allows_where_its_author_says_so(manager: HookManager, add: Add, call: Call) -> None:
    add("pre_tool_call", broken, gate=True, on_error="allow")

    assert manager.dispatch("pre_tool_call", call()).payload == {"path": "notes.txt"}


def test_a_required_plugin_denies_whatever_its_author_says(
    manager: HookManager, add: Add, call: Call
) -> None:
    operator = {"required": True, "on_error": "allow"}
    add("pre_tool_call", broken, on_error="allow", operator=operator)

    with pytest.raises(HookAborted):
        manager.dispatch("pre_tool_call", call())


@pytest.mark.parametrize("on_error", ["allow", "deny"])
def test_an_observer_that_fails_stops_nothing(
    manager: HookManager, add: Add, call: Call, on_error: str
) -> None:
    told: list[int] = []
    add("tool_finished", broken, on_error=on_error)
    add("tool_finished", lambda ctx: told.append(1))

    manager.dispatch("tool_finished", call())

    assert told == [1]


def test_under_raise_an_observers_exception_comes_after_all_have_been_told(
    manager: HookManager, add: Add, call: Call
) -> None:
    told: list[int] = []
    add("tool_finished", broken, on_error="raise")
    add("tool_finished", lambda ctx: told.append(1))

    with pytest.raises(ZeroDivisionError):
        manager.dispatch("tool_finished", call())
    assert told == [1]


@pytest.mark.parametrize("on_error", ["allow", "deny", "raise"])
@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit, asyncio.CancelledError])
def test_a_base_exception_is_never_swallowed(
    manager: HookManager, add: Add, call: Call, on_error: str, error: type[BaseException]
) -> None:
    def hook(ctx: Any) -> None:
        raise error

    add("pre_tool_call", hook, on_error=on_error)

    with pytest.raises(error):
        manager.dispatch("pre_tool_call", call())


def test_a_base_exception_in_an_async_hook_of_a_sync_host_is_never_swallowed(
    manager: HookManager, add: Add, call: Call
) -> None:
    async def hook(ctx: Any) -> None:
        raise KeyboardInterrupt

    add("pre_tool_call", hook)

    with pytest.raises(KeyboardInterrupt):
        manager.dispatch("pre_tool_call", call())


@pytest.mark.parametrize("on_error", ["allow", "deny"])
@pytest.mark.parametrize("point", ["pre_tool_call", "tool_finished"])
def test_the_hosts_control_flow_is_never_swallowed(
    one_hook: Callable[..., Any], call: Call, on_error: str, point: str
) -> None:
    def hook(ctx: Any) -> None:
        raise PauseError

    manager = HookManager(control_flow=[PauseError])
    manager.register(one_hook(point, hook, on_error=on_error))

    with pytest.raises(PauseError):
        manager.dispatch(point, call())


def test_an_abort_by_an_observer_stops_nothing(manager: HookManager, add: Add, call: Call) -> None:
    add("tool_finished", lambda ctx: Abort("no"), on_error="deny")

    assert manager.dispatch("tool_finished", call()).payload == {"path": "notes.txt"}
