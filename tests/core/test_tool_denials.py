"""Denials as values, arguments that do not parse, and tools that hooks rename."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from hookcore import (
    NEUTRAL_MESSAGE,
    Denied,
    HookAborted,
    HookDispatchedEvent,
    HookManager,
    ToolCallContext,
)

from .tool_ends import Ends, both, refuse, refuse_around

Add = Callable[..., str]
Call = Callable[..., ToolCallContext]
Events = list[HookDispatchedEvent]


@both
def test_on_request_a_denial_is_returned_as_a_value_for_the_model(
    manager: HookManager, add: Add, *, sync: bool
) -> None:
    add("pre_tool_call", refuse)

    if sync:
        denied = manager.call_tool("x", {}, dict, on_denied="return")
    else:
        denied = asyncio.run(manager.acall_tool("x", {}, dict, on_denied="return"))

    assert denied == Denied("guard", "Not this file.", "no", "pre_tool_call")
    assert str(denied) == "denied by guard: Not this file."


@pytest.mark.parametrize("point", ["wrap_tool_call", "post_tool_call"])
def test_a_returned_denial_names_its_point(manager: HookManager, add: Add, point: str) -> None:
    add(point, refuse_around if point.startswith("wrap") else refuse)

    denied = manager.call_tool("x", {}, dict, on_denied="return")

    assert denied.point == point


def test_a_returned_denial_shows_the_model_a_neutral_text_and_not_the_reason(
    manager: HookManager, add: Add
) -> None:
    add("pre_tool_call", lambda ctx: False, name="guard")

    denied = manager.call_tool("x", {}, dict, on_denied="return")

    assert denied.message == NEUTRAL_MESSAGE
    assert "returned False" not in str(denied)


def test_the_bodys_own_abort_is_raised_and_not_returned(manager: HookManager) -> None:
    def body(arguments: Any) -> None:
        raise HookAborted("an inner call was denied")

    with pytest.raises(HookAborted):
        manager.call_tool("x", {}, body, on_denied="return")


def test_a_near_miss_of_on_denied_is_an_error(manager: HookManager, watch: Ends) -> None:
    with pytest.raises(ValueError, match="'raise' or 'return', not 'returns'"):
        manager.call_tool("x", {}, dict, on_denied="returns")  # type: ignore[arg-type]


@pytest.mark.parametrize("text", ['{"a": 1}', b'{"a": 1}', bytearray(b'{"a": 1}')])
def test_arguments_may_be_json_text(manager: HookManager, text: Any) -> None:
    assert manager.call_tool("x", text, dict) == {"a": 1}


@pytest.mark.parametrize(
    "arguments",
    ["", "{", "null", "[]", "7", b"\xff", "[" * 100_000, None, [], 7, [("a", 1)]],
    ids=lambda arguments: repr(arguments)[:10],
)
@both
def test_arguments_that_are_no_object_are_denied_and_never_become_empty(
    manager: HookManager, arguments: Any, *, sync: bool
) -> None:
    ran: list[Any] = []

    def host() -> Any:
        if sync:
            return manager.call_tool("x", arguments, ran.append)
        return asyncio.run(manager.acall_tool("x", arguments, ran.append))

    with pytest.raises(HookAborted, match="the arguments of x") as caught:
        host()

    assert ran == []
    assert caught.value.source == "hookcore"


def test_on_request_unparsable_arguments_are_returned_as_a_denial(manager: HookManager) -> None:
    denied = manager.call_tool("x", "{", dict, on_denied="return")

    assert str(denied) == "denied by hookcore: The arguments are not a valid JSON object."
    assert denied.point == "pre_tool_call"


def test_arguments_in_a_context_are_parsed_too(manager: HookManager, call: Call) -> None:
    assert manager.call_tool(call("x", payload='{"a": 1}'), dict) == {"a": 1}


def rename(ctx: Any) -> None:
    ctx.tool_name = "other"


def test_a_renamed_tool_is_resolved_by_the_host(manager: HookManager, add: Add) -> None:
    add("pre_tool_call", rename)

    result = manager.call_tool(
        "x", {"a": 1}, lambda _: "x", resolve=lambda name: lambda given: (name, given)
    )

    assert result == ("other", {"a": 1})


def test_a_renamed_tool_is_denied_where_the_host_cannot_resolve_it(
    manager: HookManager, add: Add, watch: Ends
) -> None:
    add("pre_tool_call", rename)
    ran: list[Any] = []

    with pytest.raises(HookAborted, match="changed the tool from x to other"):
        manager.call_tool("x", {}, ran.append)
    assert (ran, watch.ends) == ([], [("denied", False, None)])


def test_a_host_that_does_not_know_the_renamed_tool_raises_its_own_error(
    manager: HookManager, add: Add, watch: Ends
) -> None:
    add("pre_tool_call", rename)

    def resolve(name: str) -> Callable[[dict[str, Any]], Any]:
        raise LookupError(name)

    with pytest.raises(LookupError):
        manager.call_tool("x", {}, dict, resolve=resolve)
    assert [end[:2] for end in watch.ends] == [("error", False)]


def test_an_event_of_a_renamed_tool_has_the_name_that_the_model_wrote(
    manager: HookManager, add: Add, events: Events
) -> None:
    add("pre_tool_call", rename)

    manager.call_tool("x", {}, dict, resolve=lambda name: dict)

    assert events[0].tool == "x"
