"""Asking a person: the prompter that a manager uses, and the one for terminals."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol, TextIO

from hookcore_specs import HookContext

__all__ = ["Answerer", "NobodyAnsweredError", "Prompter", "Question", "TerminalPrompter"]


class NobodyAnsweredError(Exception):
    """Nobody could answer, or nobody did in time; the text says why."""


class Prompter(Protocol):
    """The prompter of a manager, which asks a person; it may be called on any thread.

    A prompter may also have ``async def aask(prompt, default_message)``, which async hooks then
    await; without it they call :meth:`ask` in a worker thread.
    """

    def ask(self, prompt: str, default_message: str) -> str:
        """Return the answer; raise :exc:`NobodyAnsweredError` or :exc:`EOFError` without one."""
        ...


@dataclass(frozen=True, slots=True)
class Question:
    """A question that a hook has for a person.

    Args:
        prompt: what it asks.
        default_message: the line below it that says how to answer.
        asker: the name of the plugin that asks; None where nobody knows.
        context: what the hook is judging; of a gate's, exactly this is what will be used.
    """

    prompt: str
    default_message: str
    asker: str | None
    context: HookContext


class Answerer(Protocol):
    """A plugin that answers the questions of other plugins' hooks, before the prompter is asked."""

    def answer_question(self, question: Question) -> str | None:
        """Return the answer, or None to leave it to others; called on any thread.

        Raises:
            HookAborted: the operation is to be stopped.
        """
        ...


class TerminalPrompter:
    """Asks on the process's terminal.

    Args:
        timeout: seconds to wait for an answer; None waits for ever.
        pause: called before the prompt is shown, to hold live output back.
        resume: called after the answer, also when there is none.
        stdin: where answers are read; ``sys.stdin`` as it is at the time of asking when None.
        stdout: where prompts are shown; ``sys.stderr`` as it is at the time of asking when None.
    """

    def __init__(
        self,
        *,
        timeout: float | None = None,
        pause: Callable[[], object] | None = None,
        resume: Callable[[], object] | None = None,
        stdin: TextIO | None = None,
        stdout: TextIO | None = None,
    ) -> None:
        self._timeout = timeout
        self._pause = pause
        self._resume = resume
        self._stdin = stdin
        self._stdout = stdout
        self._turn = threading.Lock()

    def ask(self, prompt: str, default_message: str) -> str:
        """Show the prompt and the line below it, and return the line that is typed, stripped.

        Raises:
            NobodyAnsweredError: no terminal, end of input, or no answer in time.
        """
        stdin = sys.stdin if self._stdin is None else self._stdin
        if stdin is None or stdin.closed or not stdin.isatty():
            raise NobodyAnsweredError("there is no terminal to ask at")
        with self._turn:
            if self._pause is not None:
                self._pause()
            try:
                stdout = sys.stderr if self._stdout is None else self._stdout
                stdout.write(f"\n{prompt}\n{default_message}\n")
                stdout.flush()
                return self._read_line(stdin)
            finally:
                if self._resume is not None:
                    self._resume()

    def _read_line(self, stdin: TextIO) -> str:
        lines: list[str] = []
        if self._timeout is None:
            lines.append(stdin.readline())
        else:
            # A read cannot be interrupted; the thread that is left behind takes the next line.
            reader = threading.Thread(target=lambda: lines.append(stdin.readline()), daemon=True)
            reader.start()
            reader.join(self._timeout)
        if not lines:
            raise NobodyAnsweredError(f"no answer within {self._timeout:g} s")
        if lines[0] == "":
            raise NobodyAnsweredError("the input has ended")
        return lines[0].strip()
