"""LiteLLM under the policies tool-policy and redact, against a provider on loopback."""

import json
import os
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from tempfile import TemporaryDirectory

os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"  # or LiteLLM asks the net for prices

import litellm

from hookcore import HookManager
from hookcore_litellm import install

POLICIES = """
[plugins.tool-policy]
enabled = true
settings = { deny = ["delete_*"] }
[plugins.redact]
enabled = true
"""
KEY = "sk-proj-" + "a1B2c3D4e5F6g7H8i9J0" * 2
CALL = {"id": "c1", "type": "function", "function": {"name": "delete_file", "arguments": "{}"}}
ANSWERS = [{"content": None, "tool_calls": [CALL]}, {"content": "I may not delete it."}]
SENT = []


class Provider(BaseHTTPRequestHandler):
    """A provider that has two answers; yours is a real one."""

    def do_POST(self):
        SENT.append(self.rfile.read(int(self.headers["Content-Length"])).decode())
        message = {"role": "assistant", **ANSWERS[len(SENT) - 1]}
        choice = {"index": 0, "message": message, "finish_reason": "stop"}
        told = {"id": "x", "object": "chat.completion", "created": 1, "model": "m"}
        body = json.dumps({**told, "choices": [choice]}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


with TemporaryDirectory() as folder:
    Path(folder, "hookcore.toml").write_text(POLICIES, encoding="utf-8")
    manager = HookManager.load(start=folder)
install(manager)  # install() takes the process's manager, and `hookctl run` needs no line at all


@manager.tool(on_denied="return")  # LiteLLM runs no tools: the program does
def delete_file() -> str:
    raise AssertionError("nobody gets here")


server = HTTPServer(("127.0.0.1", 0), Provider)
threading.Thread(target=server.serve_forever, daemon=True).start()
told = {"api_base": f"http://127.0.0.1:{server.server_port}/v1", "api_key": "none"}
messages = [{"role": "user", "content": f"Delete my notes, my key is {KEY}."}]
tools = [{"type": "function", "function": {"name": "delete_file", "parameters": {}}}]
while True:
    answer = litellm.completion("openai/m", messages, tools=tools, **told)
    said = answer.choices[0].message
    messages.append(said)
    for call in said.tool_calls or ():
        result = delete_file(**json.loads(call.function.arguments))
        messages.append({"role": "tool", "tool_call_id": call.id, "content": str(result)})
    if not said.tool_calls:
        break
server.shutdown()
server.server_close()
assert said.content == "I may not delete it."
assert "denied by tool-policy" in SENT[1]
assert KEY not in "".join(SENT)
