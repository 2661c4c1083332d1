"""One turn: a model's answer and the tool calls that it asks for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hookcore.hosting import copy_payload

from .events import AgentEvent, EventType
from .messages import AssistantMessage, as_message, close_open_calls
from .modelcalls import answer
from .phases import Phase
from .toolcalls import run_calls

if TYPE_CHECKING:
    from .context import RequestContext

__all__ = ["run_turn"]

_FAILED = "not completed: the turn failed"


async def run_turn(context: RequestContext, index: int) -> AssistantMessage:
    """Do one turn.

    Args:
        context: the request.
        index: the number of the turn in the request, from 0.

    Returns:
        The assistant message that opened it, as the hooks left it.
    """
    # Hooks edit the turn's own copy: what they add is not there in the next turn.
    working = copy_payload(context.session.messages)
    context._working, context._turn_tools = working, dict(context.tools)
    context._opening, context._prompt = None, ""
    try:
        async with context.manager.turn(working, index=index) as turn:
            context._working = turn.messages
            await _compact(context)
            calls = await answer(context)
            turn.opening = context._opening
            await run_calls(context, calls)
    finally:
        context._working = context._turn_tools = None
    if context.phase is not Phase.READY:
        await context._move(Phase.READY)  # a hook put a value in the place of an error
    return _settled(context, turn.opening)


def _settled(context: RequestContext, opening: object) -> AssistantMessage:
    """Return the opening message; one that a hook changed takes its place in the conversation."""
    message = as_message("" if opening is None else opening)
    if not isinstance(message, AssistantMessage):
        message = AssistantMessage(message.content)
    before = context._opening
    messages = context.session.messages
    if before is None:
        messages.append(message)
    elif before.tool_calls and not message.tool_calls:
        # An error among the calls was replaced: the calls stay, and each needs its answer.
        close_open_calls(messages, _FAILED)
        messages.append(message)
    elif message != before:
        messages[:] = [message if item is before else item for item in messages]
    return message


async def _compact(context: RequestContext) -> None:
    """Let the agent's compaction shorten the turn's messages."""
    compaction = context.agent.compaction
    if compaction is None or not compaction.is_due(context):
        return
    await context._move(Phase.COMPACTING)
    await context.emit(AgentEvent(EventType.COMPACTION_STARTED))
    messages = await compaction.compact(context)
    if messages is not None:
        context.messages[:] = [as_message(message) for message in messages]
    await context.emit(AgentEvent(EventType.COMPACTION_COMPLETED))
    await context._move(Phase.READY)
