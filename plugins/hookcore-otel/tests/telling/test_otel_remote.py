"""Traces from outside: each is a parent only where the operator trusts who sent it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from opentelemetry import context, trace

from hookcore_otel._parents import Parents
from hookcore_otel.testing import Collector, attributes

from .told import Told

TRACE, SPAN = "a" * 32, "b" * 16
SENT = f"00-{TRACE}-{SPAN}-03"
TRUSTED = {"trust_remote_parent": ["mcp:internal-*"]}


@contextmanager
def extracted() -> Iterator[None]:
    """Be inside of what a server's instrumentation took from a request."""
    sent = trace.SpanContext(int(TRACE, 16), int(SPAN, 16), True, trace.TraceFlags(3))
    token = context.attach(trace.set_span_in_context(trace.NonRecordingSpan(sent)))
    try:
        yield
    finally:
        context.detach(token)


def span_of(told: Told, collector: Collector, **fields: Any) -> Any:
    told.call("read", **fields)
    told.plugin.close()
    return collector.spans()["execute_tool read"]


def test_a_trusted_peers_trace_is_joined(
    collector: Collector, make_told: Callable[..., Told]
) -> None:
    sent = {"traceparent": SENT, "tracestate": "v=1", "peer": "mcp:internal-billing"}
    span = span_of(make_told(**TRUSTED), collector, attributes=sent)
    assert (span.trace_id.hex(), span.parent_span_id.hex()) == (TRACE, SPAN)
    assert span.trace_state == "v=1"


@pytest.mark.parametrize("peer", ["mcp:other", None, 5])
def test_what_others_send_is_a_link(
    peer: Any, collector: Collector, make_told: Callable[..., Told]
) -> None:
    sent = {"traceparent": SENT} | ({} if peer is None else {"peer": peer})
    span = span_of(make_told(**TRUSTED), collector, attributes=sent)
    assert span.trace_id.hex() != TRACE
    assert not span.parent_span_id
    (link,) = span.links
    assert (link.trace_id.hex(), link.span_id.hex()) == (TRACE, SPAN)


def test_nobody_is_trusted_unless_the_operator_says_so(told: Told, collector: Collector) -> None:
    sent = {"traceparent": SENT, "peer": "mcp:internal-billing"}
    assert span_of(told, collector, attributes=sent).trace_id.hex() != TRACE


def test_what_the_host_has_extracted_needs_trust_as_well(
    collector: Collector, make_told: Callable[..., Told]
) -> None:
    told = make_told(**TRUSTED)
    with extracted():
        told.call("strange")
        told.call("own", attributes={"peer": "mcp:internal-billing"})
    told.plugin.close()
    spans = collector.spans()
    assert spans["execute_tool own"].trace_id.hex() == TRACE
    assert spans["execute_tool strange"].trace_id.hex() != TRACE
    assert len(spans["execute_tool strange"].links) == 1


def test_a_stranger_cannot_switch_the_sampling_off(told: Told, collector: Collector) -> None:
    unsampled = f"00-{TRACE}-{SPAN}-00"
    assert span_of(told, collector, attributes={"traceparent": unsampled}) is not None


def test_the_calls_of_a_run_hang_below_the_run(
    collector: Collector, make_told: Callable[..., Told]
) -> None:
    told = make_told(**TRUSTED)
    sent = {"traceparent": SENT, "peer": "mcp:internal-billing"}
    with told.manager.run(agent="clerk", attributes=sent):
        told.call("read")
    told.plugin.close()
    spans = collector.spans()
    run = spans["invoke_agent clerk"]
    assert run.parent_span_id.hex() == SPAN
    assert spans["execute_tool read"].parent_span_id == run.span_id


@pytest.mark.parametrize(
    "sent",
    [
        "garbage",
        "",
        f"00-{'0' * 32}-{'0' * 16}-01",
        f"00-{TRACE}-{SPAN}" + "-01" * 500,
        f"ff-{TRACE}-{SPAN}-01",
        7,
        None,
    ],
)
def test_what_is_malformed_is_nothing_at_all(
    sent: Any, collector: Collector, make_told: Callable[..., Told]
) -> None:
    told = make_told(**TRUSTED)
    given = {"traceparent": sent, "tracestate": 5, "peer": "mcp:internal-billing"}
    span = span_of(told, collector, attributes=given)
    assert (span.parent_span_id, list(span.links)) == (b"", [])
    assert told.plugin.stats().failed == 0


def test_a_peers_name_is_compared_as_names_are() -> None:
    parents = Parents(["mcp:internal-*"])
    sent = {"traceparent": SENT, "peer": "mcp:internal-x"}
    assert parents.of(sent).links == ()
    assert parents.of({**sent, "peer": "xmcp:internal-x"}).links != ()


def test_the_parent_is_in_no_attribute(told: Told, collector: Collector) -> None:
    span = span_of(told, collector, attributes={"traceparent": SENT, "peer": "hunter2"})
    assert "hunter2" not in str(attributes(span))
