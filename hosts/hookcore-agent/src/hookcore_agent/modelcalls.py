"""One model call of a turn: the only place where the points of a model call fire."""

from __future__ import annotations

import uuid
from collections.abc import AsyncGenerator, Iterable
from contextlib import aclosing
from typing import TYPE_CHECKING, Any

from hookcore.hosting import copy_payload, current_run
from hookcore_specs import ModelCallContext, ModelChoice, ModelResponse, TextChunk, ToolCall

from .events import EventType
from .messages import AssistantMessage, Message, SystemMessage, as_message, wire_call
from .models import CODEC, ModelRequest, checked, whole_answer
from .phases import Phase
from .tools import ServerTool, Tool

if TYPE_CHECKING:
    from .context import RequestContext

__all__ = ["answer", "model_request", "responded", "started"]


async def answer(context: RequestContext) -> list[ToolCall]:
    """Call the model and return the tool calls that its answer asks for.

    Args:
        context: the request; its messages in force are what the model is sent.
    """
    context._channel.go_on()
    choice = await _resolved(context)
    messages = await _prompted(context, choice)
    await _report_ungoverned(context)
    ctx = ModelCallContext(
        messages=messages,
        model=choice.model,
        provider=choice.provider,
        tools=list(context._registry.values()),
        iterations=context._iterations,
        llm=context.agent._model_for(choice),
        executor=context.agent,
        **_fields(context),
    )
    context._iterations += 1
    context._generating, context._after_model_failed = True, False
    stream = context.manager.astream_model(ctx, _source(context, ctx), codec=CODEC)
    response: ModelResponse | None = None
    async with aclosing(checked(stream)) as events:
        async for event in events:
            await started(context)
            if isinstance(event, ModelResponse):
                response = event
            elif isinstance(event, TextChunk) and event.text:
                await context._send(EventType.TEXT, event.text)
    assert response is not None  # noqa: S101 - checked() has seen to it
    await responded(context, response)
    await context._send(EventType.MODEL_COMPLETED, response)
    return context._calls


def _fields(context: RequestContext) -> dict[str, Any]:
    attributes = {"server_tools": [tool.type for tool in context.server_tools]}
    return current_run().fill({"attributes": attributes})


async def _resolved(context: RequestContext) -> ModelChoice:
    model = context.agent.model
    ctx = ModelCallContext(payload=ModelChoice(model.provider, model.name), **_fields(context))
    choice: ModelChoice = await context.manager.asettle("model_resolve", ctx)
    return choice


async def _prompted(context: RequestContext, choice: ModelChoice) -> list[Any]:
    """Return the messages with the prompt in front: the turn's list from now on."""
    ctx = ModelCallContext(
        payload=context.agent.instructions,
        model=choice.model,
        provider=choice.provider,
        **_fields(context),
    )
    context._prompt = await context.manager.asettle("prompt_build", ctx)
    if context._prompt:
        context.messages.insert(0, SystemMessage(context._prompt))
    return context.messages


async def _report_ungoverned(context: RequestContext) -> None:
    types = [tool.type for tool in context.server_tools if tool.type not in context._ungoverned]
    if types:
        context._ungoverned += types
        await context._send(EventType.UNGOVERNED_TOOLS, types)


def _source(context: RequestContext, ctx: ModelCallContext) -> Any:
    async def source(messages: list[Any]) -> AsyncGenerator[Any, None]:
        context._channel.go_on()
        await started(context)
        model = context.agent._model_for(ModelChoice(str(ctx.provider), str(ctx.model)))
        ctx.llm = model  # hooks may have chosen another one since
        async with aclosing(whole_answer(model.stream(model_request(context, ctx, messages)))) as (
            events
        ):
            async for event in events:
                if isinstance(event, ModelResponse) and event.usage:
                    _count(context, ctx, event.usage)
                yield event

    return source


def _count(context: RequestContext, ctx: ModelCallContext, usage: dict[str, int]) -> None:
    ctx.usage = usage
    for name, value in usage.items():
        context._usage[name] = context._usage.get(name, 0) + value


def model_request(
    context: RequestContext, ctx: ModelCallContext, messages: list[Any]
) -> ModelRequest:
    """Return what the model is asked, as it stands now.

    Args:
        context: the request.
        ctx: the model call's context, with the model and the tools.
        messages: the conversation.
    """
    return ModelRequest(
        messages=tuple(as_message(message) for message in messages),
        tools=tuple(tool for tool in ctx.tools if isinstance(tool, Tool)),
        server_tools=tuple(tool for tool in ctx.tools if isinstance(tool, ServerTool)),
        model=str(ctx.model),
        provider=str(ctx.provider),
        run_id=context.run_id,
        session_id=context.session_id,
    )


async def started(context: RequestContext) -> None:
    """Note that the model call has passed its ``pre_model_call``; the first notice counts."""
    if context._generating and context.phase is Phase.READY:
        await context._move(Phase.GENERATING)
        await context._send(EventType.MODEL_STARTED)


async def responded(context: RequestContext, response: Any) -> None:
    """Store the answer that the hooks let through; the first notice counts.

    Args:
        context: the request.
        response: the answer.
    """
    if not context._generating:
        return
    await started(context)
    context._generating = False
    await context._move(Phase.READY)
    if not isinstance(response, ModelResponse):
        response = ModelResponse("" if response is None else str(response))
    context._calls = _identified(response.tool_calls, context.session.messages)
    context._opening = AssistantMessage(response.content, [wire_call(c) for c in context._calls])
    await context._append(context._opening)


def _identified(calls: list[ToolCall], said: Iterable[Message]) -> list[ToolCall]:
    """Return copies of the calls, each with an id that no other call of the session has.

    Models leave some out, or repeat them, in one answer or from one answer to the next.
    """
    made: list[ToolCall] = []
    if not calls:
        return made
    taken = {call["id"] for message in said for call in message.get("tool_calls") or ()}
    for call in calls:
        own = call.id if call.id and call.id not in taken else f"call_{uuid.uuid4().hex[:24]}"
        taken.add(own)
        made.append(ToolCall(call.name, copy_payload(call.arguments), own))
    return made
