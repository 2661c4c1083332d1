"""The policy under the dispatcher: what is a repetition, and what comes of it."""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Iterable
from typing import Any

import pytest

from hookcore import (
    Denied,
    HookAborted,
    HookManager,
    MessageContext,
    ModelResponse,
    ToolCallContext,
    hookimpl,
)
from hookcore.testing import recorded, register_configured
from hookcore_loop_guard import LoopGuard, LoopGuardSettings

Call = tuple[str, dict[str, Any], Any]
DENY = {"steps": ["deny"]}


def guarded(**settings: Any) -> HookManager:
    manager = HookManager()
    manager.register(LoopGuard, "loop-guard", settings=settings)
    return manager


def call(
    manager: HookManager, tool: str, arguments: dict[str, Any], result: Any, **fields: Any
) -> Any:
    def body(_: Any) -> Any:
        if isinstance(result, Exception):
            raise result
        return result

    try:
        return manager.call_tool(tool, arguments, body, on_denied="return", **fields)
    except ValueError as error:
        return error


def denied(calls: Iterable[Call], **settings: Any) -> list[int]:
    """The numbers of the calls of one run that are denied, beginning with 1."""
    manager = guarded(**{**DENY, **settings})
    with manager.run():
        answers = [call(manager, *each) for each in calls]
    return [n for n, answer in enumerate(answers, 1) if isinstance(answer, Denied)]


def same(times: int) -> list[Call]:
    return [("ls", {"path": "."}, "a.txt")] * times


def cycle(period: int, times: int) -> list[Call]:
    return [(f"tool_{n % period}", {"n": n % period}, n % period) for n in range(period * times)]


def test_the_same_call_is_denied_from_the_fourth_time_on() -> None:
    assert denied(same(10)) == [4, 5, 6, 7, 8, 9, 10]


@pytest.mark.parametrize("period", range(2, 7))
def test_a_cycle_is_denied_from_the_end_of_its_third_round_on(period: int) -> None:
    found = denied(cycle(period, 8))
    assert found == list(range(3 * period, 8 * period + 1))


def test_a_longer_cycle_is_not_looked_for() -> None:
    assert denied(cycle(7, 6)) == []
    assert denied(cycle(7, 6), max_period=7)[0] == 21


def test_growing_arguments_are_denied_from_the_eighth_call_on() -> None:
    texts = [("write", {"path": "a", "text": "abcdefgh" * (n + 1)}, "error") for n in range(10)]
    assert denied(texts) == [8, 9, 10]
    lists = [("plan", {"steps": list(range(n + 1))}, "ok") for n in range(10)]
    assert denied(lists) == [8, 9, 10]


@pytest.mark.parametrize(
    "calls",
    [
        [("write", {"text": "abcdefgh" * (9 - n)}, "ok") for n in range(9)],
        [("write", {"text": f"{n}" + "abcdefgh" * (n + 1)}, "ok") for n in range(9)],
        [("write", {"text": "abcdefgh" * (n + 1), "n": n}, "ok") for n in range(9)],
        [("write", {"text": "a" * (n + 1)}, "ok") for n in range(9)][:8],
        [(f"write{n % 2}", {"text": "abcdefgh" * (n + 1)}, "ok") for n in range(16)],
    ],
)
def test_arguments_that_change_otherwise_do_not_grow(calls: list[Call]) -> None:
    assert denied(calls) == []


def test_a_call_with_other_results_is_no_repetition() -> None:
    calls: list[Call] = [("status", {"id": 1}, f"{n} %") for n in range(30)]
    assert denied(calls) == []
    assert denied(calls, results=False)[0] == 4


def test_a_cycle_with_other_results_is_no_repetition() -> None:
    calls: list[Call] = [(f"tool_{n % 2}", {}, n) for n in range(20)]
    assert denied(calls) == []
    assert denied(calls, results=False)[0] == 6


def test_tools_that_wait_may_give_the_same_more_often() -> None:
    calls: list[Call] = [("read_output", {"id": 1}, "")] * 60
    assert denied(calls)[0] == 50
    assert denied(calls, poll_limit=0) == []
    assert denied([("ReadOutput", {"id": 1}, "")] * 60)[0] == 50
    assert denied(calls, poll=[])[0] == 4


def test_errors_are_results() -> None:
    assert denied([("ls", {}, ValueError("no"))] * 5) == [4, 5]
    assert denied([("ls", {}, ValueError(str(n))) for n in range(9)]) == []


@pytest.mark.parametrize(
    "arguments",
    [
        [{"a": 1, "b": 2.0}, {"b": 2, "a": 1.0}],
        [{"a": {"x": [1, {"nonce": 1}]}}, {"a": {"x": [1, {"nonce": 2}]}}],
        [{"a": 1, "Request-ID": "x"}, {"a": 1, "requestId": "y"}],
    ],
)
def test_what_makes_no_difference_is_the_same_call(arguments: list[dict[str, Any]]) -> None:
    assert denied([("x", arguments[n % 2], "r") for n in range(5)]) == [4, 5]


@pytest.mark.parametrize(
    "arguments", [[{"a": 1}, {"a": True}], [{"a": "1"}, {"a": 1}], [{"a": [1]}, {"a": (None,)}]]
)
def test_what_makes_a_difference_is_another_call(arguments: list[dict[str, Any]]) -> None:
    assert denied([("x", arguments[n % 2], "r") for n in range(5)]) == []


def test_a_key_in_results_can_make_no_difference() -> None:
    calls: list[Call] = [("x", {}, {"timestamp": n, "state": "on"}) for n in range(5)]
    assert denied(calls) == [4, 5]


def test_the_first_is_warned_of_the_second_denied_the_third_stops_the_run(
    caplog: pytest.LogCaptureFixture,
) -> None:
    manager = guarded()
    with caplog.at_level(logging.WARNING, "hookcore_loop_guard"), manager.run(run_id="r1"):
        answers = [call(manager, *each) for each in same(6)]
        other = call(manager, "pwd", {}, "/")
        with pytest.raises(HookAborted) as stopped:
            manager.call_model([], lambda _: "x")
    assert answers[:4] == ["a.txt"] * 4
    what = "loop-guard: the same call for the {} time with the same result (strike {})"
    assert [(a.reason, a.message) for a in answers[4:]] == [
        (what.format("5th", 2), "You are repeating yourself; do something else."),
        (what.format("6th", 3), "The agent went round in circles and was stopped."),
    ]
    assert other.reason == stopped.value.reason == what.format("6th", 3)
    assert [record.getMessage() for record in caplog.records] == [
        what.format("4th", 1) + ": in run r1, tool 'ls'"
    ]


def test_a_run_that_goes_on_otherwise_is_left_alone() -> None:
    manager = guarded()
    with manager.run():
        answers = [call(manager, *each) for each in same(5)]
        answers += [call(manager, "ls", {"path": str(n)}, n) for n in range(20)]
        assert manager.call_model([], lambda _: "x") == "x"
    assert [isinstance(answer, Denied) for answer in answers].count(True) == 1


def test_a_cycle_is_named(caplog: pytest.LogCaptureFixture) -> None:
    manager = guarded(**DENY)
    with manager.run():
        answers = [call(manager, *each) for each in cycle(3, 3)]
    assert answers[-1].reason == "loop-guard: a cycle of 3 calls for the 3rd time (strike 1)"


def test_runs_are_apart_and_sub_runs_too() -> None:
    manager = guarded(**DENY)
    for _ in range(3):
        with manager.run():
            answers = [call(manager, *each) for each in same(3)]
            with manager.run():
                answers += [call(manager, *each) for each in same(3)]
            assert "a.txt" in answers
            assert not any(isinstance(answer, Denied) for answer in answers)


def test_without_a_run_the_session_tells_what_belongs_together() -> None:
    manager = guarded(**DENY)
    answers = [
        call(manager, *each, session_id=session) for each in same(5) for session in ("a", "b")
    ]
    assert [isinstance(answer, Denied) for answer in answers].count(True) == 4


def test_without_either_nothing_is_told() -> None:
    manager = guarded(**DENY)
    assert [call(manager, *each) for each in same(9)] == ["a.txt"] * 9


@pytest.mark.parametrize("run_id", [None, "r"])
def test_a_persons_message_begins_anew(run_id: str | None) -> None:
    manager = guarded(steps=["stop"])
    fields: dict[str, Any] = (
        {"session_id": "s"} if run_id is None else {"session_id": "s", "run_id": run_id}
    )
    kept = manager.run(**fields) if run_id else None
    if kept is not None:
        kept.__enter__()

    def calls() -> list[bool]:
        return [isinstance(call(manager, *each, **fields), Denied) for each in same(5)]

    assert calls() == [False] * 3 + [True] * 2
    with pytest.raises(HookAborted):
        manager.call_model([], lambda _: "x", **fields)
    manager.dispatch("message_received", MessageContext(payload=None, session_id="other"))
    assert calls() == [True] * 5
    manager.dispatch("message_received", MessageContext(payload=None, session_id="s"))
    assert manager.call_model([], lambda _: "x", **fields) == "x"
    assert calls() == [False] * 3 + [True] * 2
    if kept is not None:
        kept.__exit__(None, None, None)


def test_calls_that_another_gate_denies_are_repetitions_too() -> None:
    class No:
        @hookimpl(gate=True)
        def pre_tool_call(self, ctx: Any) -> None:
            raise HookAborted("no")

    manager = guarded(**DENY)
    manager.register(No(), "no")
    with manager.run():
        answers = [call(manager, *each) for each in same(5)]
    assert [answer.source for answer in answers] == ["no.pre_tool_call"] * 3 + ["loop-guard"] * 2


def test_a_call_that_a_wrap_changes_is_one_call() -> None:
    class More:
        @hookimpl
        async def wrap_tool_call(self, ctx: Any, call_next: Any) -> Any:
            return await call_next({**ctx.tool_input, "more": 1})

    manager = guarded(**DENY)
    manager.register(More(), "more")

    async def main() -> list[Any]:
        async with manager.run():
            return [
                await manager.acall_tool("ls", {}, lambda _: "a", on_denied="return")
                for _ in range(5)
            ]
        raise AssertionError("a run swallows nothing")

    assert [isinstance(answer, Denied) for answer in asyncio.run(main())] == [False] * 3 + [
        True
    ] * 2


def test_calls_on_several_threads_are_counted_together() -> None:
    manager = guarded(**DENY)
    answers: list[Any] = []
    with manager.run(run_id="r"):
        threads = [
            threading.Thread(
                target=lambda: answers.append(call(manager, "ls", {}, "a", run_id="r"))
            )
            for _ in range(8)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert sum(isinstance(answer, Denied) for answer in answers) >= 1


def test_in_monitor_mode_it_notices_and_stops_nothing() -> None:
    manager = HookManager()
    plugin = LoopGuard(LoopGuardSettings.model_validate(DENY))
    register_configured(manager, plugin, "loop-guard", mode="monitor")
    events: list[Any] = []
    manager.subscribe(events.append)
    with manager.run():
        assert [call(manager, *each) for each in same(5)] == ["a.txt"] * 5
    verdicts = [
        record.verdict
        for event in events
        if event.interception_point == "pre_tool_call"
        for record in event.records
    ]
    assert verdicts == ["allow"] * 3 + ["deny"] * 2


def test_a_tools_name_of_any_kind_is_no_failure() -> None:
    manager = guarded(**DENY)
    with manager.run():
        for name in ("x" * 5000, "\ud800", "", "\u202e"):
            answers = [call(manager, name, {"a": "\ud800"}, "\ud800") for _ in range(4)]
            assert [isinstance(answer, Denied) for answer in answers] == [False] * 3 + [True]


def test_the_reason_shows_no_argument_and_no_name() -> None:
    manager = guarded(**DENY)
    with manager.run():
        answers = [call(manager, "hunter2", {"password": "hunter2"}, "hunter2") for _ in range(4)]
    assert "hunter2" not in answers[-1].reason + answers[-1].message


def test_no_argument_is_kept() -> None:
    manager = guarded()
    secret = "hunter2" * 100
    with manager.run(run_id="r"):
        call(manager, "ls", {"path": secret}, secret)
        states: Any = manager.parts.services.states
        assert "hunter2hunter2" not in repr(vars(states))


def test_a_hook_called_by_hand_works() -> None:
    guard = LoopGuard(LoopGuardSettings(same=2, steps=("deny",)))
    ctx = ToolCallContext(tool_name="ls", tool_input={}, run_id="r")
    guard.pre_tool_call(ctx)
    with pytest.raises(HookAborted):
        guard.pre_tool_call(ctx)


def test_without_a_strike_a_model_call_goes_on() -> None:
    manager = guarded()
    assert manager.call_model([], lambda _: ModelResponse("x")).content == "x"


@pytest.mark.parametrize(
    ("calls", "rule"),
    [
        (same(4), "same"),
        ([("a", {}, 1), ("b", {}, 1)] * 3, "cycle"),
        ([("w", {"text": "x" * (20 + n)}, n) for n in range(8)], "grow"),
        ([("poll", {}, 1)] * 50, "poll_limit"),
    ],
)
def test_a_denial_names_the_setting_that_says_so(calls: list[Call], rule: str) -> None:
    manager = guarded(**DENY, poll=["poll"])
    with recorded(manager) as events, manager.run():
        for each in calls:
            call(manager, *each)
    assert [r.rule for event in events for r in event.records if r.verdict == "deny"] == [rule]


def test_what_follows_a_stop_names_the_rule_that_stopped_the_run() -> None:
    manager = guarded(steps=["stop"])
    with recorded(manager) as events, manager.run():
        for each in [*same(4), ("other", {}, 1)]:
            call(manager, *each)
        manager.call_model([], lambda _: ModelResponse(""), on_denied="return")
    assert [r.rule for event in events for r in event.records if r.verdict == "deny"] == [
        "same"
    ] * 3


def test_a_rule_that_is_only_monitored_stops_no_repetition() -> None:
    manager = HookManager()
    guard = LoopGuard(LoopGuardSettings(steps=("stop",)))
    register_configured(manager, guard, rules={"same": {"mode": "monitor"}})
    with recorded(manager) as events, manager.run():
        answers = [call(manager, *each) for each in same(6)]
        pair: list[tuple[str, dict[str, Any], Any]] = [("a", {}, 1), ("b", {}, 1)]
        cycled = [call(manager, *each) for each in pair * 3]
    assert answers == ["a.txt"] * 6
    assert isinstance(cycled[-1], Denied)
    observed = [r for event in events for r in event.records if r.effect == "observed"]
    assert [r.rule for r in observed if r.verdict == "deny"] == ["same"] * 3
