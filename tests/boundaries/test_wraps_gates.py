"""Gates stand innermost: they judge again what a wrap passes on, and only that is used."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Generator
from typing import Any

import pytest

from hookcore import HookAborted, HookManager

Add = Callable[..., str]


class Gate:
    """A gate that keeps what it judged and stops what it does not like."""

    def __init__(self) -> None:
        self.judged: list[Any] = []

    def judge(self, ctx: Any) -> None:
        """Judge a call."""
        self.judged.append((ctx.tool_name, dict(ctx.payload)))
        if ctx.payload.get("path") == "/etc/shadow":
            raise HookAborted("not that file", source="gate")


@pytest.fixture
def gate(add: Add) -> Gate:
    made = Gate()
    add("pre_tool_call", made.judge, gate=True)
    return made


def replacing(ctx: Any, call_next: Any) -> Generator[Any, Any, Any]:
    yield {"path": "/etc/shadow"}


def editing(ctx: Any, call_next: Any) -> Generator[Any, Any, Any]:
    ctx.payload["path"] = "/etc/shadow"
    yield


def passing(ctx: Any, call_next: Any) -> Generator[Any, Any, Any]:
    yield


@pytest.mark.parametrize("wrap", [replacing, editing])
def test_what_a_wrap_passes_on_is_judged_again(
    manager: HookManager, add: Add, gate: Gate, wrap: Any
) -> None:
    add("wrap_tool_call", wrap)
    ran: list[Any] = []
    with pytest.raises(HookAborted, match="not that file"):
        manager.call_tool("read", {"path": "a"}, ran.append)
    assert ran == []
    assert gate.judged == [("read", {"path": "a"}), ("read", {"path": "/etc/shadow"})]


def test_what_a_wrap_only_passes_on_is_judged_once(
    manager: HookManager, add: Add, gate: Gate
) -> None:
    add("wrap_tool_call", passing)
    manager.call_tool("read", {"path": "a"}, lambda given: 1)
    assert gate.judged == [("read", {"path": "a"})]


def test_an_equal_payload_is_judged_once(manager: HookManager, add: Add, gate: Gate) -> None:
    def wrap(ctx: Any, call_next: Any) -> Generator[Any, Any, Any]:
        yield dict(ctx.payload)

    add("wrap_tool_call", wrap)
    manager.call_tool("read", {"path": "a"}, lambda given: 1)
    assert len(gate.judged) == 1


def test_without_a_wrap_even_a_payload_that_has_no_digest_is_judged_once(
    manager: HookManager, gate: Gate
) -> None:
    manager.call_tool("read", {"path": "a", "handle": object()}, lambda given: 1)
    assert len(gate.judged) == 1


def test_a_renamed_tool_is_judged_by_the_gates_of_its_new_name(
    manager: HookManager, add: Add
) -> None:
    def wrap(ctx: Any, call_next: Any) -> Generator[Any, Any, Any]:
        ctx.tool_name = "delete"
        yield

    def no_deletes(ctx: Any) -> None:
        raise HookAborted("no deletes")

    add("wrap_tool_call", wrap)
    add("pre_tool_call", no_deletes, gate=True, tools=["delete"])
    ran: list[Any] = []
    with pytest.raises(HookAborted, match="no deletes"):
        manager.call_tool("read", {}, ran.append, resolve=lambda name: ran.append)
    assert ran == []


def test_a_denial_in_there_is_a_denial_of_the_call(
    manager: HookManager, add: Add, gate: Gate, finished: Any
) -> None:
    ends = finished("tool_finished")
    add("wrap_tool_call", replacing)
    denied = manager.call_tool("read", {"path": "a"}, lambda given: 1, on_denied="return")
    assert denied.source == "gate"
    assert ends == [("denied", False)]


def test_a_wrap_may_answer_for_a_call_that_a_gate_denied_in_there(
    manager: HookManager, add: Add, gate: Gate
) -> None:
    def wrap(ctx: Any, call_next: Any) -> Generator[Any, Any, Any]:
        try:
            yield {"path": "/etc/shadow"}
        except HookAborted:
            return "nothing to see"

    add("wrap_tool_call", wrap)
    ran: list[Any] = []
    assert manager.call_tool("read", {"path": "a"}, ran.append) == "nothing to see"
    assert ran == []


def test_each_retry_gets_a_copy_of_what_was_judged(manager: HookManager, add: Add) -> None:
    given: list[Any] = []

    async def retrying(ctx: Any, call_next: Any) -> Any:
        try:
            return await call_next()
        except ConnectionError:
            return await call_next()

    def body(payload: Any) -> Any:
        given.append(dict(payload))
        payload["path"] = "/etc/shadow"
        if len(given) == 1:
            raise ConnectionError
        return 1

    gate = Gate()
    add("pre_tool_call", gate.judge, gate=True)
    add("wrap_tool_call", retrying)
    assert asyncio.run(manager.acall_tool("read", {"path": "a"}, body)) == 1
    assert given == [{"path": "a"}, {"path": "a"}]


def test_an_edit_while_the_gates_judge_again_does_not_reach_the_operation(
    manager: HookManager, add: Add
) -> None:
    kept: list[Any] = []
    given: list[Any] = []

    async def wrap(ctx: Any, call_next: Any) -> Any:
        kept.append(ctx)
        payload = {"path": "b"}
        kept.append(payload)
        return await call_next(payload)

    async def slow(ctx: Any) -> None:
        if not kept:
            return
        await asyncio.sleep(0)
        kept[0].payload["path"] = "/etc/shadow"
        kept[1]["path"] = "/etc/shadow"
        kept[0].tool_name = "delete"

    add("wrap_tool_call", wrap)
    add("pre_tool_call", slow, gate=True)
    asyncio.run(manager.acall_tool("read", {"path": "a"}, given.append))
    assert given == [{"path": "b"}]


def test_an_edit_by_a_listener_does_not_reach_the_operation(manager: HookManager, add: Add) -> None:
    kept: list[Any] = []
    given: list[Any] = []

    async def listener(ctx: Any) -> None:
        kept[0].payload["path"] = "/etc/shadow"
        kept[0].tool_name = "delete"

    add("pre_tool_call", kept.append)
    add("pre_tool_call", lambda ctx: None, gate=True)
    add("hook_dispatched", listener)
    asyncio.run(manager.acall_tool("read", {"path": "a"}, given.append))
    assert given == [{"path": "a"}]


def test_an_edit_at_model_input_does_not_reach_the_model(manager: HookManager, add: Add) -> None:
    kept: list[Any] = []
    sent: list[Any] = []

    async def meddling(ctx: Any) -> None:
        ctx.payload.append("by the observer's own")
        kept[0].payload.append("by the context that the pre hook kept")

    add("pre_model_call", kept.append)
    add("pre_model_call", lambda ctx: None, gate=True)
    add("model_input", meddling)
    asyncio.run(manager.acall_model(["hi"], sent.append))
    assert sent == [["hi"]]


def test_messages_that_a_wrap_changes_are_judged_again(manager: HookManager, add: Add) -> None:
    def wrap(ctx: Any, call_next: Any) -> Generator[Any, Any, Any]:
        yield [*ctx.messages, "secret"]

    def no_secrets(ctx: Any) -> None:
        if "secret" in ctx.messages:
            raise HookAborted("secret")

    add("wrap_model_call", wrap)
    add("pre_model_call", no_secrets, gate=True)
    sent: list[Any] = []
    with pytest.raises(HookAborted, match="secret"):
        manager.call_model(["hi"], sent.append)
    assert sent == []


def test_another_model_is_judged_again(manager: HookManager, add: Add) -> None:
    def wrap(ctx: Any, call_next: Any) -> Generator[Any, Any, Any]:
        ctx.model = "large"
        yield

    def small_only(ctx: Any) -> None:
        if ctx.model != "small":
            raise HookAborted(f"not {ctx.model}")

    add("wrap_model_call", wrap)
    add("pre_model_call", small_only, gate=True)
    with pytest.raises(HookAborted, match="not large"):
        manager.call_model(["hi"], lambda sent: 1, model="small")
