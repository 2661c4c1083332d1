"""Asking a person: an answer, or an abort; never a call that is let through."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from hookcore import HookAborted, HookContext, HookManager, NobodyAnsweredError, ToolCallContext

from .terminal import Terminal

Add = Callable[..., str]
Call = Callable[..., ToolCallContext]


class Scripted:
    """A prompter that answers, or raises, as it is told."""

    def __init__(self, answer: str | BaseException) -> None:
        self.answer = answer
        self.asked: list[tuple[str, str]] = []

    def ask(self, prompt: str, default_message: str) -> str:
        self.asked.append((prompt, default_message))
        if isinstance(self.answer, BaseException):
            raise self.answer
        return self.answer


@pytest.fixture
def terminal() -> Iterator[Terminal]:
    made = Terminal()
    yield made
    made.close()


def approve(ctx: Any) -> None:
    if ctx.request_human_input("Delete it?") != "yes":
        raise HookAborted("a person said no")


async def aapprove(ctx: Any) -> None:
    if await ctx.arequest_human_input("Delete it?") != "yes":
        raise HookAborted("a person said no")


either = pytest.mark.parametrize("function", [approve, aapprove])


@either
def test_the_answer_decides(manager: HookManager, add: Add, call: Call, function: Any) -> None:
    add("pre_tool_call", function)

    manager.prompter = Scripted("yes")
    manager.dispatch("pre_tool_call", call())
    manager.prompter = Scripted("no")
    with pytest.raises(HookAborted, match="a person said no"):
        manager.dispatch("pre_tool_call", call())


def test_a_prompter_may_be_given_to_the_manager(one_hook: Callable[..., Any], call: Call) -> None:
    prompter = Scripted("yes")
    manager = HookManager(prompter=prompter)
    manager.register(one_hook("pre_tool_call", approve))

    manager.dispatch("pre_tool_call", call())

    assert prompter.asked == [("Delete it?", "Press Enter to continue, or provide feedback:")]


@either
@pytest.mark.parametrize("asynchronous", [False, True])
@pytest.mark.parametrize(
    "error",
    [
        NobodyAnsweredError("nobody there"),
        EOFError(),
        OSError("the terminal is gone"),
        UnicodeDecodeError("utf-8", b"\xff", 0, 1, "bad"),
        ZeroDivisionError(),
    ],
)
def test_without_an_answer_the_call_is_aborted(
    manager: HookManager,
    add: Add,
    call: Call,
    function: Any,
    error: Exception,
    *,
    asynchronous: bool,
) -> None:
    manager.prompter = Scripted(error)
    add("pre_tool_call", function)

    def host() -> Any:
        if asynchronous:
            return asyncio.run(manager.adispatch("pre_tool_call", call()))
        return manager.dispatch("pre_tool_call", call())

    with pytest.raises(HookAborted, match="asked for and not given"):
        host()


@either
def test_in_a_dry_run_nobody_is_asked_and_the_call_is_aborted(
    manager: HookManager, add: Add, call: Call, function: Any
) -> None:
    prompter = Scripted("yes")
    manager.prompter = prompter
    add("pre_tool_call", function)

    with pytest.raises(HookAborted, match="dry run"):
        manager.dispatch("pre_tool_call", call(dry_run=True))
    assert prompter.asked == []


@either
def test_an_interrupt_while_asking_reaches_the_host(
    manager: HookManager, add: Add, call: Call, function: Any
) -> None:
    manager.prompter = Scripted(KeyboardInterrupt())
    add("pre_tool_call", function)

    with pytest.raises(KeyboardInterrupt):
        manager.dispatch("pre_tool_call", call())


@either
def test_a_prompter_may_raise_the_hosts_control_flow(
    one_hook: Callable[..., Any], call: Call, function: Any
) -> None:
    class PauseError(Exception):
        """The host asks later."""

    manager = HookManager(control_flow=[PauseError], prompter=Scripted(PauseError()))
    manager.register(one_hook("pre_tool_call", function))

    with pytest.raises(PauseError):
        manager.dispatch("pre_tool_call", call())
    manager.close()


def test_an_async_hook_awaits_an_async_prompter(manager: HookManager, add: Add, call: Call) -> None:
    class Asynchronous(Scripted):
        async def aask(self, prompt: str, default_message: str) -> str:
            await asyncio.sleep(0)
            return "yes"

    prompter = Asynchronous("no")
    manager.prompter = prompter
    add("pre_tool_call", aapprove)

    asyncio.run(manager.adispatch("pre_tool_call", call()))

    assert prompter.asked == []


def test_the_event_loop_goes_on_while_an_async_hook_asks(
    manager: HookManager, add: Add, call: Call
) -> None:
    ticked = threading.Event()

    class Patient:
        def ask(self, prompt: str, default_message: str) -> str:
            return "yes" if ticked.wait(30) else "no"

    manager.prompter = Patient()
    add("pre_tool_call", aapprove)

    async def host() -> None:
        asyncio.get_running_loop().call_later(0.01, ticked.set)
        await manager.adispatch("pre_tool_call", call())

    asyncio.run(host())

    assert ticked.is_set()


def test_a_question_that_nobody_answers_keeps_no_event_loop_from_ending(
    manager: HookManager, add: Add, call: Call
) -> None:
    over, answers = threading.Event(), []

    class Absent:
        def ask(self, prompt: str, default_message: str) -> str:
            over.wait(30)
            answers.append("yes")
            return "yes"

    manager.prompter = Absent()
    add("pre_tool_call", aapprove)

    async def host() -> None:
        await asyncio.wait_for(manager.adispatch("pre_tool_call", call()), 0.02)

    with pytest.raises(asyncio.TimeoutError):
        asyncio.run(host())
    ended_without = answers == []
    over.set()

    assert ended_without


def test_outside_a_dispatch_nobody_can_be_asked() -> None:
    with pytest.raises(HookAborted, match="outside a dispatch"):
        HookContext().request_human_input("?")


def test_outside_a_dispatch_nobody_can_be_asked_asynchronously() -> None:
    with pytest.raises(HookAborted, match="outside a dispatch"):
        asyncio.run(HookContext().arequest_human_input("?"))


def test_a_gate_may_ask(manager: HookManager, add: Add, call: Call) -> None:
    manager.prompter = Scripted("no")
    add("pre_tool_call", approve, gate=True)

    with pytest.raises(HookAborted, match="a person said no"):
        manager.dispatch("pre_tool_call", call())
