"""Asking a person from a hook, the way CrewAI's users are used to."""

from __future__ import annotations

from typing import Any

from hookcore.hosting import HumanInput, running_frame
from hookcore.prompting import NobodyAnsweredError, Prompter, TerminalPrompter
from hookcore_specs import HookAborted, HookContext

from ._binding import binding
from ._dialect import print_in

__all__ = ["aask", "ask"]

_BOLD_YELLOW = "\033[1m\033[93m"
_CYAN = "\033[96m"


class ConsolePrompter:
    """Asks on the console with CrewAI's live output paused, through ``input()``.

    Args:
        listener: has the ``formatter`` whose live output is paused; None when there is none.
        other: the prompter that an operator gave the manager; None to read the console.
    """

    def __init__(self, listener: Any, other: Prompter | None) -> None:
        self._formatter = getattr(listener, "formatter", None)
        self._other = other

    def ask(self, prompt: str, default_message: str) -> str:
        """Return the answer, stripped; live output goes on afterwards, whatever happens."""
        formatter = self._formatter
        if formatter is not None:
            formatter.pause_live_updates()
        try:
            if self._other is not None:
                return self._other.ask(prompt, default_message)
            print_in("bold_yellow", f"\n{prompt}", _BOLD_YELLOW)
            print_in("cyan", default_message, _CYAN)
            return input().strip()
        finally:
            if formatter is not None:
                formatter.resume_live_updates()


def ask(ctx: HookContext, prompt: str, default_message: str) -> str:
    """Return a person's answer.

    Raises:
        HookAborted: nobody can answer; in a dispatch also when asking fails in any other way.
    """
    prompter = _prompter(ctx)
    if running_frame() is not None:
        return _humans(prompter).ask(ctx, prompt, default_message)
    try:
        return prompter.ask(prompt, default_message)
    except (EOFError, NobodyAnsweredError) as error:
        raise HookAborted("a person was asked and did not answer", source="hookcore") from error


async def aask(ctx: HookContext, prompt: str, default_message: str) -> str:
    """Return a person's answer without blocking the event loop."""
    return await _humans(_prompter(ctx)).aask(ctx, prompt, default_message)


def _humans(prompter: ConsolePrompter) -> HumanInput:
    return HumanInput(
        prompter,
        control_flow=lambda: binding.manager.control_flow,
        answerers=binding.manager.parts.services.human_input.answerers,
    )


def _prompter(ctx: HookContext) -> ConsolePrompter:
    from . import llm_hooks, tool_hooks

    module: Any = tool_hooks if isinstance(ctx, tool_hooks.ToolCallHookContext) else llm_hooks
    given = binding.manager.prompter
    other = None if type(given) is TerminalPrompter else given
    return ConsolePrompter(module.event_listener, other)
