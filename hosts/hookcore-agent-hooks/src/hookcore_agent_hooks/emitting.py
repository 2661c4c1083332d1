"""The points of hookcore as emissions of AGENT-HOOKS, and the verdicts as answers of a policy."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any

from agent_hooks import (
    AgentContextBuilder,
    HostError,
    InterceptionBlocked,
    InterceptionEmitter,
    InterceptionPoint,
    InterceptionRecord,
    Verdict,
)

from hookcore import (
    HookAborted,
    ModelCallContext,
    Replace,
    RunContext,
    TextChunk,
    ToolCallContext,
    hookimpl,
)

__all__ = ["Piecewise", "Whole"]

_SOURCE = "agent-hooks"
_UNJUDGED = Verdict.host_error(HostError.STREAMING_UNSUPPORTED)


class Emitting:
    """Asks the interceptors of an emitter at each point, all but the model's response.

    Args:
        emitter: composes and records the interceptors' verdicts.
        builder: makes the contexts of one session.
        tools: the names of the agent's tools.
    """

    on_error = "raise"

    def __init__(
        self, emitter: InterceptionEmitter, builder: AgentContextBuilder, tools: list[str]
    ) -> None:
        self._emitter, self._builder, self._tools = emitter, builder, tools

    @property
    def records(self) -> list[InterceptionRecord]:
        """The records of the emissions, in order."""
        return list(self._emitter.results)

    async def _asked(self, context: Any) -> Any:
        """Return the target as the interceptors left it."""
        try:
            return (await self._emitter.emit(context)).target
        except InterceptionBlocked as error:
            raise _denial(error.result.verdict) from error

    @hookimpl
    async def execution_start(self, ctx: RunContext) -> None:
        """Emit ``agent_startup``."""
        del ctx
        await self._asked(self._builder.agent_startup(tools_registered=self._tools))

    @hookimpl
    async def input(self, ctx: RunContext) -> Any:
        """Emit ``input``."""
        return await self._asked(self._builder.input(**ctx.payload))

    @hookimpl
    async def pre_model_call(self, ctx: ModelCallContext) -> Any:
        """Emit ``pre_model_call``."""
        sent = {"model_id": str(ctx.model), "messages": list(ctx.messages)}
        return await self._asked(self._builder.pre_model_call(**sent))

    @hookimpl
    async def pre_tool_call(self, ctx: ToolCallContext) -> Any:
        """Emit ``pre_tool_call``."""
        return await self._asked(self._builder.pre_tool_call(**_call(ctx)))

    @hookimpl
    async def post_tool_call(self, ctx: ToolCallContext) -> Any:
        """Emit ``post_tool_call``."""
        told = {"value": ctx.tool_result, "is_error": ctx.error is not None}
        return Replace(await self._asked(self._builder.post_tool_call(**_call(ctx), **told)))

    @hookimpl
    async def output(self, ctx: RunContext) -> Any:
        """Emit ``output``, where there is any."""
        if ctx.payload is None:
            return None
        target = await self._asked(self._builder.output(content=ctx.payload))
        return Replace(target["content"])

    @hookimpl
    async def run_finished(self, ctx: RunContext) -> None:
        """Emit ``agent_shutdown``."""
        reason = "completed" if ctx.status == "ok" else "error"
        await self._emitter.emit_unchecked(self._builder.agent_shutdown(reason=reason))

    def _response(self, ctx: ModelCallContext, response: Any) -> Any:
        told = ("content", "tool_calls", "finish_reason")
        fields = {name: getattr(response, name) for name in told}
        return self._builder.post_model_call(model_id=str(ctx.model), **fields)


class Whole(Emitting):
    """Has a response judged when all of it is there."""

    @hookimpl
    async def post_model_call(self, ctx: ModelCallContext) -> Any:
        """Emit ``post_model_call``."""
        if ctx.error is not None:
            return None
        response: Any = ctx.response
        judged: Any = replace(response, **await self._asked(self._response(ctx, response)))
        return judged


class Piecewise(Emitting):
    """Has a streamed response judged piece by piece, each with all text before it."""

    _cut: InterceptionRecord | None = None

    @property
    def records(self) -> list[InterceptionRecord]:
        """The records of the emissions, in order, and of the rest that was not judged."""
        unjudged = {id(self._cut): _UNJUDGED}
        return [
            replace(record, verdict=unjudged.get(id(record), record.verdict))
            for record in super().records
        ]

    @hookimpl
    async def wrap_model_call(self, ctx: ModelCallContext, call_next: Any) -> AsyncIterator[Any]:
        """Emit ``post_model_call`` for each piece, and let it out when that is permitted."""
        text = released = ""
        has_more = False
        try:
            async for chunk in call_next():
                if has_more:  # the last piece ends the response, and is judged as its end
                    text = await self._permitted(ctx, text, released, "incremental")
                    yield TextChunk(text[len(released) :])
                    released = text
                has_more, text = True, text + chunk.text
        except EOFError as error:
            # The emitter has no record for a rest that nobody judged, and this is the nearest.
            self._cut = self._emitter.record_host_failure(InterceptionPoint.POST_MODEL_CALL)
            raise _denial(_UNJUDGED) from error
        text = await self._permitted(ctx, text, released, "stop")
        yield TextChunk(text[len(released) :])

    async def _permitted(self, ctx: ModelCallContext, text: str, released: str, reason: str) -> str:
        response = {"content": text, "tool_calls": [], "finish_reason": reason}
        emitted = self._builder.post_model_call(model_id=str(ctx.model), **response)
        permitted = (await self._asked(emitted))["content"]
        if not isinstance(permitted, str) or not permitted.startswith(released):
            raise HookAborted("an interceptor changed what had been released", source=_SOURCE)
        return permitted


def _call(ctx: ToolCallContext) -> dict[str, Any]:
    return {"call_id": ctx.call_id, "name": ctx.tool_name, "args": dict(ctx.tool_input)}


def _denial(verdict: Verdict) -> HookAborted:
    # In that contract the reason is for the model as well, and mostly all that there is.
    reason = verdict.reason or "denied"
    return HookAborted(reason, source=_SOURCE, message=verdict.message or reason)
