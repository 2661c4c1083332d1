"""A collector on loopback that takes OTLP over HTTP and gRPC, and can be made to misbehave."""

from __future__ import annotations

import gzip
import socket
import threading
from collections.abc import Iterator
from concurrent import futures
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import grpc
from opentelemetry.proto.collector.logs.v1 import logs_service_pb2 as logs
from opentelemetry.proto.collector.logs.v1 import logs_service_pb2_grpc as logs_grpc
from opentelemetry.proto.collector.metrics.v1 import metrics_service_pb2 as metrics
from opentelemetry.proto.collector.metrics.v1 import metrics_service_pb2_grpc as metrics_grpc
from opentelemetry.proto.collector.trace.v1 import trace_service_pb2 as traces
from opentelemetry.proto.collector.trace.v1 import trace_service_pb2_grpc as traces_grpc

__all__ = ["Collector", "unused_port"]

_SIGNALS: dict[str, tuple[Any, Any]] = {
    "/v1/traces": (traces.ExportTraceServiceRequest, traces.ExportTraceServiceResponse),
    "/v1/metrics": (metrics.ExportMetricsServiceRequest, metrics.ExportMetricsServiceResponse),
    "/v1/logs": (logs.ExportLogsServiceRequest, logs.ExportLogsServiceResponse),
}


def unused_port() -> int:
    """Return a port on which nobody listens."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


class Collector:
    """Keeps what it is sent.

    Args:
        status: what it answers over HTTP.
        hangs: whether it answers nothing at all until it is closed.
    """

    def __init__(self, status: int = 200, *, hangs: bool = False) -> None:
        self.status = status
        self.requests = threading.Semaphore(0)
        self._received: dict[str, list[Any]] = {path: [] for path in _SIGNALS}
        self._answers = threading.Event()
        if not hangs:
            self._answers.set()
        self._http = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._http.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._http.server_port}"
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.01,))
        self._thread.start()
        self._grpc: Any = None

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        collector = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["content-length"]))
                if self.headers.get("content-encoding") == "gzip":
                    body = gzip.decompress(body)
                asked, answer = _SIGNALS[self.path]
                message = asked()
                message.ParseFromString(body)
                collector.requests.release()
                collector._answers.wait()
                if collector.status == 200:
                    collector._received[self.path].append(message)
                told = answer().SerializeToString()
                self.send_response(collector.status)
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
                pass

        return Handler

    def serve_grpc(self) -> str:
        """Serve over gRPC as well; return the endpoint."""
        services: tuple[tuple[str, Any, Any], ...] = (
            (
                "/v1/traces",
                traces_grpc.add_TraceServiceServicer_to_server,
                traces_grpc.TraceServiceServicer,
            ),
            (
                "/v1/metrics",
                metrics_grpc.add_MetricsServiceServicer_to_server,
                metrics_grpc.MetricsServiceServicer,
            ),
            (
                "/v1/logs",
                logs_grpc.add_LogsServiceServicer_to_server,
                logs_grpc.LogsServiceServicer,
            ),
        )
        self._grpc = grpc.server(futures.ThreadPoolExecutor(2))
        for path, add, base in services:
            add(self._servicer(path, base), self._grpc)
        port = self._grpc.add_insecure_port("127.0.0.1:0")
        self._grpc.start()
        return f"http://127.0.0.1:{port}"

    def _servicer(self, path: str, base: Any) -> Any:
        received, answer = self._received[path], _SIGNALS[path][1]

        def export(_self: Any, request: Any, _context: Any) -> Any:
            received.append(request)
            return answer()

        return type("Servicer", (base,), {"Export": export})()

    def spans(self) -> dict[str, Any]:
        """Return the spans by name."""
        return {span.name: span for span in self.all_spans()}

    def all_spans(self) -> list[Any]:
        """Return all spans, in the order in which they ended."""
        return [
            span
            for message in self._received["/v1/traces"]
            for resource in message.resource_spans
            for scope in resource.scope_spans
            for span in scope.spans
        ]

    def logs(self) -> list[Any]:
        """Return all log records."""
        return [
            record
            for message in self._received["/v1/logs"]
            for resource in message.resource_logs
            for scope in resource.scope_logs
            for record in scope.log_records
        ]

    def points(self, name: str) -> list[tuple[dict[str, Any], Any]]:
        """Return the last points of a metric: their attributes, and themselves."""
        last: Any = None
        for message in self._received["/v1/metrics"]:
            for metric in self._metrics(message):
                if metric.name == name:
                    last = metric
        if last is None:
            return []
        data = last.histogram if last.HasField("histogram") else last.sum
        return [(attributes(point), point) for point in data.data_points]

    def metrics(self) -> dict[str, Any]:
        """Return the metrics by name."""
        return {
            metric.name: metric
            for message in self._received["/v1/metrics"]
            for metric in self._metrics(message)
        }

    def _metrics(self, message: Any) -> Iterator[Any]:
        for resource in message.resource_metrics:
            for scope in resource.scope_metrics:
                yield from scope.metrics

    def resources(self) -> list[dict[str, Any]]:
        """Return the attributes of the resources that have sent spans."""
        return [
            attributes(found.resource)
            for message in self._received["/v1/traces"]
            for found in message.resource_spans
        ]

    def bytes(self) -> bytes:
        """Return all that has come, as it is on the wire."""
        messages = [message for all_of in self._received.values() for message in all_of]
        return b"".join(message.SerializeToString() for message in messages)

    def close(self) -> None:
        """Stop serving; what hangs is let go."""
        self._answers.set()
        self._http.shutdown()
        self._http.server_close()
        self._thread.join()
        if self._grpc is not None:
            self._grpc.stop(0).wait()


def attributes(told: Any) -> dict[str, Any]:
    """Return the attributes of a span, a log record, a point or a resource."""
    return {
        each.key: getattr(each.value, each.value.WhichOneof("value")) for each in told.attributes
    }
