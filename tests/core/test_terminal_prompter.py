"""The prompter that asks on the process's terminal, at a pseudo-terminal."""

from __future__ import annotations

import io
import sys
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from hookcore import (
    HookAborted,
    HookManager,
    NobodyAnsweredError,
    TerminalPrompter,
    ToolCallContext,
)

from .terminal import Terminal

Add = Callable[..., str]
Call = Callable[..., ToolCallContext]


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


def test_live_output_is_resumed_without_an_answer(terminal: Terminal, shown: io.StringIO) -> None:
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
    *,
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

    prompter = TerminalPrompter(pause=pause, resume=asking.pop, stdin=terminal.stdin, stdout=shown)
    threads = [threading.Thread(target=prompter.ask, args=("?", "")) for _ in range(2)]
    for thread in threads:
        thread.start()
    terminal.type("one\ntwo\n")
    for thread in threads:
        thread.join(30)

    assert most == [1, 1]
