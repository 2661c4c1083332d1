"""Runs, model calls and tool calls: a span each from its first point to its end, and metrics."""

from __future__ import annotations

import time
from collections.abc import Mapping
from time import perf_counter
from typing import TYPE_CHECKING, Any, NamedTuple

from opentelemetry.context import Context, attach, get_current
from opentelemetry.trace import Span, SpanKind, Status, StatusCode, get_current_span
from opentelemetry.trace import set_span_in_context as with_span

from hookcore import HookContext, ModelCallContext, RunContext, ToolCallContext, tokens_of

from ._open import Key, Open, OpenCalls, key_of
from ._parents import Parent, Parents
from ._sources import Telemetry
from ._text import Known, agent_name, conversation, name_of
from .names import OTHER_ERROR, Attr, Operation
from .settings import OtelSettings

if TYPE_CHECKING:
    from opentelemetry.util.types import AttributeValue

    _Attributes = dict[str, AttributeValue]

__all__ = ["Calls", "Inside", "leave"]


class Inside(NamedTuple):
    """The context before a call's body, and the one that it runs in."""

    before: Context
    entered: Context


def leave(inside: Inside | None) -> None:
    """Go back to the context that was the current one before a call's body.

    Args:
        inside: what :meth:`Calls.enter` returned.
    """
    # By no token: an iterator may be closed in another context than it began in, where there is
    # nothing to go back from.
    if inside is not None and get_current() is inside.entered:
        attach(inside.before)


class Calls:
    """Tells of runs and calls.

    Args:
        settings: what is told.
    """

    def __init__(self, settings: OtelSettings) -> None:
        self.open = OpenCalls()
        self._traces = settings.traces
        self._sessions = settings.session_id
        self._parents = Parents(settings.trust_remote_parent)
        self._tools = Known(settings.known_tools)
        self._models, self._agents = Known(), Known()

    def begin(self, telemetry: Telemetry, point: str, ctx: HookContext) -> None:
        """Begin a run or a call, unless it is known already.

        Args:
            telemetry: who is told.
            point: its first point.
            ctx: its context.
        """
        self._begun(telemetry, key_of(point, ctx), ctx, None)

    def enter(self, point: str, ctx: HookContext) -> Inside | None:
        """Make a call's span the current one, for what its body does.

        Args:
            point: the point around the body.
            ctx: the call.

        Returns:
            What :func:`leave` needs to go back.
        """
        opened = self.open.get(key_of(point, ctx))
        if opened is None or opened.span is None:
            return None
        before = get_current()
        attach(opened.context)
        return Inside(before, opened.context)

    def end_tool(self, telemetry: Telemetry, ctx: ToolCallContext) -> None:
        """End a tool call, also one that was denied before it began.

        Args:
            telemetry: who is told.
            ctx: the call, at its end.
        """
        opened = self._ended(telemetry, "tool_finished", ctx, ctx.duration_ms)
        _close(opened, ctx, {})
        metrics = telemetry.metrics
        if metrics is not None and ctx.entered and ctx.duration_ms is not None:
            tool = self._tools.name(ctx.tool_name, vouched=ctx.tool is not None)
            metrics.tool.record(
                ctx.duration_ms / 1e3,
                {Attr.OPERATION: Operation.TOOL, Attr.TOOL: tool, **_error(ctx)},
            )

    def end_model(self, telemetry: Telemetry, ctx: ModelCallContext) -> None:
        """End a model call.

        Args:
            telemetry: who is told.
            ctx: the call, at its end.
        """
        opened = self._ended(telemetry, "model_finished", ctx, None)
        tokens = tokens_of(ctx.usage)
        used: _Attributes = {}
        if tokens is not None:
            used = {Attr.INPUT_TOKENS: tokens.input, Attr.OUTPUT_TOKENS: tokens.output}
            if tokens.cached:
                used[Attr.CACHED_TOKENS] = tokens.cached
        _close(opened, ctx, used)
        metrics = telemetry.metrics
        if metrics is None or not ctx.entered:
            return
        shared: _Attributes = {
            Attr.OPERATION: Operation.MODEL,
            Attr.REQUEST_MODEL: self._models.name(ctx.model, vouched=True),
            Attr.PROVIDER: self._models.name(ctx.provider, vouched=True),
        }
        metrics.model.record(perf_counter() - opened.began, {**shared, **_error(ctx)})
        if tokens is not None:
            metrics.tokens.record(tokens.input, {**shared, Attr.TOKEN_TYPE: "input"})
            metrics.tokens.record(tokens.output, {**shared, Attr.TOKEN_TYPE: "output"})

    def end_run(self, telemetry: Telemetry, ctx: RunContext) -> None:
        """End a run.

        Args:
            telemetry: who is told.
            ctx: the run, at its end.
        """
        opened = self._ended(telemetry, "run_finished", ctx, None)
        _close(opened, ctx, {})
        metrics = telemetry.metrics
        if metrics is not None and ctx.entered:
            agent = agent_name(ctx.agent)
            named = {} if agent is None else {Attr.AGENT: self._agents.name(agent, vouched=True)}
            metrics.run.record(
                perf_counter() - opened.began,
                {Attr.OPERATION: Operation.RUN, **named, **_error(ctx)},
            )

    def ids(self, told: Any) -> _Attributes:
        """Return the ids by which things are found again.

        Args:
            told: a context or an event.
        """
        found: _Attributes = {}
        if told.session_id is not None and self._sessions != "off":
            found[Attr.CONVERSATION] = conversation(told.session_id, self._sessions)
        if told.run_id is not None:
            found[Attr.RUN_ID] = name_of(told.run_id)
        agent = agent_name(told.agent)
        if agent is not None:
            found[Attr.AGENT] = agent
        return found

    def _begun(self, telemetry: Telemetry, key: Key, ctx: HookContext, start: int | None) -> Open:
        opened = self._opened(telemetry, ctx, start)
        for abandoned in self.open.put(key, opened):
            if abandoned.span is not None:
                abandoned.span.end()
        return opened

    def _ended(
        self, telemetry: Telemetry, point: str, ctx: HookContext, duration_ms: float | None
    ) -> Open:
        """Return what was begun; a span of its own where its beginning was not told."""
        opened = self.open.take(key_of(point, ctx))
        if opened is not None:
            return opened
        start = None if duration_ms is None else time.time_ns() - int(duration_ms * 1e6)
        return self._opened(telemetry, ctx, start)

    def _opened(self, telemetry: Telemetry, ctx: HookContext, start: int | None) -> Open:
        around = get_current_span().get_span_context().span_id
        if telemetry.tracer is None:
            return Open(None, get_current(), around)
        parent = self._parent(ctx, around)
        name, kind, attributes = self._described(ctx)
        span = telemetry.tracer.start_span(
            name,
            context=parent.context,
            kind=kind,
            attributes={**attributes, **self.ids(ctx)},
            links=parent.links,
            start_time=start,
        )
        return Open(span, with_span(span, parent.context), around)

    def _parent(self, ctx: HookContext, around: int) -> Parent:
        for run_id in (ctx.run_id, ctx.parent_run_id):
            run = None if run_id is None else self.open.get(("run", run_id))
            # Under a span that the host has made in the run, or under another call of the run.
            if run is not None and run.span is not None and around in {0, run.around}:
                return Parent(run.context)
        return self._parents.of(ctx.attributes)

    def _described(self, ctx: HookContext) -> tuple[str, SpanKind, _Attributes]:
        if isinstance(ctx, ToolCallContext):
            tool = name_of(ctx.tool_name)
            attributes: _Attributes = {Attr.OPERATION: Operation.TOOL, Attr.TOOL: tool}
            if ctx.call_id is not None:
                attributes[Attr.TOOL_CALL_ID] = name_of(ctx.call_id)
            return f"{Operation.TOOL} {tool}", SpanKind.INTERNAL, attributes
        if isinstance(ctx, ModelCallContext):
            model = name_of(ctx.model)
            attributes = {Attr.OPERATION: Operation.MODEL, Attr.REQUEST_MODEL: model}
            if ctx.provider is not None:
                attributes[Attr.PROVIDER] = name_of(ctx.provider)
            if ctx.streamed:
                attributes[Attr.REQUEST_STREAM] = True
            return f"{Operation.MODEL} {model}", SpanKind.CLIENT, attributes
        agent = agent_name(ctx.agent)
        name = Operation.RUN if agent is None else f"{Operation.RUN} {agent}"
        return name, SpanKind.INTERNAL, {Attr.OPERATION: Operation.RUN}


def _error_type(error: BaseException | None) -> str:
    """Return the name of an exception's class; never its text, which may quote anything.

    Args:
        error: the exception, if it is known.
    """
    return OTHER_ERROR if error is None else name_of(type(error).__qualname__)


def _error(ctx: Any) -> Mapping[str, str]:
    return {Attr.ERROR_TYPE: _error_type(ctx.error)} if ctx.status == "error" else {}


def _close(opened: Open, ctx: Any, attributes: _Attributes) -> None:
    span: Span | None = opened.span
    if span is None:
        return
    attributes.update(_error(ctx))
    if ctx.status is not None:
        attributes[Attr.STATUS] = name_of(ctx.status)
    attributes[Attr.ENTERED] = bool(ctx.entered)
    span.set_attributes(attributes)
    # A denial is what policies are for: no error of the call.
    if ctx.status == "error":
        span.set_status(Status(StatusCode.ERROR))
    span.end()
