"""Measure what the proxies add: to an echo over stdio, and to a model's request of 120 KB.

    python bench/proxies.py [--json FILE] [--rounds N]

It talks to a small server of MCP, and to a made-up provider on the loopback, directly and through
`hookctl mcp` and `hookctl proxy` (hookcore-bridge), in turns of 50, and prints the medians in
milliseconds: without policies, and with tool-policy and redact.

Exit status 1 says that a limit was missed: 0.2 ms for an echo and 5 ms for a request, without
policies. They are times, so a busy machine misses them.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

__all__ = ["main"]

POLICIES = """
[plugins.tool-policy]
enabled = true
settings = { deny = ["delete_*"] }
[plugins.redact]
enabled = true
"""
SERVER = """
import json, sys
for line in sys.stdin:
    asked = json.loads(line)
    content = [{"type": "text", "text": asked["params"]["arguments"]["text"]}]
    answer = {"jsonrpc": "2.0", "id": asked["id"], "result": {"content": content}}
    sys.stdout.write(json.dumps(answer) + "\\n")
    sys.stdout.flush()
"""
WORDS = "all is well here. " * 7_000
ASKED = json.dumps(
    {
        "model": "m",
        "max_tokens": 5,
        "stream": True,
        "tools": [{"name": "look", "input_schema": {"type": "object"}}],
        "messages": [{"role": "user", "content": WORDS[:120_000]}],
    }
).encode()
LIMITS = {"echo": 0.2, "request": 5.0}
TURN = 50


def _answer() -> bytes:
    message = {"id": "m", "type": "message", "role": "assistant", "model": "m", "content": []}
    usage = {"input_tokens": 1, "output_tokens": 1}
    events: list[dict[str, Any]] = [
        {"type": "message_start", "message": {**message, "usage": usage}}
    ]
    block = {"type": "text", "text": ""}
    events.append({"type": "content_block_start", "index": 0, "content_block": block})
    for _ in range(40):
        delta = {"type": "text_delta", "text": "five words of an answer "}
        events.append({"type": "content_block_delta", "index": 0, "delta": delta})
    events.append({"type": "content_block_stop", "index": 0})
    stop = {"stop_reason": "end_turn", "stop_sequence": None}
    events += [{"type": "message_delta", "delta": stop, "usage": usage}, {"type": "message_stop"}]
    return b"".join(
        f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode() for event in events
    )


ANSWER = _answer()


class Provider(BaseHTTPRequestHandler):
    """Answers each request with the same stream."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = -1

    def do_POST(self) -> None:
        """Answer."""
        self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Content-Length", str(len(ANSWER)))
        self.end_headers()
        self.wfile.write(ANSWER)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the library's name
        """Say nothing."""


class Bench:
    """A folder with policies, in which the proxies are started."""

    def __init__(self, root: Path, policies: str) -> None:
        (root / "hookcore.toml").write_text(policies, encoding="utf-8")
        self.root = root
        self.environment = {"PATH": os.environ["PATH"], "HOME": str(root)}
        self.hookctl = [sys.executable, "-m", "hookctl"]

    @contextmanager
    def echo(self, *before: str) -> Iterator[Callable[[], None]]:
        """Give what asks the server once, through what stands before it."""
        process = subprocess.Popen(
            [*before, sys.executable, "-c", SERVER],
            cwd=self.root,
            env=self.environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        assert process.stdin is not None
        assert process.stdout is not None
        given, told, count = process.stdin, process.stdout, 0

        def ask() -> None:
            nonlocal count
            count += 1
            params = {"name": "echo", "arguments": {"text": "hello"}}
            asked = {"jsonrpc": "2.0", "id": count, "method": "tools/call", "params": params}
            given.write(json.dumps(asked).encode() + b"\n")
            given.flush()
            answer = json.loads(told.readline())
            assert answer["result"]["content"][0]["text"] == "hello", answer

        try:
            ask()
            yield ask
        finally:
            given.close()
            process.wait()
            told.close()

    @contextmanager
    def proxy(self, upstream: str) -> Iterator[str]:
        """Give the address of a proxy before a provider."""
        process = subprocess.Popen(
            [*self.hookctl, "proxy", "--upstream", upstream, "--listen", "127.0.0.1:0"],
            cwd=self.root,
            env=self.environment,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert process.stderr is not None
        try:
            for line in process.stderr:
                if "listening at " in line:
                    yield line.rpartition("at ")[2].strip()
                    break
        finally:
            process.terminate()
            process.communicate()


@contextmanager
def provider() -> Iterator[str]:
    """Give the address of a made-up provider."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Provider)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()


@contextmanager
def requests(url: str) -> Iterator[Callable[[], None]]:
    """Give what sends the request once, on a connection that is kept."""
    connection = HTTPConnection(url.removeprefix("http://"))

    def ask() -> None:
        headers = {"Content-Type": "application/json", "X-Api-Key": "k"}
        connection.request("POST", "/v1/messages", ASKED, headers)
        answer = connection.getresponse()
        assert answer.read() == ANSWER, answer.status

    try:
        ask()
        yield ask
    finally:
        connection.close()


def added(direct: Callable[[], None], proxied: Callable[[], None], rounds: int) -> dict[str, float]:
    """Return the medians of both, measured in turns, and how far they are apart."""
    taken: tuple[list[float], list[float]] = ([], [])
    for _ in range(rounds):
        for ask, times in zip((direct, proxied), taken, strict=True):
            for _ in range(TURN):
                began = time.perf_counter()
                ask()
                times.append((time.perf_counter() - began) * 1000)
    one, other = map(statistics.median, taken)
    return {"direct": one, "proxied": other, "added": other - one}


def measure(policies: str, rounds: int) -> dict[str, dict[str, float]]:
    """Measure both proxies under these policies."""
    with ExitStack() as stack:
        root = stack.enter_context(tempfile.TemporaryDirectory())
        bench = Bench(Path(root), policies)
        direct = stack.enter_context(bench.echo())
        proxied = stack.enter_context(bench.echo(*bench.hookctl, "mcp", "--"))
        echo = added(direct, proxied, rounds)
        upstream = stack.enter_context(provider())
        plain = stack.enter_context(requests(upstream))
        url = stack.enter_context(bench.proxy(upstream))
        judged = stack.enter_context(requests(url))
        return {"echo": echo, "request": added(plain, judged, rounds)}


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print, and return 1 when a limit was missed."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--json", type=Path, help="write the figures to this file")
    parser.add_argument("--rounds", type=int, default=10, help=f"turns of {TURN} (10)")
    options = parser.parse_args(arguments)
    found, missed = {}, 0
    for name, policies in (("no policies", ""), ("policies", POLICIES)):
        found[name] = measure(policies, options.rounds)
        for what, figures in found[name].items():
            limit = "" if policies else f"   limit {LIMITS[what]} ms"
            missed += not policies and figures["added"] > LIMITS[what]
            told = "   ".join(f"{key} {value:6.2f} ms" for key, value in figures.items())
            print(f"{name:11} {what:8} {told}{limit}")
    if options.json:
        options.json.write_text(json.dumps(found, indent=2), encoding="utf-8")
    return min(missed, 1)


if __name__ == "__main__":
    raise SystemExit(main())
