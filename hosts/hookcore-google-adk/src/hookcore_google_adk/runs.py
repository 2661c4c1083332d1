"""A runner's run, which is a run of the manager's."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from typing import Any

from hookcore import HookManager
from hookcore.hosting import Handle, arun_stream, stoppable

__all__ = ["judged_run"]


def judged_run(
    manager: HookManager, runner: Any, run_async: Callable[..., Any], options: dict[str, Any]
) -> AsyncGenerator[Any, None]:
    """Return the events of a run as the policies let it go; they judge its last final response.

    Args:
        manager: the hooks.
        runner: the runner.
        run_async: its class's own method.
        options: what that is called with.

    Raises:
        HookAborted: while iterating, when a policy denied the run, something in it, or its result.
    """
    given = options.get("new_message")

    async def events(run: Any) -> AsyncGenerator[Any, None]:
        if run.message is not given:
            options["new_message"] = _content(run.message)
        with stoppable(run) as stopped:
            async with aclosing(run_async(runner, **options)) as source:
                async for event in source:
                    if stopped:
                        break
                    if event.is_final_response():
                        run.result = event
                    yield event

    return arun_stream(
        manager,
        events,
        {"message": given},
        message=given,
        events=_leaving,
        agent=Handle(runner.agent),
        session_id=options.get("session_id"),
        attributes={"app_name": runner.app_name, "user_id": options.get("user_id")},
    )


def _content(message: Any) -> Any:
    """Return the message that policies gave a run, as one of the ADK's."""
    from google.genai import types

    if not isinstance(message, str):
        return message
    return types.Content(role="user", parts=[types.Part(text=message)])


def _leaving(result: Any, items: list[Any]) -> list[Any]:
    """Return the events of a run whose result has been changed: without the pieces of it."""
    from .responses import as_event

    whole = [event for event in items if not event.partial]
    finals = [at for at, event in enumerate(whole) if event.is_final_response()]
    if not finals:
        return [*whole, as_event(result, None)]
    whole[finals[-1]] = as_event(result, whole[finals[-1]])
    return whole
