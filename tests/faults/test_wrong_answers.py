"""Answers that mean nothing here deny: verdicts of others, words, generators (A15, A16, A17)."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any

import pytest

from hookcore import (
    Abort,
    HookAborted,
    HookManager,
    Replace,
    ToolCallContext,
    WrongResultError,
)

from .kit import either, outcome, tool_call

Add = Callable[..., str]

VERDICTS: list[dict[str, Any]] = [
    {"permissionDecision": "deny"},
    {"permission_decision": "DENY", "permissionDecisionReason": "no"},
    {"decision": "block", "reason": "no"},
    {"decision": "approve"},
    {"Decision": "Block"},
    {"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "deny"}},
    {"continue": False, "stopReason": "no"},
    {"behavior": "deny", "message": "no"},
    {"action": "block"},
    {"allow": False},
    {"is_allowed": False},
    {"permission": "deny", "userMessage": "no"},
    {"verdict": "reject", "score": 0.9},
    {"effect": "Deny"},
    {"status": "denied"},
    {"result": "deny", "rule": 7},
    {"ok": False, "reason": "no"},
    {"proceed": False},
    {"tripwire_triggered": True},
    {"outcome": "deny", "something": "else"},
]
BEFORE: list[dict[str, Any]] = [{}, {"path": "a"}, {"path": "a", "reason": "b", "message": "c"}]


@pytest.mark.parametrize("verdict", VERDICTS, ids=str)
@pytest.mark.parametrize("before", BEFORE, ids=str)
def test_a_verdict_of_another_framework_denies(
    manager: HookManager, add: Add, verdict: Any, before: Any
) -> None:
    add("pre_tool_call", lambda ctx: dict(verdict))

    assert tool_call(manager, dict(before)) == "denied"


def test_a_verdict_that_is_assigned_denies_too(manager: HookManager, add: Add) -> None:
    def assign(ctx: Any) -> None:
        ctx.payload = {"decision": "block"}

    add("pre_tool_call", assign)

    assert tool_call(manager) == "denied"


def test_a_verdict_says_what_to_write_instead(manager: HookManager, add: Add) -> None:
    add("pre_tool_call", lambda ctx: {"decision": "block"}, on_error="raise")

    with pytest.raises(Exception, match=r"denied|failed") as caught:
        manager.dispatch("pre_tool_call", ToolCallContext(tool_name="x", payload={"path": "a"}))

    assert isinstance(caught.value.__cause__, WrongResultError)
    assert "raises HookAborted(reason)" in str(caught.value.__cause__)


CHANGED: list[tuple[dict[str, Any], dict[str, Any]]] = [
    ({"action": "open"}, {"action": "block"}),
    ({"decision": "maybe", "pr": 1}, {"decision": "deny"}),
    ({"pr": 1}, {"pr": 1, "action": "approve"}),
    ({"pr": 1}, {"pr": 2, "decision": "reject", "status": "ok"}),
    ({"user": "eve", "op": "ban"}, {"user": "bob", "action": "block"}),
    ({"a": 1}, {"a": 1, "continue": True, "allow": False}),
    ({"message": "hi"}, {"message": "hi", "action": "approve"}),
    ({"ok": True}, {"ok": False}),
    ({"x": 1}, {"y": 2}),
    ({"text": "a"}, {"decision": "the committee decided"}),
    ({"rules": []}, {"action": {"type": "block"}}),
]


@pytest.mark.parametrize(("before", "after"), CHANGED, ids=str)
def test_arguments_that_a_hook_changed_are_no_verdict(
    manager: HookManager, add: Add, before: Any, after: Any
) -> None:
    add("pre_tool_call", lambda ctx: dict(after))

    assert tool_call(manager, before) == after


def test_arguments_that_look_like_a_verdict_are_returned_as_a_replacement(
    manager: HookManager, add: Add
) -> None:
    add("pre_tool_call", lambda ctx: Replace({"action": "approve"}))

    assert tool_call(manager, {}) == {"action": "approve"}


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('{"allowed": true}', {"allowed": True}),
        ([{"decision": "ok"}], {"decision": "ok"}),
        ({"result": {"allowed": True}}, {"allowed": True}),
        ("done", {"ok": True, "status": "ok"}),
        ({"decision": "deny", "by": "eve"}, {"decision": "deny"}),
    ],
    ids=str,
)
def test_a_result_that_a_hook_opened_is_no_verdict(
    manager: HookManager, add: Add, before: Any, after: Any
) -> None:
    add("post_tool_call", lambda ctx: after)

    assert manager.call_tool("tool", {}, lambda arguments: before) == after


def test_a_verdict_in_the_place_of_a_result_denies(manager: HookManager, add: Add) -> None:
    add("post_tool_call", lambda ctx: {"decision": "block", "reason": "no"})

    assert outcome(lambda: manager.call_tool("tool", {}, lambda arguments: "text")) == "denied"


@pytest.mark.parametrize("answer", ["deny", "DENY", "allow", True, 0, 1, [], ("deny",), b"deny"])
@pytest.mark.parametrize("kind", ["plain", "async", "timed", "wrapper", "gate", "offload"])
@pytest.mark.parametrize("on_error", ["allow", "deny", "raise"])
def test_a_wrong_answer_denies_whatever_on_error_says(
    manager: HookManager, add: Add, answer: Any, kind: str, on_error: str
) -> None:
    async def slow(ctx: Any) -> Any:
        return answer

    def around(ctx: Any) -> Any:
        yield
        return answer

    def plain(ctx: Any) -> Any:
        return answer

    functions = {"async": slow, "wrapper": around}
    known: dict[str, dict[str, Any]] = {
        "timed": {"timeout": 30},
        "wrapper": {"wrapper": True},
        "gate": {"gate": True},
        "offload": {"offload": True},
    }
    options = known.get(kind, {})
    add("pre_tool_call", functions.get(kind, plain), on_error=on_error, **options)

    for sync in (True, False):
        assert either(manager, lambda arguments: "ran", sync=sync) == "denied"


def give_generator() -> Any:
    yield 1


async def give_agenerator() -> Any:
    yield 1


async def give_value() -> str:
    return "value"


async def give_coroutine() -> Any:
    return give_value()


class Awaitable:
    """Something to await that is no coroutine."""

    def __await__(self) -> Any:
        return give_value().__await__()


DEFERRED: dict[str, Callable[[], Any]] = {
    "generator": give_generator,
    "async generator": give_agenerator,
    "coroutine": give_coroutine,
    "awaitable": Awaitable,
    "map": lambda: map(str, [1]),
    "filter": lambda: filter(None, [1]),
    "zip": lambda: zip([1], [2], strict=True),
    "iterator": lambda: iter([1]),
    "chain": lambda: itertools.chain([1], [2]),
}


@pytest.mark.parametrize("kind", DEFERRED)
@pytest.mark.parametrize("point", ["pre_tool_call", "post_tool_call"])
@pytest.mark.parametrize("how", ["assigned", "replaced", "returned by a coroutine"])
@pytest.mark.parametrize("sync", [True, False])
def test_a_payload_that_is_not_there_yet_denies(
    manager: HookManager, add: Add, kind: str, point: str, how: str, *, sync: bool
) -> None:
    def assign(ctx: Any) -> None:
        ctx.payload = DEFERRED[kind]()

    async def later(ctx: Any) -> Any:
        return DEFERRED[kind]()

    def replace(ctx: Any) -> Any:
        return Replace(DEFERRED[kind]())

    add(point, {"assigned": assign, "replaced": replace}.get(how, later))

    assert either(manager, lambda arguments: "text", sync=sync) == "denied"


@pytest.mark.parametrize("kind", sorted(set(DEFERRED) - {"coroutine", "awaitable"}))
def test_a_returned_generator_denies(manager: HookManager, add: Add, kind: str) -> None:
    add("post_tool_call", lambda ctx: DEFERRED[kind]())

    assert either(manager, lambda arguments: "text", sync=True) == "denied"


@pytest.mark.parametrize("kind", DEFERRED)
def test_an_observer_that_gives_one_has_failed_and_leaks_nothing(
    manager: HookManager, add: Add, kind: str
) -> None:
    events: list[Any] = []
    manager.subscribe(events.append)

    async def later(ctx: Any) -> Any:
        return DEFERRED[kind]()

    def assign(ctx: Any) -> None:
        ctx.payload = DEFERRED[kind]()

    add("tool_finished", later)
    add("tool_finished", assign)

    assert either(manager, lambda arguments: "text", sync=False) == "text"
    assert [record.verdict for record in events[0].records] == ["error", "error"]


def test_a_wrap_that_hands_on_what_call_next_gave_is_awaited(
    manager: HookManager, add: Add
) -> None:
    async def around(ctx: Any, call_next: Any) -> Any:
        return call_next()

    add("wrap_tool_call", around)

    assert either(manager, lambda arguments: "text", sync=False) == "text"


@pytest.mark.parametrize("kind", sorted(set(DEFERRED) - {"coroutine", "awaitable"}))
@pytest.mark.parametrize("form", ["await", "yield"])
def test_a_wrap_that_gives_one_denies(manager: HookManager, add: Add, kind: str, form: str) -> None:
    async def awaits(ctx: Any, call_next: Any) -> Any:
        await call_next()
        return DEFERRED[kind]()

    def yields(ctx: Any, call_next: Any) -> Any:
        yield
        return DEFERRED[kind]()

    add("wrap_tool_call", awaits if form == "await" else yields)

    assert either(manager, lambda arguments: "text", sync=False) == "denied"


@pytest.mark.parametrize("depth", [1, 2, 3])
def test_a_tool_that_returns_a_coroutine_of_a_coroutine_is_awaited_to_its_end(
    manager: HookManager, watch: Callable[..., Any], depth: int
) -> None:
    seen = watch("post_tool_call")

    async def body(arguments: Any, left: int = depth) -> Any:
        return body(arguments, left - 1) if left else "value"

    assert either(manager, body, sync=False) == "value"
    assert seen.payloads == ["value"]


def test_a_sync_host_is_told_of_an_awaitable(manager: HookManager, add: Add) -> None:
    add("pre_tool_call", lambda ctx: None)

    assert either(manager, lambda arguments: give_value(), sync=True) == "TypeError"
    assert either(manager, lambda arguments: Awaitable(), sync=True) == "TypeError"


class Bare(HookAborted):
    """An abort that has not called its constructor."""

    def __init__(self) -> None:
        pass


def raise_the_class(ctx: Any) -> None:
    raise HookAborted  # type: ignore[call-arg]


def raise_a_number(ctx: Any) -> None:
    raise HookAborted(403)  # type: ignore[arg-type]


def raise_with_more(ctx: Any) -> None:
    raise HookAborted("no", code=403)  # type: ignore[call-arg]


def raise_a_bare_one(ctx: Any) -> None:
    raise Bare


def return_nothing_said(ctx: Any) -> Any:
    return Abort()  # type: ignore[call-arg]


def return_a_list(ctx: Any) -> Any:
    return Abort(["no"])  # type: ignore[arg-type]


class GroupError(Exception):
    """A group of errors, as tasks raise it since Python 3.11."""

    def __init__(self, *exceptions: Exception) -> None:
        super().__init__("several")
        self.exceptions = exceptions


def raise_a_group(ctx: Any) -> None:
    raise GroupError(ValueError("a"), GroupError(HookAborted("rule 7", message="Ask the office.")))


FAILED_DENIALS = [
    raise_the_class,
    raise_a_number,
    raise_with_more,
    raise_a_bare_one,
    return_nothing_said,
    return_a_list,
    raise_a_group,
]


@pytest.mark.parametrize("hook", FAILED_DENIALS)
@pytest.mark.parametrize("gate", [True, False])
@pytest.mark.parametrize("heard", [True, False])
@pytest.mark.parametrize("form", ["plain", "async", "slow"])
def test_a_denial_that_could_not_be_made_denies_whatever_on_error_says(
    manager: HookManager, add: Add, hook: Any, form: str, *, gate: bool, heard: bool
) -> None:
    async def waits(ctx: Any) -> Any:
        return hook(ctx)

    if heard:
        manager.subscribe(lambda event: None)
    options = {"timeout": 30} if form == "slow" else {}
    add("pre_tool_call", waits if form == "async" else hook, gate=gate, on_error="allow", **options)
    assert tool_call(manager) == "denied"
    call = manager.acall_tool("tool", {}, lambda arguments: "ran")
    assert outcome(lambda: call) == "denied"


def test_an_abort_in_a_group_of_errors_is_told_as_it_was_meant(
    manager: HookManager, add: Add
) -> None:
    add("pre_tool_call", raise_a_group, on_error="allow")
    with pytest.raises(HookAborted) as caught:
        manager.call_tool("tool", {}, lambda arguments: "ran")
    assert (caught.value.reason, caught.value.message) == ("rule 7", "Ask the office.")


@pytest.mark.parametrize("hook", [raise_the_class, raise_a_group])
def test_a_wrap_that_means_to_deny_denies(manager: HookManager, add: Add, hook: Any) -> None:
    def around(ctx: Any, call_next: Any) -> Any:
        hook(ctx)
        yield

    add("wrap_tool_call", around, on_error="allow")
    assert tool_call(manager) == "denied"


def test_a_group_with_the_operations_own_abort_is_no_denial_of_the_wraps(
    manager: HookManager, add: Add
) -> None:
    inner = HookAborted("the body's own")

    def around(ctx: Any, call_next: Any) -> Any:
        try:
            yield
        except HookAborted as error:
            raise GroupError(error) from None

    def body(arguments: Any) -> None:
        raise inner

    add("wrap_tool_call", around, on_error="allow")
    with pytest.raises(HookAborted) as caught:
        manager.call_tool("tool", {}, body)
    assert caught.value is inner


class OwnFuture(Future):  # type: ignore[type-arg]
    """A future of a library's own."""


@pytest.mark.parametrize("kind", [Future, OwnFuture])
@pytest.mark.parametrize("point", ["pre_tool_call", "post_tool_call"])
@pytest.mark.parametrize("sync", [True, False])
def test_a_future_of_another_thread_is_no_value(
    manager: HookManager, add: Add, kind: Any, point: str, *, sync: bool
) -> None:
    made = kind()
    made.set_result({"path": "other"})
    add(point, lambda ctx: made, on_error="allow")
    assert either(manager, lambda arguments: "ran", sync=sync) == "denied"
