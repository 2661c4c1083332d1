"""The anthropic client under the policies tool-policy and redact, streamed, on loopback."""

import json
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from tempfile import TemporaryDirectory

from anthropic import Anthropic

from hookcore import HookManager
from hookcore_openai import install

POLICIES = """
[plugins.tool-policy]
enabled = true
settings = { deny = ["delete_*"] }
[plugins.redact]
enabled = true
"""
KEY = "sk-proj-" + "a1B2c3D4e5F6g7H8i9J0" * 2
BLOCKS = [
    {"type": "tool_use", "id": "c1", "name": "delete_file", "input": {}},
    {"type": "text", "text": "I may not delete it."},
]
SENT = []


class Provider(BaseHTTPRequestHandler):
    """A provider that has two answers; yours is a real one."""

    def do_POST(self):
        SENT.append(self.rfile.read(int(self.headers["Content-Length"])).decode())
        block = BLOCKS[len(SENT) - 1]
        told = {"id": "m1", "type": "message", "role": "assistant", "model": "m", "content": []}
        used = {"input_tokens": 1, "output_tokens": 1}
        stop = {"stop_reason": "end_turn", "stop_sequence": None}
        events = [
            {"type": "message_start", "message": {**told, **stop, "usage": used}},
            {"type": "content_block_start", "index": 0, "content_block": block},
            {"type": "content_block_stop", "index": 0},
            {"type": "message_delta", "delta": stop, "usage": used},
            {"type": "message_stop"},
        ]
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.end_headers()
        for event in events:
            self.wfile.write(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode())

    def log_message(self, *_):
        pass


with TemporaryDirectory() as folder:
    Path(folder, "hookcore.toml").write_text(POLICIES, encoding="utf-8")
    manager = HookManager.load(start=folder)
install(manager)  # install() takes the process's manager, and `hookctl run` needs no line at all


@manager.tool(on_denied="return")  # the client runs no tools: the program does
def delete_file() -> str:
    raise AssertionError("nobody gets here")


server = HTTPServer(("127.0.0.1", 0), Provider)
threading.Thread(target=server.serve_forever, daemon=True).start()
client = Anthropic(api_key="none", base_url=f"http://127.0.0.1:{server.server_port}")
messages = [{"role": "user", "content": f"Delete my notes, my key is {KEY}."}]
tools = [{"name": "delete_file", "input_schema": {"type": "object"}}]
while True:
    with client.messages.stream(model="m", max_tokens=99, messages=messages, tools=tools) as stream:
        said = stream.get_final_message()
    messages.append({"role": "assistant", "content": said.content})
    results = []
    for block in said.content:
        if block.type == "tool_use":
            result = str(delete_file(**block.input))
            results.append({"type": "tool_result", "tool_use_id": block.id, "content": result})
    if not results:
        break
    messages.append({"role": "user", "content": results})
client.close()
server.shutdown()
server.server_close()
assert said.content[0].text == "I may not delete it."
assert "denied by tool-policy" in SENT[1]
assert KEY not in "".join(SENT)
