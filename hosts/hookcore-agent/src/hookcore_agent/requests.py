"""One request from its setup to its end: the only place where its points of setup and run fire."""

from __future__ import annotations

import asyncio
import inspect
import logging
from functools import partial
from typing import TYPE_CHECKING, Any

from hookcore.hosting import describe_failure
from hookcore_specs import HookAborted, SetupContext

from .context import SERVING, EventDelivery, RequestContext
from .errors import AgentIterationLimitError, AgentProtocolError, add_note
from .events import EventType, PhaseTransitionEvent, RunCancelledEvent
from .messages import Message, UserMessage, as_message, close_open_calls
from .phases import Phase
from .results import RunResult
from .tools import ServerTool, Tool
from .turns import run_turn

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

__all__ = ["result_of", "serve"]

logger = logging.getLogger("hookcore")

_LOST = "no result was recorded: the request ended before the tool answered"
_CANCELLED = "cancelled before completion"
_FAILED = "not completed: the request failed"


async def serve(context: RequestContext) -> BaseException | None:
    """Do the whole of a request.

    Args:
        context: the request.

    Returns:
        What it failed with, None when it succeeded. It is a value so that an interrupt or a
        cancellation that a hook raised reaches the reader of the stream as the same object.
    """
    context._bindings = [extension.bind(context) for extension in context.agent.extensions]
    failure: BaseException | None = None
    SERVING.set(context)
    with context.agent._scope.entered(context):
        try:
            await _request(context)
        except BaseException as error:  # noqa: BLE001 - the reader of the stream raises it
            failure = error
        if failure is not None:
            await _ended(context, failure)
        await _finalise(context, failure)
        if failure is None:
            await context._send(EventType.RUN_COMPLETED, context.result)
    return failure


async def _request(context: RequestContext) -> None:
    await _set_up(context)
    context._channel.go_on()
    close_open_calls(context.session.messages, _LOST)
    await _store(context, context.input_message)
    given = context.input_message.content
    manager = context.manager
    run = manager.run({"message": given}, message=_message_of, **context._ids())
    stored = context.session.messages[-1]
    try:
        await run.__aenter__()
    except HookAborted:
        # A refused input must not reach the model with the next request.
        _discard(context, stored)
        raise
    try:
        stored.content = run.message
        run.result = await _turns(context)
    except BaseException as error:
        if not await run.__aexit__(type(error), error, error.__traceback__):
            raise
    else:
        await run.__aexit__(None, None, None)
    if context.phase is not Phase.READY:
        await context._move(Phase.READY)  # a hook put a value in the place of an error
    # Nothing after this makes it a failed one.
    context.result = result_of(context, run.result)
    await context._move(Phase.COMPLETED)


def result_of(context: RequestContext, output: Any) -> RunResult:
    """Return what a request comes to.

    Args:
        context: the request.
        output: its output, as the hooks left it.
    """
    return RunResult(
        output=output,
        messages=list(context.session.messages),
        run_id=context.run_id,
        session_id=context.session_id,
        usage=dict(context._usage),
        ungoverned=tuple(context._ungoverned),
    )


def _message_of(inputs: dict[str, Any]) -> Any:
    return inputs.get("message")


def _discard(context: RequestContext, message: Message) -> None:
    messages = context.session.messages
    messages[:] = [item for item in messages if item is not message]


# Setup


async def _set_up(context: RequestContext) -> None:
    if context.input_message.content is None:
        raise AgentProtocolError("a request needs an input, not None")
    tools = await _point(context, "setup_tools", dict(context.agent._registry))
    context.tools = _checked_tools(tools)
    data = await _point(context, "setup_state", context.session.data)
    if not isinstance(data, dict):
        raise AgentProtocolError(f"a hook at setup_state left {type(data).__name__}, not a dict")
    data["messages"] = [as_message(item) for item in data.get("messages", ())]
    context.session.data = data
    content = await _point(context, "setup_message", context.input_message.content)
    if content is None:
        raise AgentProtocolError("a hook left the request without an input")
    if context.input_message.content != content:
        context.input_message = UserMessage(content)
    await context._flush()


def _checked_tools(tools: Any) -> dict[str, Any]:
    if isinstance(tools, dict) and all(
        isinstance(tool, (Tool, ServerTool)) for tool in tools.values()
    ):
        return tools
    raise AgentProtocolError(
        "a hook at setup_tools left something else than a dict of tools by their names"
    )


async def _point(context: RequestContext, point: str, payload: Any, **attributes: Any) -> Any:
    ctx = SetupContext(payload=payload, attributes=attributes, **context._ids())
    return await context.manager.asettle(point, ctx)


async def _store(context: RequestContext, message: Message) -> None:
    context.session.messages.append(message)
    context._unannounced.append(message)
    await context._flush()


# Turns


async def _turns(context: RequestContext) -> Any:
    limit = context.agent.max_iterations
    calls_for_input = index = 0
    while True:
        if calls_for_input >= limit:
            raise AgentIterationLimitError(
                f"agent {context.agent.name} called its model {limit} times for one input; "
                "max_iterations= says how often it may"
            )
        opening = await run_turn(context, index)
        calls_for_input += 1
        index += 1
        admitted = [await _admit(context, text) for text in context._inbox.steering()]
        if any(admitted) or (not opening.tool_calls and await _next_input(context)):
            calls_for_input = 0
        elif not opening.tool_calls:
            return opening.content


async def _next_input(context: RequestContext) -> bool:
    """Take the next input that a policy lets in; without one the inbox is closed."""
    while (taken := context._inbox.next_or_close()) is not None:
        if await _admit(context, taken[0]):
            return True
    return False


async def _admit(context: RequestContext, content: Any) -> bool:
    """Let the policies judge a further input as they judged the first, and store it."""
    try:
        content = await _point(context, "setup_message", content, further=True)
    except HookAborted as refusal:
        await context._send(EventType.INPUT_DENIED, refusal)
        return False
    await _store(context, UserMessage(content))
    return True


# Ends


async def _ended(context: RequestContext, error: BaseException) -> None:
    context._inbox.close()
    cancelled = isinstance(error, asyncio.CancelledError)
    if cancelled or isinstance(error, Exception):
        close_open_calls(context.session.messages, _CANCELLED if cancelled else _FAILED)
    if context._phases.is_over:
        return
    if cancelled:
        moved = await _move_to_end(context, Phase.CANCELLED, error)
        event = RunCancelledEvent(moved.source, moved.occurred_at, moved.monotonic_ns)
        await _safely(partial(context._deliver, EventDelivery(context, event, None, error)), error)
    elif isinstance(error, Exception):
        await _move_to_end(context, Phase.FAILED, error)
        for binding in context._bindings:
            await _safely(partial(binding.request_failed, error), error)


async def _move_to_end(
    context: RequestContext, target: Phase, error: BaseException
) -> PhaseTransitionEvent:
    event = PhaseTransitionEvent(context._phases.move(target), target)
    await _safely(partial(context._deliver, EventDelivery(context, event, None, error)), error)
    return event


async def _finalise(context: RequestContext, failure: BaseException | None) -> None:
    while context._finalisers:
        await _safely(context._finalisers.pop(), failure)
    context._inbox.close()
    context.manager.parts.services.states.drop(context.run_id)


async def _safely(
    call: Callable[[], Awaitable[object] | object], original: BaseException | None
) -> None:
    """Run a cleanup; what it raises is a note on the original error, or a line in the log."""
    try:
        result = call()
        if inspect.isawaitable(result):
            await result
    except (Exception, asyncio.CancelledError) as second:  # noqa: BLE001 - the others must run too
        if original is not None and second is not original:
            add_note(original, f"a cleanup failed too: {type(second).__name__}: {second}")
        logger.warning("a cleanup of an agent's request failed: %s", describe_failure(second))
