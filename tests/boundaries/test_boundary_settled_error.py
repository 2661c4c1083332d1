"""The outcome of a body that gates judged is the one that the host goes on with."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from hookcore import HookDispatchedEvent, HookManager

Add = Callable[..., str]


def call_tool(manager: HookManager, body: Callable[[], Any]) -> Any:
    return manager.call_tool("t", {}, lambda arguments: body())


def acall_tool(manager: HookManager, body: Callable[[], Any]) -> Any:
    return asyncio.run(manager.acall_tool("t", {}, lambda arguments: body()))


CALLS = [
    pytest.param("post_tool_call", call_tool, id="tool"),
    pytest.param("post_tool_call", acall_tool, id="async tool"),
]


def fail() -> Any:
    raise LookupError("the tool failed")


@pytest.fixture(params=["while the gates judge", "when the listeners are told"])
def meddle(request: Any, manager: HookManager, add: Add) -> Callable[..., None]:
    """Return a way to change the host's context of a point once its gates have a copy.

    An ordinary hook keeps the context, as one that left a thread behind may.
    """

    def register(point: str, change: Callable[[Any], None]) -> None:
        kept: list[Any] = []
        add(point, kept.append)
        if request.param == "while the gates judge":
            add(point, lambda ctx: change(kept[0]), gate=True)
            return

        def told(event: HookDispatchedEvent) -> None:
            if event.interception_point == point:
                change(kept[0])

        add(point, lambda ctx: None, gate=True)
        manager.subscribe(told)

    return register


def forget_the_error(ctx: Any) -> None:
    ctx.error = None


def invent_an_error(ctx: Any) -> None:
    ctx.error = RuntimeError("invented")


@pytest.mark.parametrize(("point", "call"), CALLS)
def test_an_error_that_gates_judged_is_not_forgotten_behind_their_back(
    manager: HookManager, meddle: Callable[..., None], point: str, call: Callable[..., Any]
) -> None:
    meddle(point, forget_the_error)
    with pytest.raises(LookupError, match="the tool failed"):
        call(manager, fail)


@pytest.mark.parametrize(("point", "call"), CALLS)
def test_a_value_that_gates_judged_does_not_become_an_error_behind_their_back(
    manager: HookManager, meddle: Callable[..., None], point: str, call: Callable[..., Any]
) -> None:
    meddle(point, invent_an_error)
    assert call(manager, lambda: "fine") == "fine"


@pytest.mark.parametrize(("point", "call"), CALLS)
def test_a_value_in_place_of_an_error_is_judged_and_stays(
    manager: HookManager,
    add: Add,
    meddle: Callable[..., None],
    point: str,
    call: Callable[..., Any],
) -> None:
    add(point, lambda ctx: "mended", priority=1)
    meddle(point, invent_an_error)
    assert call(manager, fail) == "mended"


def test_observers_are_told_of_the_error_that_gates_judged(
    manager: HookManager, meddle: Callable[..., None], finished: Any
) -> None:
    meddle("post_tool_call", forget_the_error)
    ends = finished("tool_finished")
    with pytest.raises(LookupError):
        call_tool(manager, fail)
    assert ends == [("error", True)]
