"""Runs and calls as spans, at a real collector."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
from opentelemetry import trace

from hookcore import (
    HookAborted,
    HookManager,
    ModelResponse,
    TextChunk,
    ToolCallContext,
    hookimpl,
)
from hookcore_otel.testing import Collector, attributes

from .told import Told

MakeTold = Callable[..., Told]


def current() -> bytes:
    return trace.get_current_span().get_span_context().span_id.to_bytes(8, "big")


def closed(told: Told, collector: Collector) -> dict[str, Any]:
    told.plugin.close()
    return collector.spans()


def test_a_run_has_its_calls_below_it(told: Told, collector: Collector) -> None:
    with told.manager.run(agent="clerk", session_id="s1"):
        told.manager.call_model([], lambda _: ModelResponse("hi"), model="large")
        told.call("read")
    spans = closed(told, collector)
    run = spans["invoke_agent clerk"]
    assert not run.parent_span_id
    assert spans["chat large"].parent_span_id == run.span_id
    assert spans["execute_tool read"].parent_span_id == run.span_id
    assert {span.trace_id for span in spans.values()} == {run.trace_id}


def test_what_a_tool_calls_stands_below_the_tool(told: Told, collector: Collector) -> None:
    def research(_: Any) -> None:
        with told.manager.run(agent="helper"):
            told.call("search")
        told.call("note")

    with told.manager.run(agent="clerk"):
        told.manager.call_tool("research", {}, research)
    spans = closed(told, collector)
    tool = spans["execute_tool research"]
    assert spans["invoke_agent helper"].parent_span_id == tool.span_id
    assert spans["execute_tool search"].parent_span_id == spans["invoke_agent helper"].span_id
    assert spans["execute_tool note"].parent_span_id == tool.span_id


def test_in_a_tool_its_span_is_the_current_one(told: Told, collector: Collector) -> None:
    seen = told.manager.call_tool("read", {}, lambda _: current())
    assert current() == bytes(8)
    assert closed(told, collector)["execute_tool read"].span_id == seen


def test_calls_at_the_same_time_do_not_mix(told: Told, collector: Collector) -> None:
    async def body(_: Any) -> bytes:
        await asyncio.sleep(0)
        return current()

    async def main() -> list[bytes]:
        async with told.manager.run(agent="clerk"):
            calls = [told.manager.acall_tool(f"t{n}", {}, body) for n in range(5)]
            found = await asyncio.gather(*calls)
        return list(found)

    seen = asyncio.run(main())
    spans = closed(told, collector)
    assert seen == [spans[f"execute_tool t{n}"].span_id for n in range(5)]
    run = spans["invoke_agent clerk"]
    assert {spans[f"execute_tool t{n}"].parent_span_id for n in range(5)} == {run.span_id}


def test_two_open_calls_with_one_id_both_end(told: Told, collector: Collector) -> None:
    def outer(_: Any) -> None:
        told.call("inner", call_id="c1")

    told.manager.call_tool("outer", {}, outer, call_id="c1")
    assert set(closed(told, collector)) == {"execute_tool outer", "execute_tool inner"}
    assert told.plugin.stats().open == 0


def test_calls_with_one_id_at_the_same_time_leave_nothing_behind(
    told: Told, collector: Collector
) -> None:
    both = threading.Barrier(2)
    left: list[bytes] = []

    def work() -> None:
        told.manager.call_tool("read", {}, lambda _: both.wait(60), call_id="c1")
        left.append(current())

    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert left == [bytes(8)] * 2
    told.plugin.close()
    assert len(collector.all_spans()) == 2


def test_a_denied_call_is_a_span_of_its_own(told: Told, collector: Collector) -> None:
    with told.manager.run(agent="clerk"):
        told.call("rm", call_id="c1")
    spans = closed(told, collector)
    span = spans["execute_tool rm"]
    found = attributes(span)
    assert span.parent_span_id == spans["invoke_agent clerk"].span_id
    assert (found["hookcore.call.status"], found["hookcore.call.entered"]) == ("denied", False)
    assert found["gen_ai.tool.call.id"] == "c1"
    assert span.status.code == 0


def test_a_call_that_a_scoped_policy_denies_after_it_has_run_is_denied(
    told: Told, collector: Collector
) -> None:
    class Judge:
        @hookimpl(gate=True)
        def post_tool_call(self, ctx: ToolCallContext) -> None:
            raise HookAborted("not that")

    with told.manager.scope(Judge()):
        told.call("read")
    found = attributes(closed(told, collector)["execute_tool read"])
    assert (found["hookcore.call.status"], found["hookcore.call.entered"]) == ("denied", True)


def test_an_error_is_told_by_its_class_alone(told: Told, collector: Collector) -> None:
    def fails(_: Any) -> None:
        raise KeyError("hunter2")

    with pytest.raises(KeyError):
        told.manager.call_tool("read", {}, fails)
    span = closed(told, collector)["execute_tool read"]
    assert span.status.code == 2
    assert (span.status.message, list(span.events)) == ("", [])
    assert attributes(span)["error.type"] == "KeyError"


def test_a_cancelled_call_ends_as_that(told: Told, collector: Collector) -> None:
    async def main() -> None:
        async def body(_: Any) -> None:
            began.set()
            await asyncio.Event().wait()

        began = asyncio.Event()
        call = asyncio.ensure_future(told.manager.acall_tool("read", {}, body))
        await began.wait()
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call
        assert current() == bytes(8)

    asyncio.run(main())
    found = attributes(closed(told, collector)["execute_tool read"])
    assert found["hookcore.call.status"] == "cancelled"


def test_a_model_call_has_its_tokens(told: Told, collector: Collector) -> None:
    usage = {"input_tokens": 30, "cache_read_input_tokens": 60, "output_tokens": 7}
    answer = ModelResponse("hi", usage=usage)
    told.manager.call_model([], lambda _: answer, model="large", provider="anthropic")
    span = closed(told, collector)["chat large"]
    assert span.kind == span.SPAN_KIND_CLIENT
    assert attributes(span) == {
        "gen_ai.operation.name": "chat",
        "gen_ai.request.model": "large",
        "gen_ai.provider.name": "anthropic",
        "gen_ai.usage.input_tokens": 90,
        "gen_ai.usage.output_tokens": 7,
        "gen_ai.usage.cache_read.input_tokens": 60,
        "hookcore.call.status": "ok",
        "hookcore.call.entered": True,
    }


def test_tokens_stand_at_the_model_call_and_not_at_the_run(
    told: Told, collector: Collector
) -> None:
    answer = ModelResponse("hi", usage={"input_tokens": 1, "output_tokens": 1})
    with told.manager.run(agent="clerk"):
        told.manager.call_model([], lambda _: answer, model="large")
    run = closed(told, collector)["invoke_agent clerk"]
    assert not [key for key in attributes(run) if key.startswith("gen_ai.usage")]


def test_a_stream_ends_with_its_reader(told: Told, collector: Collector) -> None:
    def stream(_: Any) -> Any:
        return iter([TextChunk("a"), TextChunk("b")])

    events = told.manager.stream_model([], stream, model="large")
    next(iter(events))
    assert current() == bytes(8)
    events.close()
    found = attributes(closed(told, collector)["chat large"])
    assert found["gen_ai.request.stream"] is True
    assert found["hookcore.call.status"] == "cancelled"


def test_a_span_of_the_host_is_the_parent(told: Told, collector: Collector) -> None:
    pipeline = told.plugin._source.pipeline if told.plugin._source else None
    assert pipeline is not None
    tracer = pipeline.open().traces.get_tracer("host")
    with tracer.start_as_current_span("request"), told.manager.run(agent="clerk"):
        told.call("read")
        with tracer.start_as_current_span("loop"):
            told.call("write")
    spans = closed(told, collector)
    assert spans["invoke_agent clerk"].parent_span_id == spans["request"].span_id
    assert spans["execute_tool read"].parent_span_id == spans["invoke_agent clerk"].span_id
    assert spans["execute_tool write"].parent_span_id == spans["loop"].span_id


def test_an_end_without_a_beginning_is_a_span_too(told: Told, collector: Collector) -> None:
    ctx = ToolCallContext(
        tool_name="read", tool_result=None, status="ok", entered=True, duration_ms=1500.0
    )
    told.manager.dispatch("tool_finished", ctx)
    span = closed(told, collector)["execute_tool read"]
    assert (span.end_time_unix_nano - span.start_time_unix_nano) / 1e9 == pytest.approx(1.5, 0.3)


def test_beginnings_without_an_end_are_bounded(
    told: Told, collector: Collector, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hookcore_otel._open._MOST", 3)
    for number in range(5):
        ctx = ToolCallContext(tool_name=f"t{number}", payload={}, call_id=f"c{number}")
        told.manager.dispatch("pre_tool_call", ctx)
    assert told.plugin.stats().open == 3
    assert set(closed(told, collector)) == {"execute_tool t0", "execute_tool t1"}


@pytest.mark.parametrize(
    ("how", "shown"),
    [
        ("plain", "s1"),
        ("hash", "e8bc163c82eee18733288c7d4ac636db"),
        ("off", None),
    ],
)
def test_sessions_are_told_as_the_operator_wants(
    how: str, shown: str | None, collector: Collector, make_told: MakeTold
) -> None:
    told = make_told(session_id=how)
    told.call("read", session_id="s1")
    found = attributes(closed(told, collector)["execute_tool read"])
    assert found.get("gen_ai.conversation.id") == shown


@pytest.mark.parametrize(
    ("name", "shown"),
    [("x" * 129, "_other"), ("", "_other"), ("read\ud800", "read?"), (None, "_other")],
)
def test_a_name_that_is_none_neither_grows_nor_breaks_a_batch(
    name: Any, shown: str, told: Told, collector: Collector
) -> None:
    agent = SimpleNamespace(role="cle\udfffrk")
    ctx = ToolCallContext(
        tool_name=name, tool_result=None, status="ok", agent=agent, call_id="c\ud800"
    )
    told.manager.dispatch("tool_finished", ctx)
    found = attributes(closed(told, collector)[f"execute_tool {shown}"])
    assert found["gen_ai.agent.name"] == "cle?rk"
    assert found["gen_ai.tool.call.id"] == "c?"


def test_without_traces_nothing_stands_around_calls(
    collector: Collector, make_told: MakeTold
) -> None:
    told = make_told(traces=False)
    assert not told.manager.hooks("wrap_tool_call")
    with told.manager.run(agent="clerk"):
        told.call("read")
        told.call("rm")
    assert closed(told, collector) == {}
    assert len(collector.logs()) == 1


def test_a_dry_run_tells_nothing(told: Told, collector: Collector) -> None:
    with told.manager.run(agent="clerk", dry_run=True):
        told.call("read")
    told.plugin.close()
    assert collector.all_spans() == []


def test_without_an_sdk_everything_goes_on() -> None:
    told = Told(setup="host")
    with told.manager.run(agent="clerk"):
        assert told.call("read") == "done"
        assert told.call("rm").reason == "no removing"
    assert told.plugin.stats().failed == 0


def test_a_manager_by_configuration_has_it(collector: Collector) -> None:
    from hookcore_otel import Otel

    manager = HookManager()
    manager.register(Otel, name="otel", settings={"setup": "otlp", "known_tools": ["read"]})
    manager.call_tool("read", {}, lambda _: 1)
    (info,) = manager.plugins()
    info.plugin.close()
    assert set(collector.spans()) == {"execute_tool read"}
