"""The parent of a span: the host's own, the run's, or that of a peer who is trusted."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from opentelemetry.context import Context, get_current
from opentelemetry.trace import (
    INVALID_SPAN,
    Link,
    NonRecordingSpan,
    SpanContext,
    get_current_span,
    set_span_in_context,
)
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

from hookcore import NamePatterns

__all__ = ["Parent", "Parents"]

_PEER: Final = "peer"
_FIELDS: Final = ("traceparent", "tracestate")
_LONGEST: Final = 1024
_propagator: Final = TraceContextTextMapPropagator()


class Parent(NamedTuple):
    """The place of a new span.

    Args:
        context: the context that it begins in.
        links: the spans that it only points at.
    """

    context: Context
    links: tuple[Link, ...] = ()


class Parents:
    """Finds the parents of spans.

    Args:
        trusted: the names of the peers whose traces may be joined.
    """

    def __init__(self, trusted: list[str]) -> None:
        self._trusted = NamePatterns(trusted) if trusted else None

    def of(self, attributes: dict[str, Any]) -> Parent:
        """Return the parent of what begins here and now, outside of any run of ours.

        What somebody has sent from outside makes no parent, unless the host says that it came from
        a peer who is trusted: else a stranger could write into other people's traces, and decide
        what is sampled.

        Args:
            attributes: what the host knows: ``peer``, ``traceparent`` and ``tracestate``.
        """
        here = get_current()
        span = get_current_span(here).get_span_context()
        if span.is_valid and not span.is_remote:
            return Parent(here)
        sent = span if span.is_valid else _sent(attributes)
        if sent is None:
            return Parent(here)
        if self._trusts(attributes.get(_PEER)):
            return Parent(set_span_in_context(NonRecordingSpan(sent), here))
        return Parent(set_span_in_context(INVALID_SPAN, here), (Link(sent),))

    def _trusts(self, peer: Any) -> bool:
        return self._trusted is not None and isinstance(peer, str) and self._trusted.matches(peer)


def _sent(attributes: dict[str, Any]) -> SpanContext | None:
    """Return what the host took from a request, when it is well formed; baggage is not read."""
    carrier = {
        name: value
        for name in _FIELDS
        if isinstance(value := attributes.get(name), str) and len(value) <= _LONGEST
    }
    if "traceparent" not in carrier:
        return None
    span = get_current_span(_propagator.extract(carrier, Context())).get_span_context()
    return span if span.is_valid else None
