"""The model calls of executors: CrewAI's own copies of the hook lists are not asked any more.

An executor copies the lists when it is made and keeps the copies for good. Here a call runs the
chain as it is at that time, and what was given to the one executor besides.
"""

from __future__ import annotations

from typing import Any

from ._patches import Patches
from .hooks._binding import binding
from .hooks._calls import LLMCallHookContext
from .hooks._dialect import LegacyHookBlocked
from .hooks._explicit import dispatch_with
from .hooks._lists import LISTS, registered_once
from .hooks._prepare import STANDARD_REDUCERS
from .hooks._scopes import refresh
from .hooks.dispatch import dispatch

__all__ = ["patch"]

_BEFORE = ("pre_model_call", "before_llm_call_hooks")
_AFTER = ("post_model_call", "after_llm_call_hooks")


def patch(patches: Patches) -> None:
    """Put our own in the place of the two functions around an executor's model call."""
    from crewai.utilities import agent_utils

    patches.set(agent_utils, "_setup_before_llm_call_hooks", before_call)
    patches.set(agent_utils, "_setup_after_llm_call_hooks", after_call)


def before_call(executor_context: Any, printer: Any, verbose: bool = True) -> bool:  # noqa: FBT001, FBT002 - CrewAI's signature
    """Dispatch ``pre_model_call`` and return whether the call may go on.

    Raises:
        HookAborted: a hook stopped it.
    """
    if not executor_context:
        return True
    messages = executor_context.messages
    try:
        _dispatch(_BEFORE, LLMCallHookContext(executor_context), verbose)
    except LegacyHookBlocked:
        if verbose:
            printer.print(content="A hook blocked the model call", color="yellow")
        return False
    _keep_a_list(executor_context, messages, printer, verbose)
    return True


def after_call(executor_context: Any, answer: Any, printer: Any, verbose: bool = True) -> Any:  # noqa: FBT001, FBT002 - CrewAI's signature
    """Dispatch ``post_model_call`` and return the answer; a structured one is hooked as JSON.

    Raises:
        HookAborted: a hook stopped the run.
    """
    from pydantic import BaseModel

    if not executor_context or not isinstance(answer, (str, BaseModel)):
        return answer
    messages = executor_context.messages
    text = answer if isinstance(answer, str) else answer.model_dump_json()
    ctx = LLMCallHookContext(executor_context, response=text)
    _dispatch(_AFTER, ctx, verbose)
    _keep_a_list(executor_context, messages, printer, verbose)
    response = text if ctx.response is None else ctx.response
    if isinstance(answer, str) or response == text:
        return answer if response == text else response
    return validated(answer, response, printer if verbose else None)


def validated(answer: Any, text: str, printer: Any) -> Any:
    """Return the JSON that hooks made of a structured answer, as an answer of the same class.

    What does not fit the class is dropped, and the answer stays as it was.
    """
    try:
        return type(answer).model_validate_json(text)
    except ValueError as error:
        if printer is not None:
            printer.print(
                content=f"What a hook made of the response is no {type(answer).__name__} "
                f"({error}); the response stays as it was",
                color="yellow",
            )
        return answer


def _dispatch(where: tuple[str, str], ctx: LLMCallHookContext, verbose: bool) -> None:  # noqa: FBT001 - passed on
    point, attribute = where
    listed = LISTS[point]
    given = [
        hook
        for hook in getattr(ctx.executor, attribute, None) or ()
        if not registered_once(hook) and not any(hook is item for item in listed)
    ]
    if given:
        ctx.quiet = not verbose
        refresh()  # brings the scopes up to date, which the chain is made of
        binding.describe(ctx)
        dispatch_with(point, ctx, tuple(given))
    else:
        dispatch(point, ctx, reducer=STANDARD_REDUCERS[point], verbose=verbose)


def _keep_a_list(executor: Any, messages: Any, printer: Any, verbose: bool) -> None:  # noqa: FBT001 - passed on
    if isinstance(executor.messages, list):
        return
    if verbose:
        printer.print(
            content="A hook replaced the messages with something else than a list; "
            "they were put back",
            color="yellow",
        )
    executor.messages = messages if isinstance(messages, list) else []
