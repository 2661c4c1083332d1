"""Collect points: all hooks are asked, and those that say yes are named."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from hookcore import EventContext, HookDispatchedEvent, HookManager, hookimpl

Add = Callable[..., str]


@pytest.fixture
def ask(manager: HookManager) -> Callable[..., list[str]]:
    return lambda **fields: manager.collect("accept_event", EventContext(**fields))


def test_without_hooks_nobody_answers(ask: Callable[..., list[str]]) -> None:
    assert ask() == []


def test_those_that_answer_true_are_named_in_order(add: Add, ask: Callable[..., list[str]]) -> None:
    add("accept_event", lambda ctx: True, name="late", priority=200)
    add("accept_event", lambda ctx: False, name="no")
    add("accept_event", lambda ctx: None, name="silent")
    add("accept_event", lambda ctx: True, name="early", priority=1)

    assert ask() == ["early", "late"]


def test_all_are_asked_also_after_a_yes(add: Add, ask: Callable[..., list[str]]) -> None:
    asked: list[int] = []
    add("accept_event", lambda ctx: True)
    add("accept_event", lambda ctx: asked.append(1))

    ask()

    assert asked == [1]


def test_hooks_see_the_event_and_the_points_name(add: Add, ask: Callable[..., list[str]]) -> None:
    seen: list[Any] = []
    add("accept_event", lambda ctx: seen.append((ctx.point, ctx.payload)))

    ask(payload={"kind": "webhook"})

    assert seen == [("accept_event", {"kind": "webhook"})]


@pytest.mark.parametrize("answer", ["yes", 1, [], object()])
def test_an_answer_that_is_neither_true_nor_false_is_no_acceptance(
    add: Add, ask: Callable[..., list[str]], events: list[HookDispatchedEvent], answer: Any
) -> None:
    add("accept_event", lambda ctx: answer)

    assert ask() == []
    assert [record.verdict for record in events[0].records] == ["error"]


@pytest.mark.parametrize("on_error", ["allow", "deny"])
def test_a_hook_that_fails_has_not_accepted_and_the_others_are_asked(
    add: Add, ask: Callable[..., list[str]], on_error: str
) -> None:
    add("accept_event", lambda ctx: 1 / 0, on_error=on_error)
    add("accept_event", lambda ctx: True, name="b")

    assert ask() == ["b"]


def test_under_raise_the_exception_reaches_the_caller(
    add: Add, ask: Callable[..., list[str]]
) -> None:
    add("accept_event", lambda ctx: 1 / 0, on_error="raise")

    with pytest.raises(ZeroDivisionError):
        ask()


def test_a_base_exception_is_never_swallowed(add: Add, ask: Callable[..., list[str]]) -> None:
    def hook(ctx: Any) -> None:
        raise KeyboardInterrupt

    add("accept_event", hook)

    with pytest.raises(KeyboardInterrupt):
        ask()


def test_a_monitored_hook_accepts_nothing(
    add: Add, ask: Callable[..., list[str]], events: list[HookDispatchedEvent]
) -> None:
    add("accept_event", lambda ctx: True, operator={"mode": "monitor"})

    assert ask() == []
    assert [record.effect for record in events[0].records] == ["observed"]


def test_one_event_tells_of_all_that_were_asked(
    add: Add, ask: Callable[..., list[str]], events: list[HookDispatchedEvent]
) -> None:
    add("accept_event", lambda ctx: True, name="a")
    add("accept_event", lambda ctx: None, name="b")

    ask(run_id="r")

    (event,) = events
    assert (event.interception_point, event.outcome) == ("accept_event", "proceeded")
    assert (event.hook_count, event.run_id) == (2, "r")
    assert [record.plugin for record in event.records] == ["a", "b"]


def test_an_agents_filter_holds(add: Add, ask: Callable[..., list[str]]) -> None:
    add("accept_event", lambda ctx: True, name="ops", agents=["ops"])

    assert (ask(agent="ops"), ask(agent="dev"), ask()) == (["ops"], [], ["ops"])


def test_a_hook_is_not_asked_by_the_question_that_it_asks(
    manager: HookManager, add: Add, ask: Callable[..., list[str]]
) -> None:
    inner: list[Any] = []

    def hook(ctx: Any) -> bool:
        inner.append(ask())
        return True

    add("accept_event", hook, name="a")

    assert (ask(), inner) == (["a"], [[]])


def test_a_plugin_with_two_hooks_is_named_once(manager: HookManager) -> None:
    class Plugin:
        @hookimpl(specname="accept_event")
        def one(self, ctx: Any) -> bool:
            return True

        @hookimpl(specname="accept_event")
        def two(self, ctx: Any) -> bool:
            return True

    manager.register(Plugin(), name="p")

    assert manager.collect("accept_event", EventContext()) == ["p"]
