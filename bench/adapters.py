"""The cost of an adapter to somebody else's runtime: a turn with a tool, with and without hookcore.

Run it with a Python that has the runtime, the adapter and hookcore-redact:
``python bench/adapters.py google-adk``. A run is one message of a user's, which the model answers
by 30 calls of a tool, one after the other, and then by a text; a turn is a thirtieth of it. Each
ratio is that of the least times of all rounds, in which the variants take turns.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import logging
import sys
import time
import warnings
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Thread
from typing import Any

# This file's own folder must not be where a runtime is found.
sys.path[:] = [path for path in sys.path if Path(path).resolve() != Path(__file__).parent]

from hookcore import HookManager, hookimpl  # noqa: E402

TURNS = 30
LONGEST = 60.0
"""The seconds after which a run has failed."""
TEXT = (
    "An ordinary answer of some length, as a model gives it after it has looked something up. " * 3
)
EXPECTED = {"idle": 1.05, "one gate": 1.05, "redact": 1.15}
"""The most that each may take of the turn without hookcore."""

Run = Callable[[], Awaitable[object]]


class Gate:
    """Judges each call and lets it pass."""

    @hookimpl(gate=True)
    def pre_tool_call(self, ctx: Any) -> None:
        """Say nothing."""


class ModelGate:
    """Judges each request of a client that runs no tools, and lets it pass."""

    @hookimpl(gate=True)
    def pre_model_call(self, ctx: Any) -> None:
        """Say nothing."""


def managers(judging: object) -> dict[str, HookManager | None]:
    """Return the variants: none is without hookcore."""
    from hookcore_redact import Redact

    gate, redact = HookManager(), HookManager()
    gate.register(judging)
    redact.register(Redact(), name="redact")
    return {"bare": None, "idle": HookManager(), "one gate": gate, "redact": redact}


def lookup(key: str) -> str:
    """Look something up."""
    return f"{key}: {TEXT}"


async def google_adk(stack: AsyncExitStack) -> Run:
    """Return a run of an agent of Google's ADK, in a session of its own."""
    from google.adk.agents import LlmAgent
    from google.adk.models import BaseLlm, LlmResponse
    from google.adk.runners import InMemoryRunner
    from google.genai import types

    class Model(BaseLlm):  # type: ignore[misc]
        async def generate_content_async(self, llm_request: Any, **_: Any) -> Any:
            part = types.Part(text=TEXT)
            if len(llm_request.contents) < 2 * TURNS:
                call = types.FunctionCall(id="c", name="lookup", args={"key": "k"})
                part = types.Part(function_call=call)
            yield LlmResponse(content=types.Content(role="model", parts=[part]))

    agent = LlmAgent(name="main", model=Model(model="fake"), tools=[lookup])
    runner = InMemoryRunner(agent=agent, app_name="app")
    stack.push_async_callback(runner.close)
    await runner.session_service.create_session(app_name="app", user_id="u", session_id="s")

    async def run() -> list[Any]:
        message = types.Content(role="user", parts=[types.Part(text=f"What of this? {TEXT}")])
        events = runner.run_async(user_id="u", session_id="s", new_message=message)
        return [event async for event in events]

    return run


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


Ask = Callable[[list[Any]], Awaitable[Any]]


def loop(ask: Ask) -> Run:
    """Return a run of a program that runs the tools which a client's model calls."""

    async def run() -> list[Any]:
        messages: list[Any] = [{"role": "user", "content": f"What of this? {TEXT}"}]
        while True:
            said = await ask(messages)
            messages.append(said.model_dump(exclude_none=True))
            if not said.tool_calls:
                return messages
            for call in said.tool_calls:
                result = lookup(**json.loads(call.function.arguments))
                messages.append({"role": "tool", "tool_call_id": call.id, "content": result})

    return run


def completion(messages: list[Any]) -> Any:
    """Return the answer of a provider of chat completions."""
    said: dict[str, Any] = {"role": "assistant", "content": TEXT}
    if len(messages) < 2 * TURNS:
        function = {"name": "lookup", "arguments": '{"key": "k"}'}
        said = {"role": "assistant", "content": None}
        said["tool_calls"] = [{"id": "c", "type": "function", "function": function}]
    choice = {"index": 0, "message": said, "finish_reason": "stop"}
    told = {"id": "x", "object": "chat.completion", "created": 1, "model": "m"}
    return {**told, "choices": [choice]}


async def openai_client(stack: AsyncExitStack) -> Run:
    """Return a run of a program over the openai client, whose HTTP is answered in the process."""
    import httpx2
    import openai

    def answer(request: Any) -> Any:
        return httpx2.Response(200, json=completion(json.loads(request.content)["messages"]))

    http = openai.DefaultAsyncHttpxClient(transport=httpx2.MockTransport(answer), verify=False)
    client = openai.AsyncOpenAI(api_key="none", http_client=http)
    await stack.enter_async_context(client)

    async def ask(messages: list[Any]) -> Any:
        answered = await client.chat.completions.create(model="m", messages=messages)
        return answered.choices[0].message

    return loop(ask)


async def litellm_sdk(stack: AsyncExitStack) -> Run:
    """Return a run of a program over LiteLLM, with a provider of the program's own."""
    import litellm

    class Provider(litellm.CustomLLM):  # type: ignore[misc]
        async def acompletion(self, *_: Any, **told: Any) -> Any:
            return litellm.ModelResponse(**completion(told["messages"]))

    litellm.custom_provider_map = [{"provider": "bench", "custom_handler": Provider()}]
    litellm.utils.custom_llm_setup()
    del stack

    async def ask(messages: list[Any]) -> Any:
        answered = await litellm.acompletion("bench/m", messages)
        return answered.choices[0].message

    return loop(ask)


RUNTIMES = {
    "google-adk": (google_adk, time.process_time, Gate),
    # The client is a process of its own, so that the time is the clock's.
    "claude-agent-sdk": (claude_agent_sdk, time.perf_counter, Gate),
    "openai": (openai_client, time.process_time, ModelGate),
    "litellm": (litellm_sdk, time.process_time, ModelGate),
}
"""For each runtime what makes a run, the clock, in one sort of which others' work does not count,
and the gate."""


async def measure(name: str, rounds: int) -> dict[str, float]:
    """Return the least milliseconds of a turn, for each variant."""
    from importlib import import_module

    make, clock, gate = RUNTIMES[name]
    adapter: Any = import_module(f"hookcore_{name.replace('-', '_')}")
    best: dict[str, float] = {}
    for _ in range(rounds):
        for variant, manager in managers(gate()).items():
            if manager is not None:
                adapter.install(manager)
            async with AsyncExitStack() as stack:
                run = await make(stack)
                begun = clock()
                await asyncio.wait_for(run(), LONGEST)
                taken = (clock() - begun) * 1e3 / TURNS
                best[variant] = min(best.get(variant, taken), taken)
            if manager is not None:
                adapter.uninstall()
    return best


def main() -> int:
    """Print the costs; return 1 when one is above what is promised."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("runtime", choices=RUNTIMES)
    parser.add_argument("--rounds", type=int, default=12)
    asked = parser.parse_args()
    warnings.simplefilter("ignore")
    logging.disable(logging.CRITICAL)
    best = asyncio.run(measure(asked.runtime, asked.rounds))
    missed = 0
    for variant, taken in best.items():
        ratio, most = taken / best["bare"], EXPECTED.get(variant)
        note = "" if most is None else f"at most {most:.2f}"
        missed += most is not None and ratio > most
        print(f"{variant:10} {taken:9.2f} ms {ratio:7.3f}  {note}")
    return min(missed, 1)


if __name__ == "__main__":
    raise SystemExit(main())
