"""Asking a person on behalf of a hook: an answer, or an abort."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from functools import partial

from hookcore_specs import HookAborted, HookContext
from hookcore_specs._runtime import HOOK, running_frame

from ..errors import describe_failure
from ..prompting import Answerer, NobodyAnsweredError, Prompter, Question, TerminalPrompter
from .requests import RunInThread, not_counted
from .workers import Workers

__all__ = ["HumanInput"]


class HumanInput:
    """Asks through a prompter; when nobody answers, the operation is aborted, never let through.

    Args:
        prompter: whom to ask; the terminal when None.
        workers: the threads on which async hooks ask; some of its own when None.
        control_flow: gives the host's signals, which a prompter may raise.
        answerers: gives the plugins that are asked before the prompter.
    """

    def __init__(
        self,
        prompter: Prompter | None = None,
        workers: Workers | None = None,
        control_flow: Callable[[], tuple[type[BaseException], ...]] = tuple,
        answerers: Callable[[], Sequence[Answerer]] = tuple,
    ) -> None:
        self.prompter: Prompter = TerminalPrompter() if prompter is None else prompter
        self._workers = Workers() if workers is None else workers
        self._control_flow = control_flow
        self.answerers = answerers

    def ask(self, ctx: HookContext, prompt: str, default_message: str) -> str:
        """Return the answer; a hook's timeout does not run meanwhile.

        Args:
            ctx: the context that the asking hook has.
            prompt: what is asked.
            default_message: the line below it that says how to answer.

        Raises:
            HookAborted: nobody can answer, or nobody did in time.
        """
        _refuse_what_only_looks(ctx)
        with not_counted():
            answer = self._answered(Question(prompt, default_message, _asker(), ctx))
            if answer is not None:
                return answer
            try:
                return self.prompter.ask(prompt, default_message)
            except HookAborted:
                raise
            except Exception as error:
                if isinstance(error, self._control_flow()):
                    raise
                raise _unanswered(error) from error

    async def aask(self, ctx: HookContext, prompt: str, default_message: str) -> str:
        """Ask like :meth:`ask`, without blocking the event loop."""
        _refuse_what_only_looks(ctx)
        aask: Callable[[str, str], Awaitable[str]] | None = getattr(self.prompter, "aask", None)
        with not_counted():
            if self.answerers():
                question = Question(prompt, default_message, _asker(), ctx)
                answered = partial(self._answered, question)
                found: str | None = await RunInThread(self._workers, answered, None).await_()
                if found is not None:
                    return found
            try:
                if aask is not None:
                    return await aask(prompt, default_message)
                # Not on asyncio's own threads: they keep the process from ending while one asks.
                ask = partial(self.prompter.ask, prompt, default_message)
                answer: str = await RunInThread(self._workers, ask, None).await_()
                return answer
            except HookAborted:
                raise
            except Exception as error:
                if isinstance(error, self._control_flow()):
                    raise
                raise _unanswered(error) from error

    def _answered(self, question: Question) -> str | None:
        """Return the first answer of a plugin; None when they leave it to the prompter."""
        for answerer in self.answerers():
            try:
                answer = answerer.answer_question(question)
            except HookAborted:
                raise
            except Exception as error:
                if isinstance(error, self._control_flow()):
                    raise
                failed = f"{type(answerer).__name__} failed: {describe_failure(error)}"
                raise HookAborted(f"approval was asked for and not given: {failed}") from error
            if isinstance(answer, str):
                return answer
            if answer is not None:
                what = f"{type(answerer).__name__} answered {type(answer).__name__}, not text"
                raise HookAborted(f"approval was asked for and not given: {what}")
        return None


def _refuse_what_only_looks(ctx: HookContext) -> None:
    if ctx.dry_run:
        raise HookAborted("a person would be asked here, and nobody is in a dry run")
    frame = running_frame()
    if frame is not None and getattr(frame[HOOK], "monitor", False):
        raise HookAborted("a person would be asked here, and nobody is in monitor mode")


def _asker() -> str | None:
    frame = running_frame()
    name: str | None = None if frame is None else getattr(frame[HOOK], "plugin", None)
    return name


def _unanswered(error: Exception) -> HookAborted:
    if isinstance(error, EOFError):
        why = "the input has ended"
    elif isinstance(error, NobodyAnsweredError):
        why = str(error)
    else:
        why = f"the prompter failed: {describe_failure(error)}"
    return HookAborted(f"human approval was asked for and not given: {why}")
