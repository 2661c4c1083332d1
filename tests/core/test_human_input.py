"""Asking a person: an answer, or an abort; never a call that is let through."""

from __future__ import annotations

import asyncio
import io
import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any, TextIO

import pytest

from hookcore import (
    HookAborted,
    HookContext,
    HookManager,
    NobodyAnsweredError,
    TerminalPrompter,
    ToolCallContext,
)

pty = pytest.importorskip("pty", reason="no pseudo-terminals here")

Add = Callable[..., str]
Call = Callable[..., ToolCallContext]


class Terminal:
    """A pseudo-terminal whose one end is the prompter's stdin."""

    def __init__(self) -> None:
        self.person, terminal = pty.openpty()
        self.stdin: TextIO = os.fdopen(terminal, "r")

    def type(self, text: str) -> None:
        os.write(self.person, text.encode())

    def close(self) -> None:
        self.stdin.close()
        os.close(self.person)


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


@pytest.fixture
def shown() -> io.StringIO:
    return io.StringIO()


def approve(ctx: Any) -> None:
    if ctx.request_human_input("Delete it?") != "yes":
        raise HookAborted("a person said no")


async def aapprove(ctx: Any) -> None:
    if await ctx.arequest_human_input("Delete it?") != "yes":
        raise HookAborted("a person said no")


either = pytest.mark.parametrize("function", [approve, aapprove])


# The manager and its prompter


@either
def test_the_answer_decides(
    manager: HookManager, add: Add, call: Call, function: Any
) -> None:
    add("pre_tool_call", function)

    manager.prompter = Scripted("yes")
    manager.dispatch("pre_tool_call", call())
    manager.prompter = Scripted("no")
    with pytest.raises(HookAborted, match="a person said no"):
        manager.dispatch("pre_tool_call", call())


def test_a_prompter_may_be_given_to_the_manager(
    one_hook: Callable[..., Any], call: Call
) -> None:
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

    with pytest.raises(HookAborted, match="asked for and not given"):
        if asynchronous:
            asyncio.run(manager.adispatch("pre_tool_call", call()))
        else:
            manager.dispatch("pre_tool_call", call())


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
    class Pause(Exception):
        """The host asks later."""

    manager = HookManager(control_flow=[Pause], prompter=Scripted(Pause()))
    manager.register(one_hook("pre_tool_call", function))

    with pytest.raises(Pause):
        manager.dispatch("pre_tool_call", call())
    manager.close()


def test_an_async_hook_awaits_an_async_prompter(
    manager: HookManager, add: Add, call: Call
) -> None:
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
    answered = threading.Event()

    class Absent:
        def ask(self, prompt: str, default_message: str) -> str:
            answered.wait(30)
            return "yes"

    manager.prompter = Absent()
    add("pre_tool_call", aapprove)

    async def host() -> None:
        await asyncio.wait_for(manager.adispatch("pre_tool_call", call()), 0.02)

    started = time.monotonic()
    with pytest.raises(asyncio.TimeoutError):
        asyncio.run(host())
    waited = time.monotonic() - started
    answered.set()

    assert waited < 15


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


# The terminal


def test_the_terminal_shows_the_prompt_and_returns_the_stripped_line(
    terminal: Terminal, shown: io.StringIO
) -> None:
    terminal.type("  yes please \n")

    answer = TerminalPrompter(stdin=terminal.stdin, stdout=shown).ask("Delete?", "Say yes:")

    assert answer == "yes please"
    assert shown.getvalue() == "\nDelete?\nSay yes:\n"


def test_an_empty_line_is_an_answer(terminal: Terminal, shown: io.StringIO) -> None:
    terminal.type("\n")

    assert TerminalPrompter(stdin=terminal.stdin, stdout=shown).ask("?", "") == ""


def test_the_end_of_the_terminals_input_is_no_answer(
    terminal: Terminal, shown: io.StringIO
) -> None:
    terminal.type("\x04")

    with pytest.raises(NobodyAnsweredError, match="the input has ended"):
        TerminalPrompter(stdin=terminal.stdin, stdout=shown).ask("?", "")


def test_nobody_answers_in_time(terminal: Terminal, shown: io.StringIO) -> None:
    prompter = TerminalPrompter(timeout=0.02, stdin=terminal.stdin, stdout=shown)

    with pytest.raises(NobodyAnsweredError, match=r"no answer within 0\.02 s"):
        prompter.ask("?", "")
    terminal.type("\n")  # lets the thread go that still reads


def test_an_answer_in_time_is_returned(terminal: Terminal, shown: io.StringIO) -> None:
    terminal.type("yes\n")

    assert TerminalPrompter(timeout=30, stdin=terminal.stdin, stdout=shown).ask("?", "") == "yes"


def test_without_a_terminal_nothing_is_shown(shown: io.StringIO) -> None:
    with pytest.raises(NobodyAnsweredError, match="no terminal"):
        TerminalPrompter(stdin=io.StringIO("yes\n"), stdout=shown).ask("?", "")

    assert shown.getvalue() == ""


def test_a_process_without_stdin_has_no_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", None)

    with pytest.raises(NobodyAnsweredError, match="no terminal"):
        TerminalPrompter().ask("?", "")


def test_a_closed_stdin_is_no_terminal() -> None:
    stdin = io.StringIO()
    stdin.close()

    with pytest.raises(NobodyAnsweredError, match="no terminal"):
        TerminalPrompter(stdin=stdin).ask("?", "")


def test_live_output_is_paused_before_the_prompt_and_resumed_after_the_answer(
    terminal: Terminal, shown: io.StringIO
) -> None:
    order: list[str] = []
    terminal.type("yes\n")
    prompter = TerminalPrompter(
        pause=lambda: order.append(f"pause {shown.getvalue()!r}"),
        resume=lambda: order.append("resume"),
        stdin=terminal.stdin,
        stdout=shown,
    )

    prompter.ask("?", "")

    assert order == ["pause ''", "resume"]


def test_live_output_is_resumed_without_an_answer(
    terminal: Terminal, shown: io.StringIO
) -> None:
    order: list[str] = []
    terminal.type("\x04")
    prompter = TerminalPrompter(
        resume=lambda: order.append("resume"), stdin=terminal.stdin, stdout=shown
    )

    with pytest.raises(NobodyAnsweredError):
        prompter.ask("?", "")
    assert order == ["resume"]


def test_by_default_the_terminal_of_the_process_is_asked(
    manager: HookManager,
    add: Add,
    call: Call,
    terminal: Terminal,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(sys, "stdin", terminal.stdin)
    add("pre_tool_call", approve)
    terminal.type("yes\n")

    manager.dispatch("pre_tool_call", call())

    assert "Delete it?" in capsys.readouterr().err


def test_two_questions_are_asked_one_after_the_other(
    terminal: Terminal, shown: io.StringIO
) -> None:
    asking: list[int] = []
    most: list[int] = []

    def pause() -> None:
        asking.append(1)
        most.append(len(asking))

    prompter = TerminalPrompter(
        pause=pause, resume=asking.pop, stdin=terminal.stdin, stdout=shown
    )
    threads = [threading.Thread(target=prompter.ask, args=("?", "")) for _ in range(2)]
    for thread in threads:
        thread.start()
    terminal.type("one\ntwo\n")
    for thread in threads:
        thread.join(30)

    assert most == [1, 1]
