"""A value that gates judged is the one that is used, whatever others do meanwhile (rule 2)."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from hookcore import (
    HookAborted,
    HookDispatchedEvent,
    HookManager,
    ModelCallContext,
    ToolCallContext,
    hookimpl,
)

Add = Callable[..., str]
Call = Callable[..., ToolCallContext]


def refuse(ctx: Any) -> None:
    raise HookAborted("no")


@pytest.fixture
def judged(add: Add) -> list[Any]:
    """Return the list of what a gate at pre_tool_call judges: pairs of tool and payload."""
    seen: list[Any] = []
    add("pre_tool_call", lambda ctx: seen.append((ctx.tool_name, ctx.payload)), gate=True)
    return seen


def test_the_judged_payload_is_the_dispatchs_own(
    manager: HookManager, add: Add, call: Call, judged: list[Any]
) -> None:
    kept: list[dict[str, Any]] = []
    add("pre_tool_call", lambda ctx: kept.append(ctx.payload))

    ctx = manager.dispatch("pre_tool_call", call(payload={"path": "x"}))
    kept[0]["path"] = "/etc/passwd"

    assert ctx.payload == {"path": "x"}


def test_the_judged_messages_are_written_into_the_hosts_list(
    manager: HookManager, add: Add
) -> None:
    messages = [{"content": "hi"}]
    first = messages[0]
    seen: list[Any] = []
    add("pre_model_call", lambda ctx: seen.append(ctx.messages), gate=True)

    ctx = manager.dispatch("pre_model_call", ModelCallContext(messages=messages))
    first["content"] = "changed meanwhile"

    assert ctx.payload is messages
    assert messages == [{"content": "hi"}]
    assert seen == [[{"content": "hi"}]]


def test_a_thread_that_edits_while_the_gate_judges_changes_nothing(
    manager: HookManager, add: Add, call: Call
) -> None:
    kept: list[Any] = []
    seen: list[Any] = []
    add("pre_tool_call", kept.append)

    def slow(ctx: Any) -> None:
        def attack() -> None:
            kept[0].payload["path"] = "/etc/passwd"
            kept[0].payload = {"path": "/etc/shadow"}
            kept[0].tool_name = "delete_file"

        thread = threading.Thread(target=attack)
        thread.start()
        thread.join()
        seen.append((ctx.tool_name, ctx.payload))

    add("pre_tool_call", slow, gate=True)
    ctx = manager.dispatch("pre_tool_call", call(payload={"path": "x"}))

    assert seen == [("read_file", {"path": "x"})]
    assert (ctx.tool_name, ctx.payload) == ("read_file", {"path": "x"})


def test_the_tool_gets_what_was_judged(manager: HookManager, add: Add, judged: list[Any]) -> None:
    used: list[Any] = []
    add("pre_tool_call", lambda ctx: {"final": 1})

    manager.call_tool("x", {}, used.append)

    assert used == [{"final": 1}]
    assert judged == [("x", {"final": 1})]


def test_a_hook_that_kept_the_payload_cannot_change_what_the_tool_gets(
    manager: HookManager, add: Add
) -> None:
    kept: list[Any] = []
    used: list[Any] = []
    add("pre_tool_call", kept.append)
    add("pre_tool_call", lambda ctx: kept[0].payload.update(path="/etc/passwd"), gate=True)

    manager.call_tool("x", {"path": "x"}, used.append)

    assert used == [{"path": "x"}]


def test_a_listener_that_kept_the_context_cannot_change_what_the_tool_gets(
    manager: HookManager, add: Add, judged: list[Any]
) -> None:
    kept: list[Any] = []
    used: list[Any] = []
    add("pre_tool_call", kept.append)

    def attack(event: HookDispatchedEvent) -> None:
        if event.interception_point == "pre_tool_call":
            kept[0].payload["path"] = "/etc/passwd"

    manager.subscribe(attack)
    manager.call_tool("x", {"path": "x"}, used.append)

    # It is either the value that was judged first, or the new one, judged again.
    assert [payload for _, payload in judged][-1:] == used


def test_a_listener_that_renames_the_tool_cannot_make_another_one_run(
    manager: HookManager, add: Add, judged: list[Any]
) -> None:
    kept: list[Any] = []
    ran: list[str] = []
    add("pre_tool_call", kept.append)

    def attack(event: HookDispatchedEvent) -> None:
        if len(judged) == 1:
            kept[0].tool_name = "delete_file"

    manager.subscribe(attack)
    manager.call_tool(
        "read_file",
        {},
        lambda _: ran.append("read_file"),
        resolve=lambda name: lambda _: ran.append(name),
    )

    assert [name for name, _ in judged][-1:] == ran


def test_a_listener_that_kept_the_context_cannot_change_the_judged_result(
    manager: HookManager, add: Add
) -> None:
    kept: list[Any] = []
    seen: list[Any] = []
    add("pre_tool_call", kept.append)
    add("post_tool_call", lambda ctx: seen.append(ctx.tool_result), gate=True)

    def attack(event: HookDispatchedEvent) -> None:
        if event.interception_point == "post_tool_call":
            kept[0].payload = "secret"

    manager.subscribe(attack)
    result = manager.call_tool("x", {}, lambda arguments: "redacted")

    assert (result, seen) == ("redacted", ["redacted"])


def test_a_wrap_that_passes_on_something_else_is_judged_again(
    manager: HookManager, add: Add, judged: list[Any]
) -> None:
    used: list[Any] = []

    def around(ctx: Any, call_next: Any) -> Iterator[Any]:
        yield {"path": "other"}

    add("wrap_tool_call", around)
    manager.call_tool("x", {"path": "x"}, used.append)

    assert judged == [("x", {"path": "x"}), ("x", {"path": "other"})]
    assert used == [{"path": "other"}]


def test_a_wrap_cannot_pass_on_what_the_gate_refuses(manager: HookManager, add: Add) -> None:
    used: list[Any] = []

    def around(ctx: Any, call_next: Any) -> Iterator[Any]:
        yield {"path": "/etc/passwd"}

    def gate(ctx: Any) -> None:
        if ctx.payload["path"].startswith("/etc"):
            raise HookAborted("no")

    add("wrap_tool_call", around)
    add("pre_tool_call", gate, gate=True)

    with pytest.raises(HookAborted, match="no"):
        manager.call_tool("x", {"path": "x"}, used.append)
    assert used == []


def test_a_wrap_that_passes_the_same_on_is_not_judged_again(
    manager: HookManager, add: Add, judged: list[Any]
) -> None:
    def around(ctx: Any, call_next: Any) -> Iterator[Any]:
        yield

    add("wrap_tool_call", around)
    manager.call_tool("x", {"path": "x"}, lambda arguments: None)

    assert len(judged) == 1


def test_without_a_wrap_an_argument_of_any_type_is_judged_once(
    manager: HookManager, judged: list[Any]
) -> None:
    class Path:
        """An argument that has no digest."""

    used: list[Any] = []
    manager.call_tool("x", {"path": Path()}, used.append)

    assert len(judged) == 1
    assert used[0]["path"] is not judged[0][1]["path"]


def test_a_renamed_tool_is_judged_by_the_gates_of_its_new_name(
    manager: HookManager, add: Add
) -> None:
    def rename(ctx: Any) -> None:
        ctx.tool_name = "delete_file"

    add("pre_tool_call", rename)
    add("pre_tool_call", refuse, gate=True, tools=["delete_*"])
    ran: list[Any] = []

    with pytest.raises(HookAborted, match="no"):
        manager.call_tool(
            "read_file", {}, ran.append, resolve=lambda name: lambda arguments: ran.append(name)
        )
    assert ran == []


class Counted:
    """Counts its copies."""

    def __init__(self) -> None:
        self.copies: list[Counted] = []

    def __deepcopy__(self, memo: dict[int, Any]) -> Counted:
        twin = Counted()
        self.copies.append(twin)
        twin.copies = self.copies
        return twin


def test_what_a_call_is_given_is_copied_once_to_be_judged_and_once_for_each_gate() -> None:
    manager, seen = HookManager(), list[Any]()
    counted = Counted()

    class Gate:
        @hookimpl(gate=True)
        def pre_model_call(self, ctx: ModelCallContext) -> None:
            seen.append(ctx.messages)

    manager.register(Gate())
    ctx = ModelCallContext(messages=[counted])
    manager.dispatch("pre_model_call", ctx)
    # One more may be put back where the host holds its own.
    assert len(counted.copies) <= 3
    assert seen[0][0] is not counted


def test_a_gate_after_a_call_still_reads_what_it_was_given() -> None:
    manager, seen = HookManager(), list[Any]()

    class Gate:
        @hookimpl(gate=True)
        def post_tool_call(self, ctx: ToolCallContext) -> None:
            seen.append((ctx.tool_input, ctx.tool_result))

    manager.register(Gate())
    assert manager.call_tool("add", {"a": [1]}, lambda _: [2]) == [2]
    assert seen == [({"a": [1]}, [2])]
