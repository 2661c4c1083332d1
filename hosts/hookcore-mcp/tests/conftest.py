"""MCP offline: a server of the office's tools, and clients of it in the same process."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from importlib.util import find_spec
from typing import Any

import pytest

from hookcore import HookManager
from hookcore.hosting.checks import Office

if find_spec("mcp"):
    from mcp.client.client import Client
    from mcp.server.mcpserver import MCPServer


@pytest.fixture
def office() -> Office:
    pytest.importorskip("mcp", reason="mcp is not installed: see .ci/hosts/mcp.txt")
    return Office()


@pytest.fixture
def server(office: Office) -> Iterator[Callable[..., Any]]:
    """Return a server with the office's tools; afterwards no client is governed."""
    from hookcore_mcp import uninstall

    def make(**options: Any) -> Any:
        made: Any = MCPServer("office", **options)
        for name in ("add", "danger", "lookup", "secret", "fails", "broken", "slow"):
            made.tool(name=name)(getattr(office, name))
        return made

    yield make
    uninstall()


Connect = Callable[..., AbstractAsyncContextManager[Any]]


@pytest.fixture(params=["server", "client"])
def end(request: pytest.FixtureRequest) -> str:
    """Return which end of the connection is governed."""
    return str(request.param)


@pytest.fixture
def connect(end: str, server: Callable[..., Any]) -> Connect:
    """Return what connects a client to a server, one of which a manager governs."""

    @asynccontextmanager
    async def open_client(manager: HookManager, **options: Any) -> AsyncIterator[Any]:
        from hookcore_mcp import install, middleware

        if end == "server":
            made = server(middleware=[middleware(manager)])
        else:
            made = server()
            install(manager)
        async with Client(made, **options) as client:
            yield client

    return open_client
