"""A policy that stops a tool of an MCP server, offline."""

import asyncio

from mcp.client.client import Client
from mcp.server.mcpserver import MCPServer

from hookcore import Abort, HookManager, hookimpl
from hookcore_mcp import middleware


class NoDeletes:
    @hookimpl(tools=["delete_*"], gate=True)
    def pre_tool_call(self, ctx):
        return Abort("rule 7", message="Deleting is switched off.")


manager = HookManager()  # without one, the process's is taken, with the installed policies
manager.register(NoDeletes())
server = MCPServer("files", middleware=[middleware(manager)])


@server.tool()
def delete_file(path: str) -> str:
    raise AssertionError("nobody gets here")


async def main():
    async with Client(server) as client:
        return await client.call_tool("delete_file", {"path": "notes.txt"})


result = asyncio.run(main())
assert result.is_error
assert "Deleting is switched off." in result.content[0].text
