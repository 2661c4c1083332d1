"""A server of the Python SDK that asks within its answers; run with that SDK's Python."""

from __future__ import annotations

from mcp.server.mcpserver import Context, MCPServer
from mcp_types import ElicitRequest, InputRequiredResult

server = MCPServer("modern")
SCHEMA = {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}


def add(a: int, b: int) -> int:
    """Add two numbers."""
    return a + b


async def greet(ctx: Context) -> str | InputRequiredResult:
    """Greet whoever is there."""
    replies = ctx.input_responses
    if replies:
        return f"hello {replies['who'].content['name']}"
    asked = {"params": {"message": "Who is there?", "requestedSchema": SCHEMA}}
    question = ElicitRequest.model_validate({"method": "elicitation/create", **asked})
    return InputRequiredResult(input_requests={"who": question})


if __name__ == "__main__":
    for tool in (add, greet):
        server.add_tool(tool)
    server.run("stdio")
