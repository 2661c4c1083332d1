"""MCP offline: a server of the office's tools, and clients of it in the same process."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from importlib.util import find_spec
from typing import Any

import pytest

from hookcore import Abort, HookManager, hookimpl
from hookcore.hosting.checks import MESSAGE, REASON, SECRET, Office

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


class Texts:
    """Denies what is forbidden at steps, redacts the rest, and notes them."""

    def __init__(self) -> None:
        self.steps: list[Any] = []
        self.ended: list[tuple[Any, Any]] = []

    @hookimpl(gate=True)
    def pre_step(self, ctx: Any) -> Any:
        self.steps.append((ctx.kind, ctx.step_name, ctx.payload))
        return Abort(REASON, message=MESSAGE) if "forbidden" in ctx.step_name else None

    @hookimpl
    def post_step(self, ctx: Any) -> None:
        if ctx.error is None:
            ctx.texts().replace(lambda text: text.replace(SECRET, "[gone]"))

    @hookimpl
    def step_finished(self, ctx: Any) -> None:
        self.ended.append((ctx.step_name, ctx.status))


@pytest.fixture
def texts() -> Texts:
    return Texts()


@pytest.fixture
def furnish() -> Callable[[Any], None]:
    """Return what gives a server, the SDK's or FastMCP's, resources and prompts."""

    def plain() -> str:
        return f"the password is {SECRET}"

    def forbidden() -> str:
        raise AssertionError("nobody gets here")

    def broken() -> str:
        raise ValueError("broken")

    def named(name: str) -> bytes:
        return name.encode()

    def ask(about: str) -> str:
        return f"Tell me of {about}, {SECRET}."

    def furnished(server: Any) -> None:
        for resource in (plain, forbidden, broken):
            server.resource(f"note://{resource.__name__}")(resource)
        server.resource("note://{name}/bytes")(named)
        server.prompt(name="ask")(ask)
        server.prompt(name="forbidden")(forbidden)

    return furnished
