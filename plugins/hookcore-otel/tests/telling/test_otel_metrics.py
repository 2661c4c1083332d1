"""Metrics, and how few series they make."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from hookcore import ModelResponse
from hookcore_otel.names import METRICS
from hookcore_otel.testing import Collector

from .told import Told

MakeTold = Callable[..., Told]
TABLE = {key: value for key, value in vars(METRICS).items() if key.isupper()}


def tools(collector: Collector) -> dict[str, int]:
    points = collector.points("gen_ai.execute_tool.duration")
    return {where["gen_ai.tool.name"]: point.count for where, point in points}


def test_every_instrument_of_the_table_arrives_as_it_is_there(
    told: Told, collector: Collector
) -> None:
    class Fails:
        on_error = "allow"

        def pre_tool_call(self, ctx: Any) -> None:
            raise KeyError

    from hookcore import hookimpl

    Fails.pre_tool_call = hookimpl(Fails.pre_tool_call)  # type: ignore[method-assign]
    told.manager.register(Fails(), name="fails")
    answer = ModelResponse("hi", usage={"input_tokens": 11, "output_tokens": 7})
    with told.manager.run(agent="clerk"):
        told.manager.call_model([], lambda _: answer, model="large")
        told.call("read")
    told.plugin.close()
    found = collector.metrics()
    assert set(found) == {made.name for made in TABLE.values()}
    for made in TABLE.values():
        metric = found[made.name]
        assert (metric.unit, metric.description) == (made.unit, made.description)
        assert metric.HasField("histogram") is bool(made.bounds)
        if made.bounds:
            assert tuple(metric.histogram.data_points[0].explicit_bounds) == made.bounds


def test_tokens_are_counted_by_kind(told: Told, collector: Collector) -> None:
    answer = ModelResponse("hi", usage={"input_tokens": 11, "output_tokens": 7})
    for _ in range(3):
        told.manager.call_model([], lambda _: answer, model="large", provider="openai")
    told.plugin.close()
    points = collector.points("gen_ai.client.token.usage")
    assert {where["gen_ai.token.type"]: point.sum for where, point in points} == {
        "input": 33,
        "output": 21,
    }
    assert {where["gen_ai.request.model"] for where, _ in points} == {"large"}


def test_unknown_tokens_are_not_counted_as_none(told: Told, collector: Collector) -> None:
    told.manager.call_model([], lambda _: ModelResponse("hi"), model="large")
    told.plugin.close()
    assert collector.points("gen_ai.client.token.usage") == []
    assert len(collector.points("gen_ai.client.operation.duration")) == 1


def test_tools_that_nobody_knows_are_one_series(told: Told, collector: Collector) -> None:
    for number in range(5000):
        told.call(f"made-up-{number}")
    told.plugin.close()
    assert tools(collector) == {"_other": 5000}


def test_known_tools_are_told_apart(collector: Collector, make_told: MakeTold) -> None:
    told = make_told(known_tools=["read", "search_*"])
    for name in ("read", "search_web", "search_web", "write"):
        told.call(name)
    told.plugin.close()
    assert tools(collector) == {"read": 1, "search_web": 2, "_other": 1}


def test_a_tool_that_the_host_has_an_object_for_is_known(told: Told, collector: Collector) -> None:
    told.call("write", tool=object())
    told.call("write")
    told.plugin.close()
    assert tools(collector) == {"write": 2}


def test_even_known_names_are_bounded(collector: Collector, make_told: MakeTold) -> None:
    told = make_told(known_tools=["*"])
    for number in range(300):
        told.call(f"t{number}")
    told.plugin.close()
    assert len(tools(collector)) == 201
    assert tools(collector)["_other"] == 100


def test_a_denied_call_has_no_duration(told: Told, collector: Collector) -> None:
    told.call("rm")
    told.plugin.close()
    assert tools(collector) == {}


def test_sessions_and_calls_make_no_series(told: Told, collector: Collector) -> None:
    for number in range(50):
        told.call("rm", session_id=f"s{number}", call_id=f"c{number}", run_id=f"r{number}")
        told.call("read", session_id=f"s{number}", call_id=f"c{number}")
    told.plugin.close()
    assert all(len(collector.points(made.name)) <= 2 for made in TABLE.values())


def test_the_time_of_hooks_is_told_by_point_and_outcome(told: Told, collector: Collector) -> None:
    told.call("rm")
    told.call("read")
    told.plugin.close()
    points = collector.points("hookcore.dispatch.duration")
    assert {where["hookcore.outcome"]: point.count for where, point in points} == {"aborted": 1}


@pytest.mark.parametrize("setting", ["metrics", "traces"])
def test_what_is_left_out_is_not_sent(
    setting: str, collector: Collector, make_told: MakeTold
) -> None:
    told = make_told(**{setting: False})
    told.call("rm")
    told.plugin.close()
    assert bool(collector.metrics()) is (setting != "metrics")
    assert bool(collector.all_spans()) is (setting != "traces")
    assert len(collector.logs()) == 1
