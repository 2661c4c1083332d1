"""A model that answers from a script, on the loopback, in the wire format of each client.

Which step is due follows from the number of answers that a request holds already, so a client may
ask again. A request that offers no tools (titles, summaries) is answered with a text.
"""

from __future__ import annotations

import itertools
import json
import threading
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

__all__ = ["Call", "FakeModel", "Step"]


@dataclass(frozen=True)
class Call:
    """A tool call that the model asks for; the namespace is that of a wire which has some."""

    tool: str
    arguments: dict[str, Any]
    namespace: str = ""


@dataclass(frozen=True)
class Step:
    """One answer of the model: a text, and tool calls."""

    calls: tuple[Call, ...] = ()
    text: str = "so be it"


@dataclass
class FakeModel:
    """The model: what it is to answer, and what it was asked.

    Args:
        steps: its answers in order.
        elsewhere: the answers in conversations whose first message holds a word, by that word:
            those of sub-agents.
    """

    steps: list[Step]
    elsewhere: dict[str, list[Step]] = field(default_factory=dict)
    requests: list[dict[str, Any]] = field(default_factory=list)
    times: list[tuple[float, float]] = field(default_factory=list)
    """The times at which each request for a step came, and was answered."""
    port: int = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def read(self) -> str:
        """Return all that the model was given to read in conversations with tools."""
        return "\n".join(json.dumps(body) for body in self.requests if body.get("tools"))

    def gaps(self) -> list[float]:
        """Return the seconds from each answer with a step to the next request for one."""
        return [after[0] - before[1] for before, after in itertools.pairwise(sorted(self.times))]

    def step(self, body: dict[str, Any], opening: str, answered: int) -> Step:
        if not body.get("tools"):
            return Step(text="ok")
        steps = next((s for word, s in self.elsewhere.items() if word in opening), self.steps)
        return steps[answered] if answered < len(steps) else Step(text="the end")

    @contextmanager
    def served(self) -> Iterator[FakeModel]:
        handler = type("Handler", (_Handler,), {"model": self})
        server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        server.daemon_threads = True
        self.port = server.server_address[1]
        thread = threading.Thread(target=server.serve_forever, args=(0.05,))
        thread.start()
        try:
            yield self
        finally:
            server.shutdown()
            server.server_close()
            thread.join()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    model: FakeModel

    def log_message(self, *_: Any) -> None: ...

    def do_HEAD(self) -> None:
        self._json({})

    def do_GET(self) -> None:
        self._json({"object": "list", "data": [{"id": "fake-model", "object": "model"}]})

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers.get("content-length") or 0)) or b"{}")
        self.model.requests.append(body)
        came = time.perf_counter()
        path = self.path.partition("?")[0]
        wires: dict[str, Callable[[dict[str, Any]], None]] = {
            "/messages": self._anthropic,
            "/responses": self._responses,
            "/chat/completions": self._chat,
            "enerateContent": self._gemini,
        }
        for ending, wire in wires.items():
            if path.endswith(ending):
                wire(body)
                if body.get("tools"):
                    self.model.times.append((came, time.perf_counter()))
                return
        self._json({"input_tokens": 10, "totalTokens": 10})

    def _json(self, body: Any) -> None:
        self._send("application/json", json.dumps(body).encode())

    def _events(self, events: list[dict[str, Any]], *, named: bool, done: bool = False) -> None:
        text = "".join(
            (f"event: {event['type']}\n" if named else "") + f"data: {json.dumps(event)}\n\n"
            for event in events
        )
        self._send("text/event-stream", (text + ("data: [DONE]\n\n" if done else "")).encode())

    def _send(self, kind: str, data: bytes) -> None:
        self.send_response(200)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)

    def _anthropic(self, body: dict[str, Any]) -> None:
        messages = body.get("messages", [])
        answered = sum(message.get("role") == "assistant" for message in messages)
        step = self.model.step(body, json.dumps(messages[:1]), answered)
        blocks: list[dict[str, Any]] = [{"type": "text", "text": step.text}]
        blocks += [
            {"type": "tool_use", "id": _id("toolu_"), "name": call.tool, "input": call.arguments}
            for call in step.calls
        ]
        reason = "tool_use" if step.calls else "end_turn"
        usage = {"input_tokens": 10, "output_tokens": 5}
        message: dict[str, Any] = {
            "id": _id("msg_"), "type": "message", "role": "assistant", "model": body.get("model"),
            "content": [], "stop_reason": None, "stop_sequence": None, "usage": usage,
        }  # fmt: skip
        if not body.get("stream"):
            self._json({**message, "content": blocks, "stop_reason": reason})
            return
        events: list[dict[str, Any]] = [{"type": "message_start", "message": message}]
        for index, block in enumerate(blocks):
            if block["type"] == "text":
                start: dict[str, Any] = {"type": "text", "text": ""}
                delta = {"type": "text_delta", "text": block["text"]}
            else:
                start = {**block, "input": {}}
                given = json.dumps(block["input"])
                delta = {"type": "input_json_delta", "partial_json": given}
            events += [
                {"type": "content_block_start", "index": index, "content_block": start},
                {"type": "content_block_delta", "index": index, "delta": delta},
                {"type": "content_block_stop", "index": index},
            ]
        end = {"stop_reason": reason, "stop_sequence": None}
        events += [
            {"type": "message_delta", "delta": end, "usage": usage}, {"type": "message_stop"},
        ]  # fmt: skip
        self._events(events, named=True)

    def _responses(self, body: dict[str, Any]) -> None:
        items = body.get("input") if isinstance(body.get("input"), list) else []
        assert isinstance(items, list)
        answered, before, opening = 0, False, []
        for item in items:  # an answer is a run of items that the model made
            made = item.get("type") == "function_call" or item.get("role") == "assistant"
            answered += made and not before
            before = made
            if not answered:
                opening.append(item)
        step = self.model.step(body, json.dumps(opening), answered)
        text = {"type": "output_text", "text": step.text, "annotations": []}
        out: list[dict[str, Any]] = [
            {"type": "message", "id": _id("msg_"), "role": "assistant", "status": "completed",
             "content": [text]},
        ]  # fmt: skip
        out += [
            {"type": "function_call", "id": _id("fc_"), "call_id": _id("call_"),
             "name": call.tool, "arguments": json.dumps(call.arguments), "status": "completed",
             **({"namespace": call.namespace} if call.namespace else {})}
            for call in step.calls
        ]  # fmt: skip
        response: dict[str, Any] = {
            "id": _id("resp_"), "object": "response", "created_at": 1, "model": body.get("model"),
            "status": "in_progress", "output": [],
        }  # fmt: skip
        usage = {
            "input_tokens": 10, "output_tokens": 5, "total_tokens": 15,
            "input_tokens_details": {"cached_tokens": 0},
            "output_tokens_details": {"reasoning_tokens": 0},
        }  # fmt: skip
        whole = {**response, "status": "completed", "output": out, "usage": usage}
        events: list[dict[str, Any]] = [{"type": "response.created", "response": response}]
        for index, item in enumerate(out):
            kind = {"output_index": index, "item": item}
            events.append({"type": "response.output_item.added", **kind})
            if item["type"] == "message":
                events.append({
                    "type": "response.output_text.delta", "output_index": index,
                    "content_index": 0, "item_id": item["id"], "delta": step.text,
                })  # fmt: skip
            events.append({"type": "response.output_item.done", **kind})
        events.append({"type": "response.completed", "response": whole})
        for number, event in enumerate(events):
            event["sequence_number"] = number
        self._events(events, named=True)

    def _chat(self, body: dict[str, Any]) -> None:
        messages = body.get("messages", [])
        answered = sum(message.get("role") == "assistant" for message in messages)
        opening = json.dumps([m for m in messages if m.get("role") == "user"][:1])
        step = self.model.step(body, opening, answered)
        calls = [
            {"index": index, "id": _id("call_"), "type": "function",
             "function": {"name": call.tool, "arguments": json.dumps(call.arguments)}}
            for index, call in enumerate(step.calls)
        ]  # fmt: skip
        reason = "tool_calls" if calls else "stop"
        base = {"id": _id("chatcmpl-"), "created": 1, "model": body.get("model")}
        usage = {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}
        message: dict[str, Any] = {"role": "assistant", "content": step.text}
        if calls:
            message["tool_calls"] = calls
        if not body.get("stream"):
            choice = {"index": 0, "message": message, "finish_reason": reason}
            self._json({**base, "object": "chat.completion", "usage": usage, "choices": [choice]})
            return
        chunks = [
            {**base, "object": "chat.completion.chunk",
             "choices": [{"index": 0, "delta": delta, "finish_reason": end}]}
            for delta, end in ((message, None), ({}, reason))
        ]  # fmt: skip
        chunks.append({**base, "object": "chat.completion.chunk", "choices": [], "usage": usage})
        self._events(chunks, named=False, done=True)

    def _gemini(self, body: dict[str, Any]) -> None:
        contents = body.get("contents", [])
        answered = sum(content.get("role") == "model" for content in contents)
        step = self.model.step(body, json.dumps(contents[:2]), answered)
        parts: list[dict[str, Any]] = [{"text": step.text}]
        parts += [{"functionCall": {"name": c.tool, "args": c.arguments}} for c in step.calls]
        answer = {
            "candidates": [
                {"content": {"role": "model", "parts": parts}, "finishReason": "STOP", "index": 0}
            ],
            "usageMetadata": {"promptTokenCount": 10, "totalTokenCount": 15},
            "modelVersion": "fake-model",
        }
        if ":stream" in self.path:
            self._events([answer], named=False)
        else:
            self._json(answer)


def _id(prefix: str) -> str:
    return prefix + uuid.uuid4().hex[:20]
