"""``hookctl run`` governs a program that knows nothing of hookcore."""

from __future__ import annotations

from pathlib import Path

import pytest

from hookcore.hosting.checks import run_governed

PROGRAM = """
import asyncio
from functools import partial

from mcp.client.client import Client
from mcp.server.mcpserver import MCPServer

server = MCPServer("office")


@server.tool()
def danger(x: str) -> str:
    raise SystemExit("the tool ran")


async def main():
    async with Client(server) as client:
        session = client.session
        by_client = await session.call_tool("danger", {"x": "1"})
        session.send_request = partial(type(session).send_request.__wrapped__, session)
        by_server = await session.call_tool("danger", {"x": "1"})
        print(by_client.content, by_server.content)


asyncio.run(main())
"""


def test_unchanged_clients_and_servers_are_governed(tmp_path: Path) -> None:
    pytest.importorskip("mcp", reason="mcp is not installed: see .ci/hosts/mcp.txt")
    assert run_governed(tmp_path, PROGRAM, "mcp").count("denied by tool-policy") == 2
