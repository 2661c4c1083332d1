"""No content gets out, whatever is called and however it fails."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import pytest

from hookcore import HookAborted, ModelResponse, TextChunk, ToolCall, ToolCallContext, hookimpl
from hookcore_otel.testing import Collector

from .told import Told

SECRET = "hunter2-hunter2"


class Quotes:
    """A policy that quotes what it judges."""

    @hookimpl(tools=["quoted"])
    def pre_tool_call(self, ctx: ToolCallContext) -> None:
        raise HookAborted(f"not with {ctx.tool_input}", message=f"no {ctx.tool_input}")


class Breaks:
    on_error = "allow"

    @hookimpl
    def post_tool_call(self, ctx: ToolCallContext) -> None:
        raise ValueError(SECRET)


def everything(told: Told) -> None:
    manager, given = told.manager, {"password": SECRET}
    manager.register(Quotes(), name="quotes")
    manager.register(Breaks(), name="breaks")

    def fails(_: Any) -> None:
        raise RuntimeError(SECRET) from KeyError(SECRET)

    answer = ModelResponse(SECRET, tool_calls=[ToolCall("read", given, "c1")], thinking=SECRET)
    messages = [{"role": "user", "content": SECRET}]
    with manager.run({"message": SECRET}, message=SECRET, agent="clerk") as run:
        manager.call_model(messages, lambda _: answer, model="large")
        list(manager.stream_model(messages, lambda _: iter([TextChunk(SECRET)]), model="large"))
        manager.call_tool("read", given, lambda _: SECRET)
        manager.call_tool("quoted", given, lambda _: SECRET, on_denied="return")
        manager.call_tool("rm", given, lambda _: SECRET, on_denied="return")
        manager.call_tool("read", f'{{"password": "{SECRET}"', fails, on_denied="return")
        with pytest.raises(RuntimeError):
            manager.call_tool("read", given, fails)
        with pytest.raises(RuntimeError):
            manager.call_model(messages, fails, model="large")
        run.result = SECRET
    with pytest.raises(RuntimeError), manager.run({"message": SECRET}):
        fails(None)


@pytest.mark.parametrize("decisions", ["log", "event", "span"])
def test_no_content_is_sent(
    decisions: Literal["log", "event", "span"],
    collector: Collector,
    make_told: Callable[..., Told],
) -> None:
    told = make_told(decisions=decisions)
    everything(told)
    told.plugin.close()
    assert len(collector.all_spans()) >= 9
    assert told.plugin.stats().failed == 0
    assert SECRET.encode() not in collector.bytes()
    assert b"hunter2" not in collector.bytes()


def test_baggage_is_not_sent(told: Told, collector: Collector) -> None:
    from opentelemetry import baggage, context

    token = context.attach(baggage.set_baggage("user", SECRET))
    try:
        told.call("read", attributes={"baggage": f"user={SECRET}"})
    finally:
        context.detach(token)
    told.plugin.close()
    assert SECRET.encode() not in collector.bytes()
