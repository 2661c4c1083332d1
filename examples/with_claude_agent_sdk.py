"""A policy that stops a tool of the Claude Agent SDK, offline."""

import asyncio
import json
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

from claude_agent_sdk import ClaudeAgentOptions, create_sdk_mcp_server, query, tool

from hookcore import Abort, HookManager, hookimpl
from hookcore_claude_agent_sdk import install


class NoDeletes:
    @hookimpl(tools=["delete_*"], gate=True)
    def pre_tool_call(self, ctx):
        return Abort("rule 7", message="Deleting is switched off.")


@tool("delete_file", "Delete a file.", {"path": str})
async def delete_file(arguments):
    raise AssertionError("nobody gets here")


manager = HookManager()
manager.register(NoDeletes())
install(manager)  # install() takes the process's manager, with the installed policies


class Model(BaseHTTPRequestHandler):  # yours is the real one, and you need none of this
    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
        told = [part for part in asked["messages"][-1]["content"] if "tool_use_id" in part]
        name, given = "mcp__files__delete_file", json.dumps({"path": "notes.txt"})
        block = {"type": "tool_use", "id": "toolu_1", "name": name, "input": {}}
        delta = {"type": "input_json_delta", "partial_json": given}
        if told or not asked.get("tools"):
            block = {"type": "text", "text": ""}
            delta = {"type": "text_delta", "text": f"It said: {told[0]['content'] if told else ''}"}
        why = {"stop_reason": "end_turn" if "text" in block else "tool_use"}
        message = {"id": "msg_1", "type": "message", "role": "assistant", "content": []}
        message |= {"model": asked["model"], "usage": {"input_tokens": 1, "output_tokens": 1}}
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.end_headers()
        for event in (
            {"type": "message_start", "message": message},
            {"type": "content_block_start", "index": 0, "content_block": block},
            {"type": "content_block_delta", "index": 0, "delta": delta},
            {"type": "content_block_stop", "index": 0},
            {"type": "message_delta", "delta": why, "usage": {"output_tokens": 1}},
            {"type": "message_stop"},
        ):
            self.wfile.write(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode())

    def log_message(self, *_):
        """Say nothing."""


async def main(port):
    options = ClaudeAgentOptions(
        mcp_servers={"files": create_sdk_mcp_server("files", tools=[delete_file])},
        allowed_tools=["mcp__files__*"],
        setting_sources=[],
        env={"ANTHROPIC_BASE_URL": f"http://127.0.0.1:{port}", "ANTHROPIC_API_KEY": "none"},
    )
    return [message async for message in query(prompt="Delete my notes.", options=options)]


server = ThreadingHTTPServer(("127.0.0.1", 0), Model)
Thread(target=server.serve_forever, daemon=True).start()
messages = asyncio.run(main(server.server_port))
assert "Deleting is switched off." in messages[-1].result
