"""The trace of a client's call reaches the policies of the server."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from hookcore import HookManager, hookimpl
from hookcore.hosting.checks import Office

TRACE, SPAN = "a" * 32, "b" * 16

pytestmark = pytest.mark.asyncio


class Seen:
    def __init__(self) -> None:
        self.attributes: list[dict[str, Any]] = []

    @hookimpl
    def pre_tool_call(self, ctx: Any) -> None:
        self.attributes.append(dict(ctx.attributes))


@contextmanager
def traced() -> Iterator[None]:
    """Be inside of a span."""
    from opentelemetry import context, trace

    span = trace.SpanContext(int(TRACE, 16), int(SPAN, 16), False, trace.TraceFlags(1))
    token = context.attach(trace.set_span_in_context(trace.NonRecordingSpan(span)))
    try:
        yield
    finally:
        context.detach(token)


async def called(server: Callable[..., Any], **options: Any) -> dict[str, Any]:
    """Call a tool of a server; return the attributes that its policies saw."""
    from mcp.client.client import Client

    from hookcore_mcp import middleware

    manager, seen = HookManager(), Seen()
    manager.register(seen)
    made = server(middleware=[middleware(manager, **options)])
    async with Client(made, mode="legacy") as client:  # over a connection, as between processes
        await client.call_tool("lookup", {"key": "k"})
    (attributes,) = seen.attributes
    return attributes


async def test_policies_see_the_clients_trace_and_the_hosts_name_for_it(
    office: Office, server: Callable[..., Any]
) -> None:
    with traced():
        attributes = await called(server, peer="mcp:internal-mails")
    assert attributes["traceparent"] == f"00-{TRACE}-{SPAN}-01"
    assert attributes["peer"] == "mcp:internal-mails"


async def test_without_a_trace_and_a_name_there_is_neither(
    office: Office, server: Callable[..., Any]
) -> None:
    assert await called(server) == {}
