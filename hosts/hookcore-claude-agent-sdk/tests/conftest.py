"""The SDK with its real client, offline: an API on the loopback that answers by a script."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.util import find_spec
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from hookcore import HookManager
from hookcore.hosting.checks import Office

if find_spec("claude_agent_sdk"):
    from claude_agent_sdk import ClaudeAgentOptions, create_sdk_mcp_server, query, tool

Step = Any  # a text to answer with, or a list of (tool's name, arguments)


class Api:
    """A model's answers one after the other, and the requests of the client's for them."""

    def __init__(self) -> None:
        self.steps: list[Step] = []
        self.seen: list[Any] = []
        handler = type("Handler", (_Handler,), {"api": self})
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        Thread(target=self._server.serve_forever, daemon=True).start()
        self.address = f"http://127.0.0.1:{self._server.server_port}"

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()

    def answer(self, asked: Any) -> list[Any]:
        """Return the blocks of the next answer; the client asks for titles and such, too."""
        if not asked.get("tools"):
            return [{"type": "text", "text": "a title"}]
        self.seen.append(asked)
        step = self.steps.pop(0)
        if isinstance(step, str):
            return [{"type": "text", "text": step}]
        at = len(self.seen)
        return [
            {"type": "tool_use", "id": f"toolu_{at}_{place}", "name": name, "input": given}
            for place, (name, given) in enumerate(step)
        ]

    def results(self) -> list[str]:
        """Return the tools' results that the last request has, in order."""
        found: list[str] = []
        for message in self.seen[-1]["messages"]:
            for part in message["content"] if isinstance(message["content"], list) else ():
                if part["type"] == "tool_result":
                    told = part["content"]
                    found.append(told if isinstance(told, str) else told[0].get("text", ""))
        return found


class _Handler(BaseHTTPRequestHandler):
    api: Api

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["content-length"])) or "{}")
        if "count_tokens" in self.path or "/v1/messages" not in self.path:
            self._send("application/json", b'{"input_tokens": 1}')
            return
        blocks = self.api.answer(asked)
        why = "tool_use" if blocks[0]["type"] == "tool_use" else "end_turn"
        message = {"id": "msg", "type": "message", "role": "assistant", "model": asked["model"]}
        message |= {"content": [], "usage": {"input_tokens": 1, "output_tokens": 1}}
        events: list[Any] = [{"type": "message_start", "message": message}]
        for at, block in enumerate(blocks):
            delta = {"type": "text_delta", "text": block.get("text")}
            empty = {**block, "text": ""}
            if block["type"] == "tool_use":
                told = json.dumps(block["input"])
                delta = {"type": "input_json_delta", "partial_json": told}
                empty = {**block, "input": {}}
            events += [
                {"type": "content_block_start", "index": at, "content_block": empty},
                {"type": "content_block_delta", "index": at, "delta": delta},
                {"type": "content_block_stop", "index": at},
            ]
        usage = {"output_tokens": 1}
        events.append({"type": "message_delta", "delta": {"stop_reason": why}, "usage": usage})
        events.append({"type": "message_stop"})
        lines = [f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in events]
        self._send("text/event-stream", "".join(lines).encode())

    def do_HEAD(self) -> None:
        self._send("text/plain", b"")

    def _send(self, kind: str, body: bytes) -> None:
        self.send_response(200)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the server's name
        """Say nothing."""


@pytest.fixture
def api() -> Iterator[Api]:
    pytest.importorskip(
        "claude_agent_sdk",
        reason="claude-agent-sdk is not installed: see .ci/hosts/claude-agent-sdk.txt",
    )
    made = Api()
    yield made
    made.close()


@pytest.fixture
def office() -> Office:
    return Office()


@pytest.fixture
def install(api: Api) -> Iterator[Callable[..., Any]]:
    """Return the adapter's install(), undone afterwards."""
    from hookcore_claude_agent_sdk import install, uninstall

    yield install
    uninstall()


@pytest.fixture
def options(
    api: Api, office: Office, install: Any, tmp_path: Path
) -> Callable[..., ClaudeAgentOptions]:
    """Return options of a client with the office's tools, in an empty home."""

    def make(manager: HookManager, **more: Any) -> Any:
        install(manager)
        tools = [
            _tool("add", {"a": int, "b": int}, office.add),
            _tool("danger", {"x": str}, office.danger),
            _tool("lookup", {"key": str}, office.lookup),
            _tool("fails", {"x": str}, office.fails),
            _tool("broken", {"x": str}, office.broken),
        ]

        @tool("slow", "slow", {"n": int})  # type: ignore[untyped-decorator]
        async def slow(given: Any) -> Any:
            return {"content": [{"type": "text", "text": await office.slow(given["n"])}]}

        home = {name: str(tmp_path) for name in ("HOME", "CLAUDE_CONFIG_DIR")}
        api_of = {"ANTHROPIC_BASE_URL": api.address, "ANTHROPIC_API_KEY": "not-a-key"}
        quiet = {"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1"}
        told: dict[str, Any] = {
            "mcp_servers": {"office": create_sdk_mcp_server("office", tools=[*tools, slow])},
            "allowed_tools": ["mcp__office__*", "Bash", "Read"],
            "permission_mode": "dontAsk",
            "setting_sources": [],
            "cwd": str(tmp_path),
            "env": {**home, **api_of, **quiet},
            **more,
        }
        return ClaudeAgentOptions(**told)

    return make


def _tool(name: str, schema: Any, function: Callable[..., str]) -> Any:
    @tool(name, name, schema)  # type: ignore[untyped-decorator]
    async def run(given: Any) -> Any:
        return {"content": [{"type": "text", "text": function(**given)}]}

    return run


@pytest.fixture
def ask() -> Callable[..., Any]:
    """Return what asks with ``query()`` and gives all messages."""

    async def run(prompt: Any, options: Any) -> list[Any]:
        return [message async for message in query(prompt=prompt, options=options)]

    return run
