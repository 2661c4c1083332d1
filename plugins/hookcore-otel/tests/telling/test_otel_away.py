"""A collector that is away, refuses or hangs changes no decision and holds up no call."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from hookcore import Denied
from hookcore_otel import Otel
from hookcore_otel.testing import Collector, unused_port

from .told import Told

MakeTold = Callable[..., Told]
CALLS, EACH = 400, 4


@pytest.fixture(autouse=True)
def eager(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Let exporters try at once, and try for long, so that a wait for them is seen."""
    monkeypatch.setenv("OTEL_BSP_SCHEDULE_DELAY", "10")
    monkeypatch.setenv("OTEL_BLRP_SCHEDULE_DELAY", "10")
    monkeypatch.setenv("OTEL_METRIC_EXPORT_INTERVAL", "10")
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_TIMEOUT", "60")
    before = logging.getLogger("opentelemetry").level
    logging.getLogger("opentelemetry").setLevel(logging.CRITICAL)
    yield
    logging.getLogger("opentelemetry").setLevel(before)


def denials(told: Told) -> int:
    answers = [told.call("rm" if number % EACH == 0 else "read") for number in range(CALLS)]
    assert [answer for answer in answers if not isinstance(answer, Denied)] == ["done"] * 300
    return sum(isinstance(answer, Denied) for answer in answers)


def seconds_to_close(told: Told) -> float:
    started = time.monotonic()
    told.plugin.close()
    return time.monotonic() - started


@pytest.mark.parametrize("protocol", ["http/protobuf", "grpc"])
def test_a_collector_that_is_not_there(
    protocol: str, make_told: MakeTold, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", f"http://127.0.0.1:{unused_port()}")
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_PROTOCOL", protocol)
    told = make_told(shutdown_ms=300)
    assert denials(told) == CALLS // EACH
    assert seconds_to_close(told) < 30
    assert told.plugin.stats().delivered == 0
    assert told.plugin.stats().told == CALLS + CALLS // EACH


@pytest.mark.parametrize("status", [400, 503])
def test_a_collector_that_refuses(
    status: int,
    make_collector: Callable[..., Collector],
    make_told: MakeTold,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    collector = make_collector(status=status)
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", collector.url)
    told = make_told(shutdown_ms=300)
    assert denials(told) == CALLS // EACH
    assert collector.requests.acquire(timeout=60)
    assert seconds_to_close(told) < 30
    assert told.plugin.stats().delivered == 0


def test_a_collector_that_hangs_holds_up_neither_calls_nor_the_end(
    make_collector: Callable[..., Collector], make_told: MakeTold, monkeypatch: pytest.MonkeyPatch
) -> None:
    collector = make_collector(hangs=True)
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", collector.url)
    told = make_told(shutdown_ms=300)
    told.call("read")
    # Whoever waited for it from here on would wait for good.
    assert collector.requests.acquire(timeout=60)
    assert denials(told) == CALLS // EACH
    assert seconds_to_close(told) < 30
    assert told.plugin.stats().delivered == 0


def test_what_a_batch_lost_is_counted(
    make_collector: Callable[..., Collector], make_told: MakeTold, monkeypatch: pytest.MonkeyPatch
) -> None:
    collector = make_collector(status=400)
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", collector.url)
    told = make_told()
    told.call("read")
    told.plugin.close()
    stats = told.plugin.stats()
    assert (stats.told, stats.delivered, stats.refused) == (1, 0, 1)


def test_a_collector_that_comes_back_gets_what_comes_then(
    make_collector: Callable[..., Collector], make_told: MakeTold, monkeypatch: pytest.MonkeyPatch
) -> None:
    collector = make_collector(status=400)
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", collector.url)
    told = make_told()
    told.call("read")
    assert told.plugin.flush(60)
    collector.status = 200
    told.call("write")
    told.plugin.close()
    assert set(collector.spans()) == {"execute_tool write"}


def test_all_arrives_over_grpc(
    collector: Collector, make_told: MakeTold, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", collector.serve_grpc())
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc")
    told = make_told()
    told.call("rm")
    told.plugin.close()
    assert set(collector.spans()) == {"execute_tool rm"}
    assert len(collector.logs()) == 1
    assert collector.points("hookcore.decisions")
    assert told.plugin.stats().delivered == 2


def test_after_the_end_it_begins_anew(told: Told, collector: Collector) -> None:
    told.call("read")
    told.plugin.close()
    told.call("write")
    told.plugin.close()
    assert set(collector.spans()) == {"execute_tool read", "execute_tool write"}


def test_an_instrument_that_raises_changes_nothing_and_is_counted(
    told: Told, caplog: pytest.LogCaptureFixture
) -> None:
    class Broken:
        def record(self, *_: Any) -> None:
            raise RuntimeError("hunter2")

        add = record

    source = told.plugin._source
    assert source is not None
    metrics = source.telemetry().metrics
    for name in list(vars(metrics)):
        setattr(metrics, name, Broken())
    assert denials(told) == CALLS // EACH
    assert told.plugin.stats().failed >= CALLS
    (warning,) = [each for each in caplog.records if each.name == "hookcore_otel"]
    assert "RuntimeError" in warning.getMessage()
    assert "hunter2" not in warning.getMessage()


def test_an_exporter_that_raises_changes_nothing_and_its_batch_counts_as_refused(
    collector: Collector, make_told: MakeTold, monkeypatch: pytest.MonkeyPatch
) -> None:
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter

    def export(*_: Any) -> None:
        raise RuntimeError

    monkeypatch.setattr(OTLPSpanExporter, "export", export)
    told = make_told()
    assert denials(told) == CALLS // EACH
    told.plugin.close()
    stats = told.plugin.stats()
    assert (stats.refused, stats.delivered) == (CALLS, CALLS // EACH)


def test_a_full_queue_drops_and_counts(
    make_collector: Callable[..., Collector], make_told: MakeTold, monkeypatch: pytest.MonkeyPatch
) -> None:
    collector = make_collector(hangs=True)
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", collector.url)
    monkeypatch.setenv("OTEL_BSP_MAX_QUEUE_SIZE", "20")
    monkeypatch.setenv("OTEL_BSP_MAX_EXPORT_BATCH_SIZE", "10")
    told = make_told(shutdown_ms=60_000, decisions="off", metrics=False)
    told.call("read")
    assert collector.requests.acquire(timeout=60)
    assert denials(told) == CALLS // EACH
    collector.go_on()
    told.plugin.close()
    stats = told.plugin.stats()
    assert stats.told == CALLS + 1
    assert 20 <= stats.delivered <= 31  # the batch under way, and those that waited
    assert len(collector.all_spans()) == stats.delivered


def test_a_clock_that_jumps_makes_wrong_times_and_nothing_else(
    told: Told, collector: Collector, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = time.time_ns
    jumps = iter(range(1, 100_000))
    monkeypatch.setattr(time, "time_ns", lambda: real() - next(jumps) * 3_600 * 10**9)
    assert denials(told) == CALLS // EACH
    monkeypatch.undo()
    told.plugin.close()
    assert len(collector.all_spans()) == CALLS
    ((_, point),) = collector.points("gen_ai.execute_tool.duration")
    assert 0 <= point.min <= point.max < 60


def test_a_processor_that_raises_changes_nothing(told: Told) -> None:
    from opentelemetry.sdk.trace import SpanProcessor

    class Broken(SpanProcessor):
        def on_start(self, span: Any, parent_context: Any = None) -> None:
            raise RuntimeError

    source = told.plugin._source
    assert source is not None
    assert source.pipeline is not None
    source.pipeline.open().traces.add_span_processor(Broken())
    assert denials(told) == CALLS // EACH
    assert told.plugin.stats().failed >= CALLS


@pytest.mark.parametrize("variable", ["PROTOCOL", "TRACES_PROTOCOL"])
def test_a_protocol_that_is_not_known_is_an_error_at_load(
    variable: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(f"OTEL_EXPORTER_OTLP_{variable}", "carrier-pigeon")
    with pytest.raises(ValueError, match=r"carrier-pigeon.*http/protobuf or grpc"):
        Told()


@pytest.mark.parametrize("missing", ["opentelemetry.sdk", "opentelemetry.exporter.otlp.proto.http"])
def test_what_is_not_installed_is_an_error_at_load(
    missing: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    import importlib.util
    import sys

    from hookcore_otel import OtelSettings

    find = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name: None if name == missing else find(name)
    )
    if missing != "opentelemetry.sdk":
        for name in [missing, *(name for name in sys.modules if name.startswith(missing))]:
            monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(ValueError, match=r"pip install 'hookcore-otel\[otlp\]'"):
        Otel(OtelSettings(setup="otlp"))
