"""Plugins that answer the questions of other plugins' hooks."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any
from unittest.mock import Mock

import pytest

from hookcore import (
    HookAborted,
    HookDispatchedEvent,
    HookManager,
    Question,
    ToolCallContext,
    hookimpl,
)
from hookcore.testing import register_configured


class Asks:
    @hookimpl(gate=True)
    def pre_tool_call(self, ctx: ToolCallContext) -> None:
        if ctx.request_human_input("Run it?", "yes or no") != "yes":
            raise HookAborted("a person said no")


class AsksAsync:
    @hookimpl(gate=True)
    async def pre_tool_call(self, ctx: ToolCallContext) -> None:
        if await ctx.arequest_human_input("Run it?", "yes or no") != "yes":
            raise HookAborted("a person said no")


class Answers:
    """A policy that answers as it is told."""

    def __init__(self, answer: Any) -> None:
        self.answer = answer
        self.questions: list[Question] = []

    @hookimpl
    def tool_finished(self, ctx: ToolCallContext) -> None:
        pass

    def answer_question(self, question: Question) -> str | None:
        self.questions.append(question)
        if isinstance(self.answer, BaseException):
            raise self.answer
        answer: str | None = self.answer
        return answer


class Prompter:
    def __init__(self) -> None:
        self.asked = 0

    def ask(self, prompt: str, default_message: str) -> str:
        self.asked += 1
        return "yes"


Call = Callable[[HookManager], Any]


def call_sync(manager: HookManager) -> Any:
    return manager.call_tool("pay", {"amount": 10}, lambda given: "ran")


def call_async(manager: HookManager) -> Any:
    async def body(_: Any) -> str:
        return "ran"

    return asyncio.run(manager.acall_tool("pay", {"amount": 10}, body))


either = pytest.mark.parametrize(
    ("asks", "call"), [(Asks, call_sync), (Asks, call_async), (AsksAsync, call_async)]
)


def made(asks: type, answerer: object, prompter: Prompter | None = None) -> HookManager:
    manager = HookManager(prompter=prompter or Prompter())
    manager.register(asks(), name="rules")
    manager.register(answerer, name="answers")
    return manager


@either
def test_an_answer_of_a_plugin_counts_and_nobody_else_is_asked(asks: type, call: Call) -> None:
    prompter, answers = Prompter(), Answers("yes")
    assert call(made(asks, answers, prompter)) == "ran"
    assert prompter.asked == 0
    (question,) = answers.questions
    assert (question.prompt, question.default_message, question.asker) == (
        "Run it?",
        "yes or no",
        "rules",
    )
    assert isinstance(question.context, ToolCallContext)
    assert (question.context.tool_name, question.context.tool_input) == ("pay", {"amount": 10})


@either
def test_a_plugin_may_leave_a_question_to_the_prompter(asks: type, call: Call) -> None:
    prompter = Prompter()
    assert call(made(asks, Answers(None), prompter)) == "ran"
    assert prompter.asked == 1


@either
@pytest.mark.parametrize(
    ("answer", "why"),
    [
        ("no", "a person said no"),
        (HookAborted("waits for a person"), "waits for a person"),
        (KeyError("x"), r"Answers failed: KeyError at "),
        (True, "Answers answered bool, not text"),
    ],
)
def test_any_other_answer_stops_the_call(asks: type, call: Call, answer: Any, why: str) -> None:
    prompter = Prompter()
    with pytest.raises(HookAborted, match=why):
        call(made(asks, Answers(answer), prompter))
    assert prompter.asked == 0


def test_a_disabled_plugin_and_one_in_monitor_mode_answer_nothing() -> None:
    answers = Answers("no")
    manager = made(Asks, answers)
    manager.disable("answers")
    assert call_sync(manager) == "ran"
    manager.enable("answers")
    with pytest.raises(HookAborted):
        call_sync(manager)
    manager.unregister("answers")
    register_configured(manager, answers, "answers", mode="monitor")
    assert call_sync(manager) == "ran"


def test_a_plugin_that_only_answers_needs_no_hook() -> None:
    class Only:
        def answer_question(self, question: Question) -> str | None:
            return "no"

    with pytest.raises(HookAborted, match="a person said no"):
        call_sync(made(Asks, Only()))


def test_a_dry_run_asks_no_plugin() -> None:
    answers = Answers("yes")
    ctx = ToolCallContext(tool_name="pay", payload={}, dry_run=True)
    with pytest.raises(HookAborted, match="nobody is in a dry run"):
        made(Asks, answers).dispatch("pre_tool_call", ctx)
    assert answers.questions == []


@pytest.mark.parametrize("asks", [Asks, AsksAsync])
def test_a_policy_in_monitor_mode_asks_nobody_and_is_recorded_as_denying(asks: type) -> None:
    answers, prompter = Answers("yes"), Prompter()
    manager = HookManager(prompter=prompter)
    register_configured(manager, asks(), "rules", mode="monitor")
    manager.register(answers, name="answers")
    events: list[HookDispatchedEvent] = []
    manager.subscribe(events.append)
    assert call_async(manager) == "ran"
    assert (answers.questions, prompter.asked) == ([], 0)
    record = next(each for event in events for each in event.records if each.plugin == "rules")
    assert (record.verdict, record.effect) == ("deny", "observed")


def test_an_object_that_has_every_attribute_is_no_answerer() -> None:
    plugin = Mock(wraps=Asks())
    plugin.pre_tool_call = Asks().pre_tool_call
    manager = HookManager(prompter=Prompter())
    manager.register(Asks(), name="rules")
    manager.parts.registry.records["rules"].plugin = plugin
    assert not manager.parts.registry.records["rules"].answers


def test_signals_of_the_host_pass() -> None:
    class PauseError(Exception):
        pass

    manager = made(Asks, Answers(PauseError()))
    manager.add_control_flow(PauseError)
    with pytest.raises(PauseError):
        call_sync(manager)
