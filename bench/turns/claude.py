"""Turns of Claude's agent, whose real client asks a provider in this process."""

from __future__ import annotations

import json
import time
from contextlib import AsyncExitStack
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from tempfile import TemporaryDirectory
from threading import Thread
from typing import Any

from .common import TEXT, TURNS, Run, lookup

__all__ = ["claude_agent_sdk"]


class Api(BaseHTTPRequestHandler):
    """Answers Claude's client by calls, and by a text when there have been enough."""

    def do_POST(self) -> None:
        """Answer a request."""
        asked = json.loads(self.rfile.read(int(self.headers["content-length"])) or "{}")
        told = [part for message in asked["messages"] for part in message["content"]]
        calls = sum("tool_use_id" in part for part in told if isinstance(part, dict))
        asks = bool(asked.get("tools")) and calls < TURNS
        block: Any = {"type": "text", "text": TEXT}
        delta = {"type": "text_delta", "text": TEXT}
        if asks:
            name = f"mcp__bench__{lookup.__name__}"
            block = {"type": "tool_use", "id": f"toolu_{time.time_ns()}", "name": name, "input": {}}
            delta = {"type": "input_json_delta", "partial_json": '{"key": "k"}'}
        why = {"stop_reason": "end_turn" if block["type"] == "text" else "tool_use"}
        message: dict[str, Any] = {
            "id": "msg",
            "type": "message",
            "role": "assistant",
            "content": [],
        }
        message |= {"model": asked["model"], "usage": {"input_tokens": 1, "output_tokens": 1}}
        empty = {**block, "text": ""} if block["type"] == "text" else block
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.end_headers()
        for event in (
            {"type": "message_start", "message": message},
            {"type": "content_block_start", "index": 0, "content_block": empty},
            {"type": "content_block_delta", "index": 0, "delta": delta},
            {"type": "content_block_stop", "index": 0},
            {"type": "message_delta", "delta": why, "usage": {"output_tokens": 1}},
            {"type": "message_stop"},
        ):
            self.wfile.write(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode())

    def log_message(self, *_: Any) -> None:
        """Say nothing."""


async def claude_agent_sdk(stack: AsyncExitStack) -> Run:
    """Return a run of a session with Claude's real client."""
    from claude_agent_sdk import ClaudeAgentOptions, ClaudeSDKClient, create_sdk_mcp_server, tool

    @tool("lookup", "Look something up.", {"key": str})  # type: ignore[untyped-decorator]
    async def look(given: Any) -> Any:
        return {"content": [{"type": "text", "text": lookup(**given)}]}

    home = stack.enter_context(TemporaryDirectory(ignore_cleanup_errors=True))
    server = ThreadingHTTPServer(("127.0.0.1", 0), Api)
    Thread(target=server.serve_forever, daemon=True).start()
    stack.callback(server.shutdown)
    options = ClaudeAgentOptions(
        mcp_servers={"bench": create_sdk_mcp_server("bench", tools=[look])},
        allowed_tools=["mcp__bench__*"],
        setting_sources=[],
        cwd=home,
        env={
            "HOME": home,
            "CLAUDE_CONFIG_DIR": home,
            "ANTHROPIC_BASE_URL": f"http://127.0.0.1:{server.server_port}",
            "ANTHROPIC_API_KEY": "none",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        },
    )
    client = await stack.enter_async_context(ClaudeSDKClient(options))

    async def run() -> list[Any]:
        await client.query(f"What of this? {TEXT}")
        return [message async for message in client.receive_response()]

    return run
