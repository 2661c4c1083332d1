"""Providers of our own that send by OTLP, beside the host, and end in bounded time."""

from __future__ import annotations

import atexit
import contextlib
import importlib
import os
import sys
import threading
import uuid
import weakref
from functools import partial
from typing import Any, Final, NamedTuple

from opentelemetry.sdk._logs import LoggerProvider, ReadWriteLogRecord
from opentelemetry.sdk._logs.export import BatchLogRecordProcessor
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import PeriodicExportingMetricReader
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor

from ._crew import Crew, wait_for

__all__ = ["Deliveries", "Pipeline", "Providers"]

_PROTOCOLS: Final = {"http/protobuf": "http", "grpc": "grpc"}
_EXPORTERS: Final = {
    "TRACES": ("trace_exporter", "OTLPSpanExporter"),
    "METRICS": ("metric_exporter", "OTLPMetricExporter"),
    "LOGS": ("_log_exporter", "OTLPLogExporter"),
}
_INSTANCE: Final = "service.instance.id"


class Providers(NamedTuple):
    """The three providers."""

    traces: TracerProvider
    metrics: MeterProvider
    logs: LoggerProvider


_Opened = tuple[Providers, Crew]


class Deliveries:
    """Counts spans and log records on their way to the collector."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self.told = self.delivered = self.refused = 0

    def tell(self) -> None:
        """Count one that waits from now on."""
        with self._lock:
            self.told += 1

    def sent(self, number: int, *, delivered: bool) -> None:
        """Count a batch.

        Args:
            number: how many there are in it.
            delivered: whether the collector took it.
        """
        with self._lock:
            if delivered:
                self.delivered += number
            else:
                self.refused += number


class _Sending:
    """An exporter that counts, and that sends nothing in a forked child.

    There the connection is the parent's, and so is what was measured.
    """

    def __init__(self, exporter: Any, deliveries: Deliveries | None) -> None:
        self._exporter = exporter
        self._deliveries = deliveries
        self._process = os.getpid()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._exporter, name)

    def export(self, batch: Any, **options: Any) -> Any:
        if os.getpid() != self._process:
            return None
        delivered = False
        try:
            result = self._exporter.export(batch, **options)
            delivered = result.name == "SUCCESS"
            return result
        finally:
            if self._deliveries is not None:
                self._deliveries.sent(len(batch), delivered=delivered)


class _Spans(BatchSpanProcessor):
    def __init__(self, exporter: Any, deliveries: Deliveries) -> None:
        self._deliveries = deliveries
        super().__init__(exporter)

    def on_end(self, span: ReadableSpan) -> None:
        if span.context is not None and span.context.trace_flags.sampled:
            self._deliveries.tell()
        super().on_end(span)


class _Logs(BatchLogRecordProcessor):
    def __init__(self, exporter: Any, deliveries: Deliveries) -> None:
        self._deliveries = deliveries
        super().__init__(exporter)

    def on_emit(self, log_record: ReadWriteLogRecord) -> None:
        self._deliveries.tell()
        super().on_emit(log_record)


class Pipeline:
    """Sends to the collector that the environment names, in threads beside the host.

    Args:
        seconds: how long its end may take.

    Raises:
        ValueError: the environment asks for a protocol that is not installed, or not known.
    """

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._exporters = {signal: _exporter_of(signal) for signal in _EXPORTERS}
        self._open: list[_Opened] = []
        self.deliveries = Deliveries()
        _all.add(self)
        # A plugin that a reload has replaced is never closed: its threads end with it.
        weakref.finalize(self, _end, self._open).atexit = False

    def open(self) -> Providers:
        """Return the providers, which are made when there are none."""
        if not self._open:
            self._open.append((self._made(), Crew(len(Providers._fields))))
            _close_in_multiprocessing()
        return self._open[0][0]

    def forget(self) -> None:
        """Begin anew in a forked child, which shares neither threads nor connections."""
        self._open.clear()
        self.deliveries = Deliveries()

    def flush(self, seconds: float) -> bool:
        """Send what waits.

        Args:
            seconds: how long that may take.

        Returns:
            Whether all of it was sent, or given up, in that time.
        """
        if not self._open:
            return True
        (providers, crew), milliseconds = self._open[0], int(seconds * 1000)
        flushes = [partial(each.force_flush, milliseconds) for each in providers]
        return wait_for(crew.call(flushes), seconds)

    def close(self) -> None:
        """Send what waits, in bounded time."""
        wait_for(self.end(), self.seconds)

    def end(self) -> list[threading.Event]:
        """Begin to send what waits, however long it takes; return what is set when that is done.

        The next thing to tell begins anew.
        """
        return _end(self._open)

    def tell_losses(self) -> None:
        """Tell what nobody took, as the process ends."""
        lost = self.deliveries.told - self.deliveries.delivered
        if lost > 0:
            with contextlib.suppress(Exception):
                # Not by logging, which may have ended by now, and is often silent.
                sys.stderr.write(
                    f"hookcore: no OpenTelemetry collector took {lost} of "
                    f"{self.deliveries.told} spans and log records\n"
                )

    def _made(self) -> Providers:
        resource = Resource.create()
        if _INSTANCE not in resource.attributes:
            # Two processes that count the same must not look like one that counts backwards.
            resource = resource.merge(Resource({_INSTANCE: str(uuid.uuid4())}))
        traces = TracerProvider(resource=resource, shutdown_on_exit=False)
        traces.add_span_processor(
            _Spans(_Sending(self._exporters["TRACES"](), self.deliveries), self.deliveries)
        )
        logs = LoggerProvider(resource=resource, shutdown_on_exit=False)
        logs.add_log_record_processor(
            _Logs(_Sending(self._exporters["LOGS"](), self.deliveries), self.deliveries)
        )
        sending: Any = _Sending(self._exporters["METRICS"](), None)
        reader = PeriodicExportingMetricReader(sending)
        metrics = MeterProvider([reader], resource=resource, shutdown_on_exit=False)
        return Providers(traces, metrics, logs)


def _exporter_of(signal: str) -> Any:
    """Return the class of a signal's exporter, as the environment wants it."""
    for variable in (f"OTEL_EXPORTER_OTLP_{signal}_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL"):
        protocol = os.environ.get(variable, "").strip()
        if protocol:
            break
    else:
        protocol = "http/protobuf"
    kind = _PROTOCOLS.get(protocol)
    if kind is None:
        known = " or ".join(_PROTOCOLS)
        raise ValueError(f'{variable}: "{protocol}" is not known here: set it to {known}')
    module, name = _EXPORTERS[signal]
    try:
        found = importlib.import_module(f"opentelemetry.exporter.otlp.proto.{kind}.{module}")
    except ImportError as error:
        extra = "grpc" if kind == "grpc" else "otlp"
        raise ValueError(
            f'settings.setup: "otlp" needs the exporter for {protocol}: '
            f"pip install 'hookcore-otel[{extra}]'"
        ) from error
    return getattr(found, name)


def _end(opened: list[_Opened]) -> list[threading.Event]:
    """Let providers send what waits and end; return what is set when they have."""
    ends = []
    while opened:
        providers, crew = opened.pop()
        ends += crew.call([each.shutdown for each in providers])
        crew.dismiss()
    return ends


_all: weakref.WeakSet[Pipeline] = weakref.WeakSet()
_pools: set[int] = set()


def _close_all() -> None:
    # All at once, since all have the same time.
    pipelines = list(_all)
    ends = [end for pipeline in pipelines for end in pipeline.end()]
    wait_for(ends, max((pipeline.seconds for pipeline in pipelines), default=0.0))
    for pipeline in pipelines:
        pipeline.tell_losses()


def _close_in_multiprocessing() -> None:
    """Close at the end of a child of multiprocessing, too: it ends without ``atexit``."""
    module = sys.modules.get("multiprocessing.util")
    if module is None or os.getpid() in _pools:
        return
    from multiprocessing import parent_process

    if parent_process() is not None:
        _pools.add(os.getpid())
        module.Finalize(None, _close_all, exitpriority=0)


atexit.register(_close_all)
