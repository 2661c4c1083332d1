"""Asking a person on behalf of a hook: an answer, or an abort."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from hookcore_specs import HookAborted, HookContext

from ._requests import not_counted
from .prompting import NobodyAnsweredError, Prompter, TerminalPrompter

__all__ = ["Humans"]


class Humans:
    """Asks through a prompter; when nobody answers, the operation is aborted, never let through."""

    def __init__(self, prompter: Prompter | None = None) -> None:
        self.prompter: Prompter = TerminalPrompter() if prompter is None else prompter

    def ask(self, ctx: HookContext, prompt: str, default_message: str) -> str:
        """Return the answer; a hook's timeout does not run meanwhile.

        Raises:
            HookAborted: nobody can answer, or nobody did in time.
        """
        self._refuse_dry_run(ctx)
        with not_counted():
            try:
                return self.prompter.ask(prompt, default_message)
            except (NobodyAnsweredError, EOFError) as error:
                raise _unanswered(error) from error

    async def aask(self, ctx: HookContext, prompt: str, default_message: str) -> str:
        """Ask like :meth:`ask`, without blocking the event loop."""
        self._refuse_dry_run(ctx)
        aask: Callable[[str, str], Awaitable[str]] | None = getattr(self.prompter, "aask", None)
        with not_counted():
            try:
                if aask is not None:
                    return await aask(prompt, default_message)
                return await asyncio.to_thread(self.prompter.ask, prompt, default_message)
            except (NobodyAnsweredError, EOFError) as error:
                raise _unanswered(error) from error

    @staticmethod
    def _refuse_dry_run(ctx: HookContext) -> None:
        if ctx.dry_run:
            raise HookAborted("a person would be asked here, and nobody is in a dry run")


def _unanswered(error: Exception) -> HookAborted:
    why = str(error) or "the input has ended"
    return HookAborted(f"human approval was asked for and not given: {why}")
