"""A server of FastMCP's, another mounted in it, under the policies tool-policy and redact."""

import asyncio
from pathlib import Path
from tempfile import TemporaryDirectory

from fastmcp import Client, FastMCP

from hookcore import HookManager
from hookcore_mcp import fastmcp_middleware

POLICIES = """
[plugins.tool-policy]
enabled = true
settings = { deny = ["delete_*"] }
[plugins.redact]
enabled = true
"""
KEY = "sk-proj-" + "a1B2c3D4e5F6g7H8i9J0" * 2

with TemporaryDirectory() as folder:
    Path(folder, "hookcore.toml").write_text(POLICIES, encoding="utf-8")
    manager = HookManager.load(start=folder)

files = FastMCP("files")
server = FastMCP("office", middleware=[fastmcp_middleware(manager)])  # `hookctl run` needs no line
server.mount(files, namespace="files")


@files.tool
def delete_file(path: str) -> str:
    raise AssertionError("nobody gets here")


@files.resource("note://keys")
def keys() -> str:
    return f"the key is {KEY}"


async def main():
    async with Client(server) as client:
        denied = await client.call_tool_mcp("files_delete_file", {"path": "notes.txt"})
        (read,) = await client.read_resource("note://files/keys")
        return denied, read


denied, read = asyncio.run(main())
assert denied.is_error
assert "denied by tool-policy" in denied.content[0].text  # its rule is for `delete_*`
assert "the key is" in read.text
assert KEY not in read.text
