"""Signals that an adapter names when it is installed, on a manager that has run for a while."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from hookcore import HookManager, hookimpl


class PauseError(Exception):
    """A runtime's signal, such as an interrupt that asks a person."""


def pause(*_: Any) -> Any:
    raise PauseError


def call(manager: HookManager, body: Callable[[Any], Any] = lambda given: "ran") -> Any:
    return manager.call_tool("t", {}, body, call_id="c1")


def test_a_hooks_signal_passes_a_plan_that_was_compiled_before(
    manager: HookManager, add: Callable[..., str]
) -> None:
    add("pre_tool_call", pause)
    assert call(manager) == "ran"  # a failure like any other, until the adapter comes
    manager.add_control_flow(PauseError)
    with pytest.raises(PauseError):
        call(manager)


@pytest.mark.parametrize("options", [{"gate": True}, {"on_error": "deny"}, {"timeout": 5.0}])
def test_whatever_a_failure_would_come_to_a_signal_passes(
    manager: HookManager, ends: Any, add: Callable[..., str], options: dict[str, Any]
) -> None:
    add("pre_tool_call", pause, **options)
    manager.add_control_flow(PauseError)
    with pytest.raises(PauseError):
        call(manager)
    assert ends.tools == [("c1", "cancelled")]


def test_a_bodys_signal_is_no_error_for_hooks_to_replace(
    manager: HookManager, ends: Any, add: Callable[..., str]
) -> None:
    add("post_tool_call", lambda ctx: "replaced")
    assert call(manager, pause) == "replaced"
    manager.add_control_flow(PauseError)
    with pytest.raises(PauseError):
        call(manager, pause)
    assert ends.tools == [("c1", "ok"), ("c1", "cancelled")]


@pytest.mark.parametrize("where", ["before", "inside"])
def test_no_wrap_swallows_a_signal(manager: HookManager, ends: Any, where: str) -> None:
    class Wrap:
        @hookimpl
        def wrap_tool_call(self, ctx: Any, call_next: Any) -> Iterator[None]:
            if where == "before":
                pause()
            try:
                yield
            except PauseError:
                return "swallowed"  # type: ignore[return-value]

    manager.register(Wrap())
    call(manager)
    manager.add_control_flow(PauseError)
    with pytest.raises(PauseError):
        call(manager, pause)
    assert ends.tools[-1] == ("c1", "cancelled")


def test_one_that_is_known_changes_nothing(manager: HookManager) -> None:
    manager.add_control_flow(PauseError, PauseError)
    before = manager.control_flow
    manager.add_control_flow(PauseError)
    assert manager.control_flow == before


def test_a_signal_is_an_exception_class(manager: HookManager) -> None:
    with pytest.raises(TypeError, match="exception classes"):
        manager.add_control_flow(PauseError())  # type: ignore[arg-type]
