"""The conformance kit on MCP: tools at either end of a connection, and what clients sample."""

from __future__ import annotations

import logging
from dataclasses import replace
from importlib.util import find_spec
from typing import Any, ClassVar

import pytest

from hookcore.hosting import MODEL_POINTS, TOOL_POINTS, PolicyDenied
from hookcore.testing.conformance import Conformance, Driver, Job
from hookcore_mcp.host import FASTMCP, HOST

pytest.importorskip("mcp", reason="mcp is not installed: see .ci/hosts/mcp.txt")

import mcp_types as types
from mcp.client.client import Client
from mcp.server.mcpserver import Context, MCPServer
from mcp.shared.exceptions import MCPError
from typing_extensions import Self

pytestmark = [
    pytest.mark.filterwarnings("ignore:.*sampling:DeprecationWarning"),
    pytest.mark.filterwarnings("ignore:.*SEP-2577"),
]


def host_at(points: Any, host: Any = HOST) -> Any:
    """Return the declaration of a part of a host."""
    return replace(host, points={point: host.points[point] for point in points})


class Log(logging.Handler):
    """The operator's log, in which a server tells of failures that no client is to read."""

    error: BaseException | None = None

    def emit(self, record: logging.LogRecord) -> None:
        if record.exc_info is not None:
            self.error = record.exc_info[1]

    def __enter__(self) -> Self:
        logging.getLogger("hookcore_mcp").addHandler(self)
        return self

    def __exit__(self, *_: object) -> None:
        logging.getLogger("hookcore_mcp").removeHandler(self)


class Tools(Driver):
    """An agent whose tools are a server's, so that its model reads what the client is answered."""

    host = host_at(TOOL_POINTS)
    ways: ClassVar[Any] = {"client": "async", "server": "async"}
    features = frozenset(["async-wraps"])

    def close(self) -> None:
        from hookcore_mcp import uninstall

        uninstall()

    def client(self, way: str, job: Job) -> Any:
        """Return a client of a server, one of which is governed."""
        from hookcore_mcp import install, middleware

        options = {}
        if self.manager is not None and way == "server":
            options = {"middleware": [middleware(self.manager)]}
        elif self.manager is not None:
            install(self.manager)
        server: Any = MCPServer("office", **options)
        for name, function in job.tools.items():
            server.tool(name=name)(function)
        return Client(server)

    async def run(self, way: str, job: Job) -> Any:
        raised: list[Exception] = []
        answer: Any = None
        with Log() as log:
            async with self.client(way, job) as client:
                try:
                    answer = await self.led(client, job)
                except Exception as error:  # noqa: BLE001 - out of the connection it is a group
                    raised.append(error)
        if raised:
            raise raised[0] from raised[0].__cause__ or log.error
        return answer

    async def led(self, client: Any, job: Job) -> Any:
        results: dict[str, str] = {}
        while True:
            step = job.provider.ask((job.text, results), results)
            if not step.calls:
                return step.text
            for call in step.calls:
                answer = await client.session.call_tool(call.name, call.arguments)
                results[str(call.id)] = "".join(part.text for part in answer.content)


class FastTools(Tools):
    """An agent whose tools are those of a server of FastMCP's."""

    host = host_at(TOOL_POINTS, FASTMCP)
    ways: ClassVar[Any] = {"middleware": "async", "process": "async"}

    def client(self, way: str, job: Job) -> Any:
        from fastmcp import Client as FastClient
        from fastmcp import FastMCP

        from hookcore_mcp import fastmcp_middleware, install_fastmcp

        options = {}
        if self.manager is not None and way == "middleware":
            options = {"middleware": [fastmcp_middleware(self.manager)]}
        elif self.manager is not None:
            install_fastmcp(self.manager)
        server: Any = FastMCP("office", **options)
        for name, function in job.tools.items():
            server.tool(function, name=name)
        return FastClient(server)


class Sampling(Driver):
    """A server that asks its client's model."""

    host = host_at(MODEL_POINTS)
    ways: ClassVar[Any] = {"sampling": "async"}
    features = frozenset(["system", "whole-answers"])

    async def run(self, way: str, job: Job) -> Any:
        from hookcore_mcp import sampling

        async def ask(ctx: Context) -> str:
            content = types.TextContent(type="text", text=job.text)
            message = types.SamplingMessage(role="user", content=content)
            result = await ctx.session.create_message(
                [message], max_tokens=5, system_prompt=job.system
            )
            return f"answer: {result.content.text}"

        failed: list[Exception] = []

        async def model(context: Any, params: Any) -> Any:
            step = job.provider.ask(params)
            content = types.TextContent(type="text", text=step.text)
            return types.CreateMessageResult(role="assistant", content=content, model="m")

        governed = model if self.manager is None else sampling(model, self.manager)

        async def noted(context: Any, params: Any) -> Any:
            try:
                return await governed(context, params)
            except Exception as error:
                failed.append(error)
                raise

        server: Any = MCPServer("office")
        server.tool()(ask)
        async with Client(server, mode="legacy", sampling_callback=noted) as client:
            try:
                result = await client.session.call_tool("ask", {})
            except MCPError as error:
                result = types.CallToolResult(
                    content=[types.TextContent(type="text", text=str(error))], is_error=True
                )
        text = "".join(part.text for part in result.content)
        if failed:
            raise failed[0]  # the client's own program is told
        if result.is_error:
            raise PolicyDenied(text)
        return text.removeprefix("answer: ")


class TestTools(Conformance):
    driver = Tools


@pytest.mark.skipif(
    not find_spec("fastmcp"), reason="fastmcp is not installed: see .ci/hosts/mcp.txt"
)
class TestFastTools(Conformance):
    driver = FastTools


class TestSampling(Conformance):
    driver = Sampling
