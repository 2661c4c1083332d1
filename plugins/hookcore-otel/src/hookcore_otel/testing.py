"""A collector on loopback for tests: it takes OTLP over HTTP and gRPC, and can misbehave.

It needs one of this distribution's extras, and ``grpc`` to serve over that::

    collector = Collector()
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", collector.url)
    ...
    assert set(collector.spans()) == {"execute_tool read"}
    collector.close()
"""

from __future__ import annotations

import gzip
import socket
import threading
from collections.abc import Iterator
from concurrent import futures
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Final

from opentelemetry.proto.collector.logs.v1 import logs_service_pb2 as logs
from opentelemetry.proto.collector.metrics.v1 import metrics_service_pb2 as metrics
from opentelemetry.proto.collector.trace.v1 import trace_service_pb2 as traces

__all__ = ["Collector", "attributes", "unused_port"]

_TRACES: Final = "/v1/traces"
_METRICS: Final = "/v1/metrics"
_LOGS: Final = "/v1/logs"
_MESSAGES: Final[dict[str, tuple[Any, Any]]] = {
    _TRACES: (traces.ExportTraceServiceRequest, traces.ExportTraceServiceResponse),
    _METRICS: (metrics.ExportMetricsServiceRequest, metrics.ExportMetricsServiceResponse),
    _LOGS: (logs.ExportLogsServiceRequest, logs.ExportLogsServiceResponse),
}
_OK: Final = 200


def unused_port() -> int:
    """Return a port of loopback on which nobody listens."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


def attributes(told: Any) -> dict[str, Any]:
    """Return the attributes of a span, a log record, a point or a resource.

    Args:
        told: the message that has them.
    """
    return {
        each.key: getattr(each.value, each.value.WhichOneof("value")) for each in told.attributes
    }


class Collector:
    """Keeps what it is sent.

    Args:
        status: the status that it answers with over HTTP.
        hangs: whether it answers nothing at all until it is closed.
    """

    def __init__(self, status: int = _OK, *, hangs: bool = False) -> None:
        self.status = status
        self.requests = threading.Semaphore(0)
        """Released with each request over HTTP, before it is answered."""
        self._received: dict[str, list[Any]] = {path: [] for path in _MESSAGES}
        self._answers = threading.Event()
        if not hangs:
            self._answers.set()
        self._http = _Server(self._received, self)
        self.url = f"http://127.0.0.1:{self._http.server_port}"
        """The endpoint over HTTP."""
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.01,))
        self._thread.start()
        self._grpc: Any = None

    def answer(self) -> int:
        """Wait until it may answer; return with which status."""
        self.requests.release()
        self._answers.wait()
        return self.status

    def go_on(self) -> None:
        """Answer from now on, where it hangs."""
        self._answers.set()

    def serve_grpc(self) -> str:
        """Serve over gRPC as well; return the endpoint."""
        self._grpc, port = _serve_grpc(self._received)
        return f"http://127.0.0.1:{port}"

    def close(self) -> None:
        """Stop serving; what hangs is let go."""
        self.go_on()
        self._http.shutdown()
        self._http.server_close()
        self._thread.join()
        if self._grpc is not None:
            self._grpc.stop(0).wait()

    def all_spans(self) -> list[Any]:
        """Return all spans, in the order in which they ended."""
        return [
            span
            for message in self._received[_TRACES]
            for resource in message.resource_spans
            for scope in resource.scope_spans
            for span in scope.spans
        ]

    def spans(self) -> dict[str, Any]:
        """Return the spans by name."""
        return {span.name: span for span in self.all_spans()}

    def logs(self) -> list[Any]:
        """Return all log records."""
        return [
            record
            for message in self._received[_LOGS]
            for resource in message.resource_logs
            for scope in resource.scope_logs
            for record in scope.log_records
        ]

    def metrics(self) -> dict[str, Any]:
        """Return the metrics by name, as they were told last."""
        return {metric.name: metric for metric in self._all_metrics()}

    def points(self, name: str) -> list[tuple[dict[str, Any], Any]]:
        """Return the points of a metric as they were told last, each after its attributes.

        Args:
            name: the metric's name.
        """
        metric = self.metrics().get(name)
        if metric is None:
            return []
        data = metric.histogram if metric.HasField("histogram") else metric.sum
        return [(attributes(point), point) for point in data.data_points]

    def resources(self) -> list[dict[str, Any]]:
        """Return the attributes of the resources that have sent spans."""
        return [
            attributes(found.resource)
            for message in self._received[_TRACES]
            for found in message.resource_spans
        ]

    def bytes(self) -> bytes:
        """Return all that has come, as it was on the wire."""
        messages = [message for all_of in self._received.values() for message in all_of]
        return b"".join(message.SerializeToString() for message in messages)

    def _all_metrics(self) -> Iterator[Any]:
        for message in self._received[_METRICS]:
            for resource in message.resource_metrics:
                for scope in resource.scope_metrics:
                    yield from scope.metrics


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, received: dict[str, list[Any]], collector: Collector) -> None:
        self.received, self.collector = received, collector
        super().__init__(("127.0.0.1", 0), _Handler)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["content-length"]))
        if self.headers.get("content-encoding") == "gzip":
            body = gzip.decompress(body)
        asked, answer = _MESSAGES[self.path]
        message = asked()
        message.ParseFromString(body)
        status = self.server.collector.answer()
        if status == _OK:
            self.server.received[self.path].append(message)
        told = answer().SerializeToString()
        self.send_response(status)
        self.send_header("content-type", "application/x-protobuf")
        self.send_header("content-length", str(len(told)))
        self.end_headers()
        self.wfile.write(told)

    def handle_one_request(self) -> None:
        try:
            super().handle_one_request()
        except OSError:  # who sent it has gone
            self.close_connection = True

    def log_message(self, *_: Any) -> None:
        """Say nothing."""


def _serve_grpc(received: dict[str, list[Any]]) -> tuple[Any, int]:
    import grpc
    from opentelemetry.proto.collector.logs.v1 import logs_service_pb2_grpc as logs_grpc
    from opentelemetry.proto.collector.metrics.v1 import metrics_service_pb2_grpc as metrics_grpc
    from opentelemetry.proto.collector.trace.v1 import trace_service_pb2_grpc as traces_grpc

    def servicer(path: str, base: Any) -> Any:
        def export(_self: Any, request: Any, _context: Any) -> Any:
            received[path].append(request)
            return _MESSAGES[path][1]()

        return type("Servicer", (base,), {"Export": export})()

    server: Any = grpc.server(futures.ThreadPoolExecutor(2))
    services: Any = (
        (traces_grpc.add_TraceServiceServicer_to_server, _TRACES, traces_grpc.TraceServiceServicer),
        (
            metrics_grpc.add_MetricsServiceServicer_to_server,
            _METRICS,
            metrics_grpc.MetricsServiceServicer,
        ),
        (logs_grpc.add_LogsServiceServicer_to_server, _LOGS, logs_grpc.LogsServiceServicer),
    )
    for add, path, base in services:
        add(servicer(path, base), server)
    port: int = server.add_insecure_port("127.0.0.1:0")
    server.start()
    return server, port
